import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { CLOCK, COMPACTION, definePlugin, defineTool } from '../../core';
import type { Bus, Channel, PluginContext } from '../../core';
import { agentHistory, checkLeaks, createScriptedModel, createTestAgent, createTestKernel } from '../../core/testing';
import type { Leak, Watched } from '../../core/testing';
import { stockPlugins } from '../../plugins';
import { STOCK } from '../support/kernel';

declare module '../../core' {
  interface EventMap {
    'leaks.told': { readonly n: number };
  }
}

const anything: Channel<object, object>['request'] = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as object }) },
};
const CHANNEL: Channel<object, object> = { subject: 'test.leaks', request: anything, reply: anything };

/** What a plugin leaves behind whose setup does this; `raw` is the bus as a host has it. */
function leaksOf(
  setup: (ctx: PluginContext & { readonly clock: Watched['clock'] }, raw: Bus) => void | Promise<void>,
  graceMs = 200,
): Promise<readonly Leak[]> {
  return checkLeaks(
    async (watched) => {
      const plugin = definePlugin({
        name: 'leaky',
        api: 1,
        needs: { clock: CLOCK },
        setup: (ctx) =>
          setup(Object.assign(Object.create(ctx) as PluginContext, { clock: watched.clock }), watched.bus),
      });
      await using test = await createTestKernel({ plugins: [plugin], ...watched });
      await test.openSession();
    },
    { graceMs },
  );
}

/** Undoes what a test leaves behind on purpose. */
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0)) await one();
});

describe('nothing is left behind by', () => {
  test('a kernel without plugins, and an agent', async () => {
    expect(await checkLeaks(async (watched) => (await createTestKernel(watched)).kernel.stop())).toEqual([
      { kind: 'observer', what: '*' },
    ]);
    const clean = async (watched: Watched): Promise<void> => {
      await using test = await createTestKernel(watched);
      await test.openSession(agentHistory({ turns: 2 }));
    };
    expect(await checkLeaks(clean)).toEqual([]);
  });

  test('the stock plugins after turns, a compaction and an abort', async () => {
    const plugins = await Promise.all(Object.values(stockPlugins).map((load) => load()));
    const look = defineTool({ name: 'look', description: '', input: {}, kind: 'read', run: () => 'seen' });
    const leaks = await checkLeaks(async (watched) => {
      const model = createScriptedModel({
        clock: watched.clock,
        script: (_, n) => (n === 0 ? { calls: [{ name: 'look' }] } : { text: 'Done.', delayMs: n > 1 ? 60_000 : 0 }),
      });
      await using test = await createTestAgent({ ...watched, plugins, model, tools: [look] });
      const conversation = await test.agent.open();
      expect(await conversation.send('go').outcome).toMatchObject({ outcome: 'finished' });
      const run = conversation.send('and on');
      await watched.clock.settle();
      run.abort('enough');
      expect(await run.outcome).toMatchObject({ outcome: 'aborted' });
    });
    expect(leaks).toEqual([]);
  });

  test('a compaction that is on its way when the kernel stops', async () => {
    const leaks = await checkLeaks(async (watched) => {
      await using test = await createTestKernel({ ...watched, plugins: STOCK });
      const session = await test.openSession(agentHistory({ turns: 30 }));
      const ended = test.kernel.get(COMPACTION).compact(session, { trigger: 'manual' });
      await test.kernel.stop();
      expect(await ended).toMatchObject({ outcome: 'cancelled' });
    });
    expect(leaks).toEqual([]);
  });

  test('a plugin that undoes what it did', async () => {
    const leaks = await leaksOf((ctx, raw) => {
      const timer = setInterval(() => undefined, 1000);
      const cancel = ctx.clock.after(1000, () => undefined);
      const stop = raw.on('leaks.told', () => undefined);
      const listener = (): void => undefined;
      process.on('SIGUSR2', listener);
      ctx.bus.on('leaks.told', () => undefined);
      ctx.bus.serve(CHANNEL, () => Promise.resolve({}));
      ctx.onDispose(() => {
        clearInterval(timer);
        cancel();
        stop();
        process.off('SIGUSR2', listener);
      });
    }, 1000);
    expect(leaks).toEqual([]);
  });

  test('a server that takes its time to close', async () => {
    const leaks = await leaksOf(async ({ onDispose }) => {
      const server = await listening();
      onDispose(() => void setImmediate(() => server.close()));
    }, 1000);
    expect(leaks).toEqual([]);
  });
});

describe('what is left behind is told', () => {
  test('an observer on the bus of the host, once for each', async () => {
    const leaks = await leaksOf((_, raw) => {
      raw.on('leaks.told', () => undefined);
      raw.on('leaks.told', () => undefined)();
      raw.onAny(() => undefined);
    });
    expect(leaks).toEqual([
      { kind: 'observer', what: 'leaks.told' },
      { kind: 'observer', what: '*' },
    ]);
  });

  test('a responder, and a request that nobody ends', async () => {
    const leaks = await leaksOf((_, raw) => {
      raw.serve(CHANNEL, () => new Promise(() => undefined));
    });
    expect(leaks).toEqual([{ kind: 'responder', what: 'test.leaks' }]);
    const asked = await checkLeaks(
      ({ bus }) => {
        undo.push(() => bus.close());
        bus.serve(CHANNEL, () => new Promise(() => undefined));
        bus.request(CHANNEL, {}, { deadlineMs: 60_000 }).catch(() => undefined);
        return Promise.resolve();
      },
      { graceMs: 0 },
    );
    expect(asked).toContainEqual({ kind: 'request', what: 'test.leaks' });
  });

  test('a timer of the clock', async () => {
    const leaks = await leaksOf(({ clock }) => {
      clock.after(5000, () => undefined);
      clock.after(10, () => undefined)();
    });
    expect(leaks).toEqual([{ kind: 'timer', what: '5000 ms' }]);
  });

  test('a timer of the system, and a server', async () => {
    const leaks = await leaksOf(async () => {
      const timer = setInterval(() => undefined, 1000);
      const server = await listening();
      undo.push(
        () => clearInterval(timer),
        () => server.close(),
      );
    });
    expect(leaks.map(({ kind, what }) => `${kind} ${what}`).sort()).toEqual(['handle TCPSERVERWRAP', 'handle Timeout']);
  });

  test('a listener of the process', async () => {
    const listener = (): void => undefined;
    undo.push(() => process.off('SIGUSR2', listener));
    const leaks = await leaksOf(() => void process.on('SIGUSR2', listener));
    expect(leaks).toContainEqual({ kind: 'listener', what: 'SIGUSR2' });
  });

  test('what the work throws is thrown', async () => {
    await expect(checkLeaks(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});

function listening(): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
