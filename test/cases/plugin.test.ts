/** Faults of plugin systems that users of similar tools reported, by the ids of `cases.json`. */
import fc from 'fast-check';
import { createKernel, createLocalBus, createSession, definePlugin } from '../../core';
import type { Kernel, LogEntry, NewItem, Plugin, PluginErrorEvent, Session } from '../../core';

const running: Kernel[] = [];
afterEach(async () => {
  for (const kernel of running.splice(0)) await kernel.stop();
});

async function started(plugins: readonly Plugin[]) {
  const [errors, log]: [PluginErrorEvent[], LogEntry[]] = [[], []];
  const bus = createLocalBus({ report: () => undefined });
  bus.on('plugin.error', (event) => errors.push(event));
  const kernel = await createKernel({ plugins, bus, log: { level: 'warn', write: (entry) => log.push(entry) } });
  running.push(kernel);
  return { kernel, bus, errors, log };
}

const session: Session = createSession({ id: 's', now: () => 0 });
const request = { role: 'main', session, context: {} as never, rebuilt: false, yields: 0 } as const;
const text = (words: string): NewItem => ({ kind: 'message', role: 'user', parts: [{ type: 'text', text: words }] });

describe('C53: the exception of one plugin silently stops all later plugins of that hook', () => {
  const variants: readonly (readonly [string, () => never | Promise<never>])[] = [
    [
      'synchronously',
      () => {
        throw new Error('boom');
      },
    ],
    ['asynchronously', () => Promise.reject(new Error('boom'))],
    [
      'with a value that is no error',
      () => {
        throw 'boom';
      },
    ],
  ];

  test.each(variants)(
    'P1, P3 and P4 run when P2 throws %s, and the failure is reported once with plugin and hook',
    async (_, fail) => {
      const calls: string[] = [];
      const plugins = ['P1', 'P2', 'P3', 'P4'].map((name) =>
        definePlugin({
          name,
          api: 1,
          setup: ({ hooks }) => hooks.on('pre_llm_request', () => (name === 'P2' ? fail() : void calls.push(name))),
        }),
      );
      const { kernel, errors, log } = await started(plugins);
      const { ended } = await kernel.dispatch('pre_llm_request', request);
      expect(calls).toEqual(['P1', 'P3', 'P4']);
      expect(ended).toBeUndefined();
      expect(errors).toMatchObject([
        { plugin: 'P2', hook: 'pre_llm_request', message: expect.stringContaining('boom') as string },
      ]);
      expect(log).toMatchObject([{ level: 'error', fields: { plugin: 'P2', hook: 'pre_llm_request' } }]);
    },
  );

  test.each(variants)('the same on an event of the bus: the others hear it when one throws %s', async (_, fail) => {
    const calls: string[] = [];
    const plugins = ['P1', 'P2', 'P3', 'P4'].map((name) =>
      definePlugin({
        name,
        api: 1,
        setup: ({ bus }) => void bus.on('tool.progress', () => (name === 'P2' ? fail() : calls.push(name)) as never),
      }),
    );
    const { bus } = await started(plugins);
    bus.publish('tool.progress', { sessionId: 's', role: 'main', callId: 'c', tool: 't', text: 'half' });
    await new Promise(setImmediate);
    expect(calls).toEqual(['P1', 'P3', 'P4']);
  });

  test('a veto is a result, not an exception', async () => {
    const veto = definePlugin({
      name: 'veto',
      api: 1,
      setup: ({ hooks }) => hooks.on('pre_llm_request', () => ({ do: 'abort', reason: 'no' })),
    });
    const { kernel, errors } = await started([veto]);
    expect((await kernel.dispatch('pre_llm_request', request)).ended).toEqual({
      plugin: 'veto',
      result: { do: 'abort', reason: 'no' },
    });
    expect(errors).toEqual([]);
  });
});

describe('X41: the order of hooks depends on discovery or start-up timing', () => {
  const names = ['first', 'second', 'third', 'fourth'];

  test('the same manifest gives the same sequence and the same prompt, however discovery and start are timed', async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(names, { minLength: 4 }),
        fc.array(fc.nat(4), { minLength: 4, maxLength: 4 }),
        async (discovery, delays) => {
          const calls: string[] = [];
          const found = new Map<string, Plugin>();
          for (const name of discovery) {
            const slow = delays[names.indexOf(name)] ?? 0;
            found.set(
              name,
              definePlugin({
                name,
                api: 1,
                ...(name === 'fourth' && { before: ['second'] }),
                async setup({ hooks }) {
                  for (let turn = 0; turn < slow; turn++) await new Promise(setImmediate);
                  hooks.on('prompt_submit', async ({ items }) => {
                    for (let turn = 0; turn < slow; turn++) await Promise.resolve();
                    calls.push(name);
                    return { do: 'revise', to: [...items, text(name)] };
                  });
                },
              }),
            );
          }
          const { kernel } = await started(names.map((name) => found.get(name) as Plugin));
          const { event } = await kernel.dispatch('prompt_submit', { role: 'main', session, items: [], opens: true });
          outcomes.add(JSON.stringify([calls, event.items]));
        },
      ),
      { numRuns: 50 },
    );
    expect([...outcomes].map((outcome) => (JSON.parse(outcome) as unknown[])[0])).toEqual([
      ['first', 'third', 'fourth', 'second'],
    ]);
  });

  test('a name that is listed twice is refused', async () => {
    const twin = () => definePlugin({ name: 'twin', api: 1, setup: () => undefined });
    await expect(started([twin(), twin()])).rejects.toMatchObject({
      code: 'PITH_PLUGIN_GRAPH',
      details: { faults: [{ kind: 'duplicate-plugin', plugin: 'twin' }] },
    });
  });
});

describe('X42: asynchronous handlers are fired and forgotten, and removing one during an emit skips others', () => {
  test('hooks are awaited in order, observers hear of them before, and a rejection is caught', async () => {
    const unhandled: unknown[] = [];
    const catcher = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', catcher);
    const order: string[] = [];
    const slow = (name: string, fails = false) =>
      definePlugin({
        name,
        api: 1,
        setup: ({ hooks }) =>
          hooks.on('post_run', async () => {
            order.push(`${name} begins`);
            for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
            order.push(`${name} ends`);
            if (fails) throw new Error('late');
          }),
      });
    const { kernel, bus, errors } = await started([slow('a'), slow('b', true), slow('c')]);
    bus.onAny((name) => {
      if (name === 'hook:post_run') order.push('wildcard');
    });
    await kernel.dispatch('post_run', { role: 'main', session, outcome: 'finished', context: {} as never });
    expect(order).toEqual(['wildcard', 'a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(errors).toMatchObject([{ plugin: 'b' }]);
    process.off('unhandledRejection', catcher);
    expect(unhandled).toEqual([]);
  });

  test('who hears an event is fixed when it is published, whatever its observers add and remove', () => {
    const bus = createLocalBus();
    const publish = (): void =>
      bus.publish('tool.progress', { sessionId: 's', role: 'main', callId: 'c', tool: 't', text: '' });
    const heard: string[] = [];
    const stops: (() => void)[] = [];
    stops[0] = bus.on('tool.progress', () => {
      heard.push('removes itself, the next and all');
      for (const stop of stops) stop();
      bus.on('tool.progress', () => heard.push('added'));
    });
    stops[1] = bus.on('tool.progress', () => heard.push('next'));
    stops[2] = bus.onAny(() => heard.push('wildcard'));
    publish();
    expect(heard.splice(0)).toEqual(['removes itself, the next and all', 'next', 'wildcard']);
    publish();
    expect(heard).toEqual(['added']);
  });
});
