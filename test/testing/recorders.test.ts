import { createKernel, createLocalBus, createSession, definePlugin } from '../../core';
import type { Plugin } from '../../core';
import { createTestKernel, recordBus, recordHooks, userMessage } from '../../core/testing';

declare module '../../core' {
  interface EventMap {
    'recorders.counted': { readonly n: number };
  }
}

const appending = (name: string, text: string): Plugin =>
  definePlugin({
    name,
    api: 1,
    setup: ({ hooks }) =>
      hooks.on('prompt_submit', ({ items }) => ({ do: 'revise', to: [...items, userMessage(text)] })),
  });
const session = createSession({ id: 's', now: () => 0 });
const prompt = { role: 'main', session, items: [], opens: true } as const;

describe('the recorder of a bus', () => {
  test('keeps events and hooks of any kernel in order, until it is stopped', async () => {
    const bus = createLocalBus();
    const recorder = recordBus(bus);
    await using kernel = await createKernel({ plugins: [appending('one', 'one')], bus });
    bus.publish('recorders.counted', { n: 1 });
    await kernel.dispatch('prompt_submit', prompt);
    expect(recorder.heard.map(({ name }) => name)).toEqual(['recorders.counted', 'hook:prompt_submit']);
    expect(recorder.events('recorders.counted')).toEqual([{ n: 1 }]);
    expect(recorder.hooks('prompt_submit')).toEqual([prompt]);
    recorder.stop();
    bus.publish('recorders.counted', { n: 2 });
    expect(recorder.events('recorders.counted')).toHaveLength(1);
    expect(bus.hears('recorders.counted')).toBe(false);
  });

  test('waits for what comes next, of an event or of a hook, once', async () => {
    await using test = await createTestKernel();
    const { bus } = test.kernel;
    bus.publish('recorders.counted', { n: 0 });
    const [next, third] = [test.next('recorders.counted'), test.next('recorders.counted', ({ n }) => n === 3)];
    const asked = test.next('hook:prompt_submit');
    for (const n of [1, 2, 3, 4]) bus.publish('recorders.counted', { n });
    await test.kernel.dispatch('prompt_submit', prompt);
    expect(await Promise.all([next, third, asked])).toEqual([{ n: 1 }, { n: 3 }, prompt]);
  });
});

describe('the recorder of hooks', () => {
  test('hears an event as the other plugins left it, of every role', async () => {
    const recorder = recordHooks('prompt_submit', 'post_run');
    await using test = await createTestKernel({
      plugins: [appending('one', 'one'), appending('two', 'two'), recorder.plugin],
    });
    await test.kernel.dispatch('prompt_submit', prompt);
    await test.kernel.dispatch('post_run', {
      role: 'compact-worker',
      session,
      outcome: 'finished',
      context: {} as never,
    });
    expect(recorder.of('prompt_submit').map(({ items }) => items)).toEqual([[userMessage('one'), userMessage('two')]]);
    expect(recorder.of('post_run')).toMatchObject([{ role: 'compact-worker', outcome: 'finished' }]);
    expect(recorder.of('session_end')).toEqual([]);
    expect(test.hooks('prompt_submit')[0]?.items).toEqual([]);
  });

  test('does not hear what a plugin before it has ended', async () => {
    const recorder = recordHooks('prompt_submit');
    const veto = definePlugin({
      name: 'veto',
      api: 1,
      setup: ({ hooks }) => hooks.on('prompt_submit', () => ({ do: 'abort', reason: 'no' })),
    });
    await using test = await createTestKernel({ plugins: [veto, recorder.plugin] });
    expect((await test.kernel.dispatch('prompt_submit', prompt)).ended?.plugin).toBe('veto');
    expect(recorder.of('prompt_submit')).toEqual([]);
  });
});
