/** A failing, slow or malformed plugin never changes what the others would have done (S3.6). */
import fc from 'fast-check';
import { definePlugin, defineTool } from '../../core';
import type { HookName, NewItem, Plugin } from '../../core';
import { createScriptedModel, createTestAgent, reasoning, toolCall, toolResult, userMessage } from '../../core/testing';
import type { SeenRequest } from '../../core/testing';
import { start } from './kernels';
import type { StepResult } from './kernels';
import { HANDLER_MS, MISBEHAVIOURS } from './misbehaviour';
import type { Misbehaviour } from './misbehaviour';
import { inVirtualTime, pumped, wait } from './virtual-time';

inVirtualTime();

/** Where a handler stands among the others. */
const order = fc.constantFrom(undefined, 'first' as const, 'last' as const);

describe('a hook of a kernel', () => {
  /** Outcomes that this hook takes for wrong, beside what is wrong in any. */
  const wrong: Readonly<Record<string, Misbehaviour>> = {
    ...MISBEHAVIOURS,
    'returns an outcome that its hook refuses': () => ({ do: 'add', text: 'forbidden' }),
    'returns an outcome that cannot be applied': () => ({ do: 'add', text: 'unfit' }),
    'promises an outcome that cannot be applied': () => Promise.resolve({ do: 'add', text: 'unfit' }),
  };

  interface Part {
    readonly order: 'first' | 'last' | undefined;
    readonly does: { readonly good: StepResult | undefined; readonly ms: number } | { readonly bad: string };
  }

  const good = fc.record({
    good: fc.constantFrom<StepResult | undefined>(
      undefined,
      { do: 'add', text: 'x' },
      { do: 'add', text: 'y' },
      { do: 'add', text: 'z' },
      { do: 'stop', why: 'enough' },
    ),
    ms: fc.constantFrom(0, 0, 20, 60),
  });
  const bad = fc.record({ bad: fc.constantFrom(...Object.keys(wrong)) });
  const parts = fc.array(fc.record({ order, does: fc.oneof(good, bad) }), { minLength: 1, maxLength: 6 });

  /** What the good ones see and do, and what comes of it; each failure by its plugin. */
  async function dispatched(list: readonly (Part & { readonly name: string })[]): Promise<{
    readonly outcome: unknown;
    readonly failed: readonly string[];
    readonly reported: readonly string[];
  }> {
    const seen: unknown[] = [];
    const plugins = list.map(({ name, order: asked, does }) =>
      definePlugin({
        name,
        api: 1,
        setup: ({ hooks }) =>
          hooks.on(
            'test_step',
            async function handle(event): Promise<StepResult | undefined> {
              if ('bad' in does) return (await (wrong[does.bad] as Misbehaviour)({ do: 'stop', why: 'late' })) as never;
              seen.push([name, event.text]);
              if (does.ms > 0) await wait(does.ms);
              return does.good;
            },
            { deadlineMs: HANDLER_MS, ...(asked !== undefined && { order: asked }) },
          ),
      }),
    );
    const { kernel, errors } = await start({ plugins });
    const { event, results, ended, errors: failures } = await pumped(kernel.dispatch('test_step', { text: '' }));
    return {
      outcome: { seen, event, results, ended },
      failed: failures.map(({ plugin }) => plugin),
      reported: errors.map(({ plugin }) => plugin),
    };
  }

  it('gives the others the same events and the same end, and tells each failure once', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (list) => {
        const named = list.map((part, at) => ({ ...part, name: `p${at}` }));
        const all = await dispatched(named);
        const alone = await dispatched(named.filter(({ does }) => 'good' in does));
        expect(all.outcome).toEqual(alone.outcome);
        expect(all.reported).toEqual(all.failed);
        expect(new Set(all.failed).size).toBe(all.failed.length);
        const blamed = named.filter(({ name }) => all.failed.includes(name));
        expect(blamed.every(({ does }) => 'bad' in does)).toBe(true);
        if (!named.some(({ does }) => 'good' in does && does.good?.do === 'stop'))
          expect(blamed).toHaveLength(named.filter(({ does }) => 'bad' in does).length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a turn of an agent', () => {
  const HOOKS: readonly HookName[] = [
    'session_start',
    'prompt_submit',
    'pre_llm_request',
    'post_llm_response',
    'pre_tool_call',
    'post_tool_call',
    'post_run',
    'session_end',
  ];

  /** Outcomes that some hooks of the loop take, with fields that break something. */
  const wrong: Readonly<Record<string, Misbehaviour>> = {
    ...MISBEHAVIOURS,
    'appends what is no list': () => ({ do: 'append', items: 'all' }),
    'edits what is no list': () => ({ do: 'project', edits: 'all' }),
    'drops what is not there': () => ({ do: 'project', edits: [{ edit: 'drop', item: 'nowhere' }] }),
    'inserts a result without a call': () => ({
      do: 'project',
      edits: [{ edit: 'insert', before: 'end', item: toolResult('nobody', 'made up') }],
    }),
    'keeps an edit that breaks the context': () => ({
      do: 'project',
      keep: true,
      edits: [{ edit: 'insert', before: 'end', item: toolResult('nobody', 'made up') }],
    }),
    'revises to nothing': () => ({ do: 'revise' }),
    'denies without a word': () => ({ do: 'deny' }),
    'reminds of a number': () => ({ do: 'remind', text: 7 }),
    'asks again with no list': () => ({ do: 'again', items: 7 }),
    'parks the run for nothing': () => ({ do: 'yield', reason: 'wait' }),
    'aborts without a reason': () => ({ do: 'abort' }),
    'appends what is no item': () => ({ do: 'append', items: [{ kind: 'thought' }] }),
    'appends a result without a call': () => ({ do: 'append', items: [toolResult('nobody', 'made up')] }),
    'appends a call without a result': () => ({ do: 'append', items: [toolCall('mine', 'echo')] }),
    'appends arguments that are no JSON': () => ({
      do: 'append',
      items: [toolCall('mine', 'echo', { n: 10n } as never), toolResult('mine', 'made up')],
    }),
    'appends a function for an argument': () => ({
      do: 'append',
      items: [toolCall('mine', 'echo', (() => 1) as never), toolResult('mine', 'made up')],
    }),
    'appends data of a provider that is no JSON': () => ({
      do: 'append',
      items: [{ ...userMessage('Hm.'), provider: { at: new Map() } }],
    }),
    'appends reasoning that belongs to nothing': () => ({ do: 'append', items: [reasoning('So be it.')] }),
    'asks again with a result without a call': () => ({ do: 'again', items: [toolResult('nobody', 'made up')] }),
  };

  /** Values are arguments and results as well, so these are wrong for prompts alone. */
  const wrongPrompts: Readonly<Record<string, Misbehaviour>> = {
    'revises to what is no item': () => ({ do: 'revise', to: [{ kind: 'thought' }] }),
  };

  const remark = (text: string): NewItem => userMessage(text);

  /** Plugins that do their work in every hook. */
  const good: readonly Plugin[] = [
    definePlugin({
      name: 'reminder',
      api: 1,
      setup({ hooks }) {
        hooks.on('session_start', () => ({ do: 'append', items: [remark('The house has rules.')] }));
        hooks.on('pre_llm_request', ({ context }) => ({
          do: 'project',
          edits: [{ edit: 'insert', before: 'end', item: remark(`There are ${context.length} entries.`) }],
        }));
        hooks.on('post_tool_call', ({ result }) => ({ do: 'remind', text: `That was: ${result.summary}` }));
      },
    }),
    definePlugin({
      name: 'reviser',
      api: 1,
      setup({ hooks }) {
        let runs = 0;
        hooks.on('prompt_submit', ({ items }) => ({ do: 'revise', to: [...items, remark('Be brief.')] }));
        hooks.on('pre_tool_call', async ({ arguments: args }) => {
          await wait(20);
          return { do: 'revise', to: { of: args } };
        });
        hooks.on('post_run', () => (runs++ === 0 ? { do: 'again', items: [remark('Once more.')] } : undefined));
      },
    }),
  ];

  interface Bad {
    readonly hook: HookName;
    readonly does: string;
    readonly order: 'first' | 'last' | undefined;
    /** Whether it stands before, between or behind the good ones. */
    readonly place: number;
  }
  const bad = fc.record<Bad>({
    hook: fc.constantFrom(...HOOKS),
    does: fc.constantFrom(...Object.keys(wrong)),
    order,
    place: fc.nat(good.length),
  });

  function pluginOf({ hook, does, order: asked }: Bad, name: string): Plugin {
    return definePlugin({
      name,
      api: 1,
      setup: ({ hooks }) =>
        hooks.on(hook, () => ({ ...wrong, ...wrongPrompts })[does]?.({ do: 'abort', reason: 'late' }) as never, {
          onError: 'skip',
          deadlineMs: HANDLER_MS,
          ...(asked !== undefined && { order: asked }),
        }),
    });
  }

  /** Everything that came of two turns: requests to the byte, the log, what was told. */
  async function turns(list: readonly Bad[]): Promise<{ readonly whole: unknown; readonly failed: readonly string[] }> {
    const plugins = [...good.keys(), good.length].flatMap((place) => [
      ...list.flatMap((one, at) => (one.place === place ? [pluginOf(one, `bad-${at}`)] : [])),
      ...good.slice(place, place + 1),
    ]);
    const model = createScriptedModel({
      script: (_: SeenRequest, n: number) => (n % 3 === 2 ? 'Done.' : { calls: [{ name: 'echo', arguments: { n } }] }),
    });
    const echo = defineTool({
      name: 'echo',
      description: 'Echoes.',
      input: {},
      kind: 'read',
      run: (args) => JSON.stringify(args),
    });
    await using test = await createTestAgent({ plugins, model, tools: [echo], system: 'You help.' });
    const conversation = await pumped(test.agent.open());
    const outcomes = [];
    for (const prompt of ['go', 'on']) outcomes.push(await pumped(conversation.send(prompt).outcome));
    await pumped(conversation.close());
    const told = test.heard.filter(({ name }) => name !== 'plugin.error');
    return {
      whole: {
        outcomes,
        requests: model.requests.map(({ body, violations }) => ({ body, violations })),
        records: [...conversation.session.records()],
        told: told.map(({ name }) => name),
      },
      failed: test.events('plugin.error').map(({ plugin }) => plugin),
    };
  }

  it('is the same to the byte whatever other plugins do wrong, and every failure has its event', async () => {
    const undisturbed = (await turns([])).whole;
    await fc.assert(
      fc.asyncProperty(fc.array(bad, { minLength: 1, maxLength: 4 }), async (list) => {
        const { whole, failed } = await turns(list);
        expect(whole).toEqual(undisturbed);
        expect(new Set(failed)).toEqual(new Set(list.map((_, at) => `bad-${at}`)));
      }),
      { numRuns: 100 },
    );
  });

  it.each(HOOKS)('is the same whatever goes wrong in %s, each thing once', async (hook) => {
    const undisturbed = (await turns([])).whole;
    for (const does of Object.keys(wrong)) {
      const { whole, failed } = await turns([{ hook, does, order: undefined, place: 0 }]);
      expect([does, whole]).toEqual([does, undisturbed]);
      expect([does, new Set(failed)]).toEqual([does, new Set(['bad-0'])]);
    }
  });

  it('is the same when a handler revises the prompt to what is no item', async () => {
    const undisturbed = (await turns([])).whole;
    const does = 'revises to what is no item';
    const { whole, failed } = await turns([{ hook: 'prompt_submit', does, order: undefined, place: 0 }]);
    expect(whole).toEqual(undisturbed);
    expect(failed).toContain('bad-0');
  });
});
