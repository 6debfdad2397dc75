/** Whatever happens in whatever order: no message is lost, nothing is compacted twice at once, each start has one end. */
import fc from 'fast-check';
import { CONTEXT, createContext, drive, PithError, restoreSession } from '../../../core';
import type { ContextView, Driver, Session } from '../../../core';
import { assistant, call, prose, tokenizer } from '../../support/context';
import { agentHistory } from '../../../core/testing';
import { refusals } from '../../support/counter';
import { compact, start, STOCK, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { scriptedWorker, summaryOf } from '../../support/worker';

const SUMMARY = summaryOf('Something was done.');

type Ends = 'finishes' | 'fails' | 'is late' | 'says nothing' | 'hands in twice';

/** A step of the world: what the user, the agent, the workers and others do. */
const steps = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('prompt' as const), tokens: fc.integer({ min: 5, max: 1500 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('request' as const), tokens: fc.integer({ min: 5, max: 2500 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('worker' as const),
      how: fc.constantFrom<Ends>('finishes', 'fails', 'is late', 'says nothing', 'hands in twice'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('manual' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), item: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('overflow' as const) }) },
);
/** The context that another process would have. */
function restored(session: Session): ContextView {
  const log = JSON.parse(JSON.stringify([...session.records()])) as [];
  return createContext(restoreSession(log, {}), { tokenizer }).view();
}

type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

/** One session and all that acts on it. */
class World {
  readonly host: Host;
  readonly session: Session;
  readonly driver: Driver;
  readonly #jobs: { end(how: Ends): void }[];
  readonly #prompts: string[] = [];
  #request: Promise<unknown> | undefined;
  #manual: Promise<unknown>[] = [];
  #nth = 0;

  constructor(host: Host, jobs: { end(how: Ends): void }[]) {
    this.host = host;
    this.session = host.open(agentHistory({ turns: 3, requests: 3, resultTokens: 250 }));
    this.driver = drive(host.kernel, this.session, { tools: [] });
    this.#jobs = jobs;
  }

  async act(step: Step): Promise<void> {
    const { host, session, driver } = this;
    switch (step.do) {
      case 'prompt': {
        const text = `<prompt-${this.#nth++}> ${prose(step.tokens)}`;
        await driver.prompt(text);
        if (!driver.joining) this.#prompts.push(text);
        break;
      }
      case 'request':
        if (session.turnOpen && this.#request === undefined) this.#begin(this.#requestWith(step.tokens));
        break;
      case 'overflow':
        if (session.turnOpen && this.#request === undefined)
          this.#begin(driver.beforeRequest(new PithError('PITH_LLM_OVERFLOW', 'too long')));
        break;
      case 'end':
        if (session.turnOpen && this.#request === undefined) await driver.end('finished');
        break;
      case 'abort':
        if (session.turnOpen) {
          driver.abort();
          await host.clock.settle();
          await driver.end('aborted');
        }
        break;
      case 'worker':
        if (step.how === 'is late') await host.clock.advance(60_000);
        this.#jobs.shift()?.end(step.how);
        break;
      case 'undo':
        session.undoCompaction();
        break;
      case 'manual':
        this.#manual.push(compact(host, session));
        break;
      case 'edit': {
        const { length } = view(session);
        const item = length === 0 ? undefined : view(session).at(step.item % length);
        if (item?.kind === 'tool_result')
          session.get(CONTEXT).keep([{ edit: 'content', item: item.id, text: null }], 'somebody');
      }
    }
    await host.clock.settle();
  }

  /** Lets time pass only where somebody waits for it, as the end of a turn may for a worker. */
  async live(acting: Promise<void>): Promise<void> {
    let isOver = false;
    const over = acting.finally(() => (isOver = true));
    await this.host.clock.settle();
    await this.host.clock.settle();
    if (!isOver) await this.host.clock.advance(120_000);
    await over;
  }

  /** Lets everything come to its end and closes the session. */
  async close(): Promise<void> {
    await this.driver.close();
    for (const job of this.#jobs.splice(0)) job.end('finishes');
    await this.host.clock.settle();
    await Promise.all(this.#manual);
    await this.#request?.catch(() => undefined);
  }

  check(context: ContextView): void {
    const { host, session } = this;
    const started = host.events('compaction.started').map(({ compaction }) => compaction);
    const done = host.events('compaction.done').map(({ compaction }) => compaction);
    const failed = host.events('compaction.failed').map(({ compaction }) => compaction);
    const ended = [...done, ...failed];
    expect(new Set(started).size).toBe(started.length);
    expect(new Set(ended).size).toBe(ended.length);
    expect(ended.filter((one) => !started.includes(one))).toEqual([]);
    expect(started.length - ended.length).toBeLessThanOrEqual(1);
    const checkpoints = [...session.records()].flatMap((record) => (record.t === 'checkpoint' ? [record] : []));
    expect(checkpoints.map(({ compaction }) => compaction)).toEqual(done);
    if (context.length > 0) expect(refusals(context)).toEqual([]);
    expect(restored(session).digest).toBe(context.digest);
    const cut = checkpoints.at(-1)?.cut ?? 0;
    const said = JSON.stringify([...session.items(0, cut), ...context.items()]);
    for (const prompt of this.#prompts) expect(said).toContain(prompt.slice(0, prompt.indexOf('>') + 1));
  }

  get unended(): number {
    const { host } = this;
    return (
      host.events('compaction.started').length -
      host.events('compaction.done').length -
      host.events('compaction.failed').length
    );
  }

  #begin(request: Promise<unknown>): void {
    this.#request = request.catch(() => undefined).finally(() => (this.#request = undefined));
  }

  async #requestWith(tokens: number): Promise<void> {
    await this.driver.beforeRequest();
    const callId = `call-${this.#nth++}`;
    const [admitted] = await this.driver.afterReply({ items: [assistant('I look.'), call(callId)] });
    if (admitted !== undefined)
      await this.driver.toolCall(admitted, () => ({ summary: 'seen', content: prose(tokens) }));
  }
}

async function inWorld(config: Readonly<Record<string, object>>, use: (world: World) => Promise<void>): Promise<void> {
  const jobs: { end(how: Ends): void }[] = [];
  const worker = scriptedWorker(async (desk, _job, signal) => {
    const how = await new Promise<Ends>((resolve) => jobs.push({ end: resolve }));
    if (how === 'fails') throw new Error('no luck');
    if (how === 'says nothing') return;
    await desk.call('write_summary', { text: SUMMARY }, signal);
    if (how === 'hands in twice') await desk.call('write_summary', { text: SUMMARY }, signal);
  });
  await using host = await start({ plugins: [...STOCK, worker.plugin], config });
  await use(new World(host, jobs));
}

describe('for any interleaving of prompts, requests, workers, undos and others', () => {
  test.each([
    ['in the background', { background: true }],
    ['in the background, without a fallback', { background: true, fallback: 'none' }],
    ['while somebody waits', { background: false }],
  ])('%s: nothing is lost, nothing is doubled, and the state is all old or all new', async (_, mode) => {
    const config = {
      compaction: {
        compactThreshold: 3000,
        compactRequestThreshold: 5000,
        retainedTokens: 400,
        workerTimeoutSeconds: 30,
        netWaitSeconds: 10,
        breakerFailures: 3,
        ...mode,
      },
      prune: { protectedTokens: 1500, minSavings: 1000 },
    };
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 40, size: 'max' }), async (course) => {
        await inWorld(config, async (world) => {
          for (const step of course) {
            await world.live(world.act(step));
            world.check(view(world.session));
          }
          await world.live(world.close());
          world.check(restored(world.session));
          expect(world.unended).toBe(0);
        });
      }),
      { numRuns: 20 },
    );
  });
});
