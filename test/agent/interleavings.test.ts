/**
 * Prompts, aborts, tool results and worker results in any order (S5.5, S9.10, S9.11): no prompt is lost, no compaction runs
 * twice, each start has one end, and the state is all old or all new.
 */
import fc from 'fast-check';
import { CLOCK, CONTEXT, createMemoryStore, definePlugin, defineTool, sleep } from '../../core';
import type { Conversation, Run, Session, SessionRecord } from '../../core';
import { checkIntegrity } from '../../core/context/integrity';
import { createTestAgent, createScriptedModel, prose } from '../../core/testing';
import type { TestAgent } from '../../core/testing';
import { COMPACT_WORKER } from '../../plugins/compaction/tokens';
import type { CompactWorker } from '../../plugins/compaction/worker';
import { STOCK } from '../support/kernel';
import { summaryOf, USED } from '../support/worker';

type Step =
  | { readonly do: 'send'; readonly whenBusy: 'queue' | 'steer' }
  | { readonly do: 'abort' | 'undo' | 'compact' | 'restart' }
  | { readonly do: 'wait'; readonly ms: number };

interface Play {
  readonly steps: readonly Step[];
  /** What the model does, one after another, over and over. */
  readonly model: readonly ('text' | 'call' | 'calls' | 'overflow' | 'server')[];
  readonly worker: readonly ('writes' | 'twice' | 'fails' | 'hangs' | 'empty')[];
  readonly delays: readonly number[];
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('send' as const), whenBusy: fc.constantFrom('queue', 'steer') }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 10, 400, 30_000) }) },
  { weight: 3, arbitrary: fc.constantFrom('abort', 'undo', 'compact', 'restart').map((what) => ({ do: what })) },
);

const play: fc.Arbitrary<Play> = fc.record({
  steps: fc.array(step, { minLength: 3, maxLength: 14 }),
  model: fc.array(fc.constantFrom('text', 'text', 'call', 'call', 'calls', 'overflow', 'server'), {
    minLength: 1,
    maxLength: 8,
  }),
  worker: fc.array(fc.constantFrom('writes', 'writes', 'twice', 'fails', 'hangs', 'empty'), {
    minLength: 1,
    maxLength: 4,
  }),
  delays: fc.array(fc.constantFrom(0, 0, 5, 50, 5_000), { minLength: 1, maxLength: 5 }),
});

/** A word of its own in each prompt, by which it is found again. */
const markOf = (n: number): string => `PROMPT-${n}.`;

class Stage {
  readonly #play: Play;
  readonly #host: TestAgent;
  #conversation: Conversation;
  readonly runs: { readonly run: Run; readonly mark: string; dropped: boolean; accepted: boolean }[] = [];
  readonly faults: string[] = [];

  constructor(play: Play, host: TestAgent, conversation: Conversation) {
    this.#play = play;
    this.#host = host;
    this.#conversation = conversation;
  }

  get session(): Session {
    return this.#conversation.session;
  }

  async act(): Promise<void> {
    for (const one of this.#play.steps) await this.#step(one);
    await this.#rest();
    // What waited for a restart is answered with the next prompt.
    this.#send('queue');
    await this.#rest();
  }

  /** Lets time pass until nothing runs and nothing waits. */
  async #rest(): Promise<void> {
    let over = false;
    const idle = this.#conversation.idle().then(() => (over = true));
    while (!over) await this.#host.clock.idle();
    await idle;
  }

  async #step(one: Step): Promise<void> {
    switch (one.do) {
      case 'send':
        return this.#send(one.whenBusy);
      case 'wait':
        return this.#host.clock.advance(one.ms);
      case 'abort': {
        const last = this.runs.at(-1);
        if (last === undefined) return;
        last.run.abort();
        last.dropped = true;
        return;
      }
      case 'undo': {
        if (!this.#conversation.busy) this.#undo();
        return;
      }
      case 'compact':
        void this.#conversation.compact().catch(() => undefined);
        return;
      case 'restart': {
        const { id } = this.session;
        await this.#conversation.close();
        this.#conversation = await this.#host.agent.open(id);
      }
    }
  }

  #undo(): void {
    const before = this.session.compactedFrom;
    if (this.#conversation.undoCompaction() !== (before !== undefined)) this.faults.push('undo said the wrong thing');
  }

  #send(whenBusy: 'queue' | 'steer'): void {
    const mark = markOf(this.runs.length);
    const run = this.#conversation.send(`${mark} ${prose(200, mark)}`, { whenBusy });
    const sent = { run, mark, dropped: false, accepted: false };
    void run.accepted.then(
      () => (sent.accepted = true),
      () => undefined,
    );
    this.runs.push(sent);
  }
}

async function perform(play: Play): Promise<{ readonly host: TestAgent; readonly stage: Stage }> {
  let asked = 0;
  let worked = 0;
  const next = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
  const worker = definePlugin({
    name: 'scripted',
    api: 1,
    needs: { clock: CLOCK },
    provides: [COMPACT_WORKER],
    setup({ needs, provide }) {
      const scripted: CompactWorker = {
        name: 'scripted',
        async run(_job, desk, { signal }) {
          const what = next(play.worker, worked++);
          await sleep(needs.clock, next(play.delays, worked), signal);
          if (what === 'hangs') await new Promise(() => undefined);
          if (what === 'fails') throw new Error('The worker failed.');
          if (what !== 'empty') await desk.call('write_summary', { text: summaryOf('Going on.') }, signal);
          if (what === 'twice') await desk.call('write_summary', { text: summaryOf('Going on twice.') }, signal);
          return USED;
        },
      };
      provide(COMPACT_WORKER, () => scripted);
    },
  });
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: {},
    kind: 'read',
    run: async (_args, { signal }) => {
      await sleep(host.clock, next(play.delays, asked), signal);
      return { summary: 'Looked.', content: prose(700, `look ${asked}`) };
    },
  });
  const model = createScriptedModel({
    window: 12_000,
    maxOutput: 1_000,
    script: async (_request, n) => {
      const what = next(play.model, asked++);
      await sleep(host.clock, next(play.delays, n));
      // Whatever the play says, a turn comes to an end.
      if (asked % 9 === 0 || what === 'text') return { text: prose(120, `answer ${asked}`) };
      if (what === 'overflow' || what === 'server') return { error: what };
      const calls = Array.from({ length: what === 'call' ? 1 : 3 }, () => ({ name: 'look' }));
      return { text: 'Let me look.', calls };
    },
  });
  const host: TestAgent = await createTestAgent({
    plugins: [...STOCK, worker],
    config: {
      compaction: { compactThreshold: 5_000, compactRequestThreshold: 8_000, retainedTokens: 800 },
      prune: { minSavings: 1_000_000 },
    },
    model,
    system: 'You look.',
    tools: [look],
    store: createMemoryStore(),
  });
  const stage = new Stage(play, host, await host.agent.open('s'));
  await stage.act();
  return { host, stage };
}

/** Starts and ends of compactions in a log or among events. */
function endsOf(records: readonly SessionRecord[]): ReadonlyMap<string, readonly string[]> {
  const phases = new Map<string, string[]>();
  for (const record of records) {
    if (record.t !== 'compaction') continue;
    const list = phases.get(record.compaction) ?? [];
    list.push(record.phase);
    phases.set(record.compaction, list);
  }
  return phases;
}

describe('whatever comes in whatever order', () => {
  it('loses no prompt, runs no compaction twice, and leaves the state all old or all new', async () => {
    await fc.assert(
      fc.asyncProperty(play, async (played) => {
        const { host, stage } = await perform(played);
        try {
          const { session } = stage;
          const records = [...session.records()];
          expect(stage.faults).toEqual([]);

          // Every accepted prompt is in the log once, unless it was taken back while it waited.
          const texts = [...session.items()].map((item) => JSON.stringify(item));
          for (const { mark, accepted, dropped } of stage.runs) {
            const found = texts.filter((text) => text.includes(mark)).length;
            expect(found).toBeLessThanOrEqual(1);
            if (accepted && !dropped) expect([mark, found]).toEqual([mark, 1]);
          }
          expect(session.queued()).toEqual([]);

          // One end for each start, no two compactions at a time, a checkpoint for each that is done.
          let running: string | undefined;
          for (const record of records) {
            if (record.t !== 'compaction') continue;
            if (record.phase === 'start') {
              expect(running).toBeUndefined();
              running = record.compaction;
            } else {
              expect(running).toBe(record.compaction);
              running = undefined;
            }
          }
          expect(running).toBeUndefined();
          const done = [...endsOf(records)].filter(([, phases]) => phases.includes('done')).map(([id]) => id);
          const applied = records.flatMap((record) => (record.t === 'checkpoint' ? [record.compaction] : []));
          expect(applied).toEqual(done);
          const started = host.events('compaction.started').length;
          const ended = host.events('compaction.done').length + host.events('compaction.failed').length;
          expect(ended).toBe(started);

          // Turns open and close by turns; every request was whole.
          const phases = records.flatMap((record) => (record.t === 'turn' ? [record.phase] : []));
          expect(phases).toEqual(phases.map((_, index) => (index % 2 === 0 ? 'start' : 'end')));
          expect(checkIntegrity(session.get(CONTEXT).view().items())).toEqual([]);
          for (const { run } of stage.runs) expect((await run.outcome).outcome).toMatch(/finished|aborted|failed/);
        } finally {
          await host[Symbol.asyncDispose]();
        }
      }),
      { numRuns: 500 },
    );
  }, 240_000);
});
