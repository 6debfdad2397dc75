/** Faults of plugins that meet in one context, which users of similar tools reported, by the ids of `cases.json`. */
import { definePlugin, defineTool } from '../../core';
import type { NewItem, Plugin } from '../../core';
import { createScriptedModel, createSentinel, createTestAgent, extendsPrevious, userMessage } from '../../core/testing';
import type { ScriptedModel, TestAgent } from '../../core/testing';
import { prose } from '../support/context';
import { STOCK } from '../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../support/worker';
import type { ScriptedWorker } from '../support/worker';

interface Setting {
  readonly plugins: readonly Plugin[];
  readonly config: Readonly<Record<string, object>>;
  /** Tokens of what each call of the tool gives, one after another; the last word comes after them. */
  readonly results: readonly number[];
  /** What the results begin with, by their place. */
  readonly about?: (n: number) => string;
  readonly window?: number;
}

interface Place {
  readonly test: TestAgent;
  readonly model: ScriptedModel;
  readonly worker: ScriptedWorker;
}

/** One turn of an agent whose model calls a tool as often as there are results. */
async function inTurn(setting: Setting, use: (place: Place) => Promise<void>): Promise<void> {
  const { plugins, config, results, about = (n) => `part ${n}`, window = 200_000 } = setting;
  const worker = scriptedWorker(writing(summaryOf('Going on.')));
  let given = 0;
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: {},
    kind: 'read',
    run: () => {
      const n = given++;
      return { summary: `seen ${n}`, content: prose(results[n] ?? 0, about(n)) };
    },
  });
  const model = createScriptedModel({
    script: () => (given < results.length ? { calls: [{ name: 'look' }] } : 'Done.'),
    window,
    maxOutput: 4000,
  });
  await using test = await createTestAgent({ plugins: [...plugins, worker.plugin], config, model, tools: [look] });
  await use({ test, model, worker });
}

const sizes = ({ model }: Place): readonly number[] => model.requests.map(({ inputTokens }) => inputTokens);
const noPrune = { prune: { minSavings: 10_000_000 } };

describe('C53: the exception of one plugin silently stops all later plugins of that hook', () => {
  test('the request is still sent, with what the others put into it', async () => {
    const remark = (text: string): Plugin =>
      definePlugin({
        name: text,
        api: 1,
        setup: ({ hooks }) =>
          hooks.on('pre_llm_request', () => ({
            do: 'project',
            edits: [{ edit: 'insert', before: 'end', item: userMessage(text) }],
          })),
      });
    const broken = definePlugin({
      name: 'P2',
      api: 1,
      setup: ({ hooks }) => hooks.on('pre_llm_request', () => Promise.reject(new Error('boom'))),
    });
    const plugins = [remark('P1'), broken, remark('P3'), remark('P4')];
    await inTurn({ plugins: [...STOCK, ...plugins], config: {}, results: [] }, async ({ test, model }) => {
      const conversation = await test.agent.open();
      expect(await conversation.send('go').outcome).toMatchObject({ outcome: 'finished', text: 'Done.' });
      const said = model.requests[0]?.turns.flatMap(({ texts }) => texts);
      expect(said).toEqual(['go', 'P1', 'P3', 'P4']);
      expect(test.events('plugin.error')).toMatchObject([{ plugin: 'P2', hook: 'pre_llm_request' }]);
    });
  });
});

describe('C55: a later hook puts the history from before a compaction back, or the compacted one holds for one step', () => {
  const old = createSentinel('old');
  /** Reminds of how much there is, by the context that it is given. */
  const reminder = definePlugin({
    name: 'reminder',
    api: 1,
    after: ['compaction'],
    setup: ({ hooks }) =>
      hooks.on(
        'pre_llm_request',
        ({ context }) => {
          const entries = [...context.items()].map((item): NewItem['kind'] => item.kind).join(' ');
          return {
            do: 'project',
            edits: [{ edit: 'insert', before: 'end', item: userMessage(`Reminder of ${entries}.`) }],
          };
        },
        { order: 'last' },
      ),
  });

  test('later hooks get the compacted context, and it is the base of all later steps', async () => {
    const config = { compaction: { compactRequestThreshold: 20_000, retainedTokens: 2_000 }, ...noPrune };
    const results = [4_000, 17_000, 500, 500, 500, 500];
    const about = (n: number): string => (n === 0 ? old.text : `part ${n}`);
    await inTurn({ plugins: [...STOCK, reminder], config, results, about }, async (place) => {
      const conversation = await place.test.agent.open();
      expect(await conversation.send('go').outcome).toMatchObject({ outcome: 'finished' });
      expect(place.worker.jobs).toHaveLength(1);
      const { requests } = place.model;
      expect(requests).toHaveLength(7);
      expect(Math.max(...sizes(place))).toBeLessThan(20_000);
      for (const { turns } of requests) {
        const reminders = turns.flatMap(({ texts }) => texts).filter((text) => text.startsWith('Reminder of'));
        expect(reminders).toHaveLength(1);
      }
      expect(old.find(requests.slice(2).map(({ body }) => body))).toEqual([]);
    });
  });
});

describe('X41: the order of hooks depends on discovery or start-up timing', () => {
  test('two plugins that edit the same context give the same request, however long each takes to start', async () => {
    const bodies = new Set<string>();
    for (let run = 0; run < 50; run++) {
      const editor = (name: string, turns: number): Plugin =>
        definePlugin({
          name,
          api: 1,
          async setup({ hooks }) {
            for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
            hooks.on('pre_llm_request', () => ({
              do: 'project',
              edits: [{ edit: 'insert', before: 'end', item: userMessage(`by ${name}`) }],
            }));
          },
        });
      const plugins = [editor('one', run % 5), editor('two', (run * 3) % 7)];
      await inTurn({ plugins, config: {}, results: [20] }, async ({ test, model }) => {
        await (await test.agent.open()).send('go').outcome;
        bodies.add(JSON.stringify(model.requests.map(({ body }) => body)));
      });
    }
    expect(bodies.size).toBe(1);
  });
});

describe('X45: the budget is checked before the filter that removes tool output', () => {
  test.each([
    ['as they are listed', STOCK],
    ['in reverse', STOCK.toReversed()],
  ] as const)('the decision is taken on what is sent after pruning, with the plugins %s', async (_, plugins) => {
    const config = { compaction: { compactRequestThreshold: 90_000 }, prune: { protectedTokens: 44_000 } };
    await inTurn({ plugins, config, results: Array.from({ length: 19 }, () => 5_000) }, async (place) => {
      const conversation = await place.test.agent.open();
      expect(await conversation.send('go').outcome).toMatchObject({ outcome: 'finished' });
      expect([place.worker.jobs.length, place.test.events('run.parked')]).toEqual([0, []]);
      expect(place.test.events('prune.fired').length).toBeGreaterThan(0);
      expect(Math.max(...sizes(place))).toBeLessThan(90_000);
      expect(sizes(place).at(-1)).toBeLessThan(50_000);
    });
  });
});

describe('X46: a guard may veto compaction without limit', () => {
  const guardian = definePlugin({
    name: 'guardian',
    api: 1,
    setup: ({ hooks }) => hooks.on('pre_compact', () => ({ do: 'cancel', reason: 'the audit is not over' })),
  });

  test('it is heeded between turns; at the net the run ends by an error that names it, and nothing too large is sent', async () => {
    const config = {
      compaction: { compactThreshold: 10_000, compactRequestThreshold: 30_000, background: false },
      ...noPrune,
    };
    const setting: Setting = {
      plugins: [...STOCK, guardian],
      config,
      results: [11_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000],
      window: 40_000,
    };
    await inTurn(setting, async (place) => {
      const { test, worker } = place;
      const conversation = await test.agent.open();
      const end = await conversation.send('go').outcome;
      expect(end).toMatchObject({
        outcome: 'failed',
        error: { code: 'PITH_UNRECOVERABLE_OVERFLOW', plugin: 'guardian' },
      });
      expect(end.error?.message).toContain('the audit is not over');
      expect(worker.jobs).toEqual([]);
      expect(Math.max(...sizes(place))).toBeLessThanOrEqual(30_000);
      const vetoes = test.events('compaction.skipped');
      expect(vetoes.length).toBeGreaterThan(0);
      expect(vetoes.length).toBeLessThan(5);
      for (const { outcome, reason } of vetoes) {
        expect(outcome).toBe('cancelled');
        expect(reason).toContain('guardian');
        expect(reason).toContain('the audit is not over');
      }
    });
  });

  test('between turns the next prompt is answered as if nothing had been asked', async () => {
    const config = { compaction: { compactThreshold: 5_000, background: false }, ...noPrune };
    await inTurn({ plugins: [...STOCK, guardian], config, results: [6_000] }, async (place) => {
      const conversation = await place.test.agent.open();
      for (const prompt of ['go', 'and on', 'and on'])
        expect(await conversation.send(prompt).outcome).toMatchObject({ outcome: 'finished', text: 'Done.' });
      expect(place.worker.jobs).toEqual([]);
      expect(extendsPrevious(place.model.requests)).toEqual([]);
      expect(place.test.events('compaction.skipped')[0]).toMatchObject({ trigger: 'post_run' });
    });
  });
});
