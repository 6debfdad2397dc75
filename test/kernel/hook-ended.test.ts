import { createLocalBus, definePlugin, PithError } from '../../core';
import type { Hook, HookEndedEvent } from '../../core';
import { startKernel } from '../../core/kernel/kernel';

declare module '../../core' {
  interface HookMap {
    ended_step: Hook<typeof EVENT, { readonly do: 'stop' } | { readonly do: 'note' }>;
  }
}

type Handle = () => { readonly do: 'stop' } | { readonly do: 'note' } | undefined | Promise<undefined>;

/** Dispatches the step to one handler and returns what was told of its end. */
async function toldOf(handle: Handle, signal?: AbortSignal): Promise<readonly HookEndedEvent[]> {
  const told: HookEndedEvent[] = [];
  const bus = createLocalBus();
  bus.on('hook.ended', (event) => told.push(event));
  const plugin = definePlugin({
    name: 'handler',
    api: 1,
    setup({ hooks }) {
      hooks.define({ name: 'ended_step', onError: 'skip', may: ['stop', 'note'], ends: ['stop'] });
      hooks.on('ended_step', handle);
    },
  });
  await using kernel = await startKernel({ plugins: [plugin], bus, log: { level: 'error', write: () => undefined } });
  await kernel.dispatch('ended_step', EVENT, signal).catch(() => undefined);
  return told;
}

const EVENT = { role: 'main', session: { id: 's' }, text: 'what was said' };

describe('the end of a dispatch', () => {
  test('is told once, with whom it was about and what it took, and with nothing that was said', async () => {
    const [ended, ...more] = await toldOf(() => undefined);
    expect(more).toEqual([]);
    expect(ended).toMatchObject({ hook: 'ended_step', role: 'main', session: 's', failed: [] });
    expect(JSON.stringify(ended)).not.toContain(EVENT.text);
    expect(ended?.durationMs).toBeGreaterThanOrEqual(0);
    expect(ended).not.toHaveProperty('ended');
  });

  test('names the plugin that ended the chain, and nobody whose result did not', async () => {
    expect(await toldOf(() => ({ do: 'stop' }))).toMatchObject([{ ended: { plugin: 'handler', do: 'stop' } }]);
    expect((await toldOf(() => ({ do: 'note' })))[0]).not.toHaveProperty('ended');
  });

  test('names those that failed', async () => {
    const failing: Handle = () => Promise.reject(new Error('no'));
    expect(await toldOf(failing)).toMatchObject([{ failed: ['handler'] }]);
  });

  test('says why nothing came of it', async () => {
    const abort = new AbortController();
    const told = await toldOf(() => {
      abort.abort(new PithError('PITH_CANCELLED', 'enough'));
      return new Promise(() => undefined);
    }, abort.signal);
    expect(told).toMatchObject([{ failed: [], code: 'PITH_CANCELLED' }]);
  });
});
