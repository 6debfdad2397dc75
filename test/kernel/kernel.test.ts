import type { Bus } from '../../core/bus/bus';
import { createLocalBus } from '../../core/bus/local-bus';
import { definePlugin } from '../../core/kernel/plugin';
import { defaultService } from '../../core/kernel/services';
import { LOG_SINK } from '../../core/kernel/logger';
import type { LogEntry } from '../../core/kernel/logger';
import { startKernel } from '../../core/kernel/kernel';
import type { ContributionKind } from '../../core/kernel/contributions';
import type { PluginContext } from '../../core/kernel/plugin';
import { createSessionToken, createToken, optional } from '../../core/kernel/token';
import { listening, never, plugin, rejection, start, STEP } from './kernels';

const T = createToken<string>('test/t');
const U = createToken<string>('test/u');

const WORDS: ContributionKind<string> = {
  name: 'words',
  open: (add) => ({ add: (word: string) => add(word.toLowerCase(), word) }),
};
const wordsOf = (ctx: PluginContext) => (ctx as unknown as { words: { add(word: string): void } }).words;

describe('starting', () => {
  it('sets plugins up one after another in their order', async () => {
    const calls: string[] = [];
    const slow = (name: string) =>
      plugin(name, async () => {
        calls.push(`${name} begins`);
        await new Promise(setImmediate);
        calls.push(`${name} ends`);
      });
    await start({ plugins: [slow('b'), slow('a')] });
    expect(calls).toEqual(['b begins', 'b ends', 'a begins', 'a ends']);
  });

  it('takes a module for the plugin that it exports as its default, however imports have wrapped it', async () => {
    const calls: string[] = [];
    const named = (name: string) => plugin(name, () => void calls.push(name));
    await start({ plugins: [{ default: named('a') }, { default: { default: named('b') } }, named('c')] });
    expect(calls).toEqual(['a', 'b', 'c']);
    const error = await rejection(start({ plugins: [{ default: {} } as never] }));
    expect(error).toMatchObject({ code: 'PITH_PLUGIN_GRAPH', details: { faults: [{ kind: 'not-a-plugin' }] } });
  });

  it('starts nobody where there are faults, and names all of them at once', async () => {
    let ran = false;
    const config = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => ({ issues: [{ message: 'too small', path: ['limit'] }] }),
      },
    } as const;
    const plugins = [
      plugin('a', () => void (ran = true), { needs: { t: T } }),
      plugin('b', undefined, { config, section: 'shared' }),
      plugin('c', undefined, { after: ['d'], config }),
      plugin('d', undefined, { after: ['c'] }),
    ];
    const faults = [
      { kind: 'unknown-plugin', plugin: 'trackr', message: 'No plugin "trackr".', hint: 'Did you mean "tracker"?' },
    ] as const;
    const error = await rejection(start({ plugins, faults }));
    expect(error).toMatchObject({
      code: 'PITH_PLUGIN_GRAPH',
      details: {
        faults: [
          { kind: 'unknown-plugin', plugin: 'trackr' },
          { kind: 'missing-need', plugin: 'a' },
          { kind: 'cycle', plugins: ['c', 'd', 'c'] },
          { kind: 'config', plugin: 'b', about: 'shared.limit' },
          { kind: 'config', plugin: 'c', about: 'c.limit' },
        ],
      },
    });
    expect(ran).toBe(false);
  });

  it('stops those already started when a setup throws, and names the plugin and the cause', async () => {
    const calls: string[] = [];
    const good = plugin('good', ({ onDispose, signal }) =>
      onDispose(() => void calls.push(`good stops, ${String(signal.aborted)}`)),
    );
    const cause = new Error('no such host');
    for (const setup of [
      () => {
        throw cause;
      },
      () => Promise.reject(cause),
    ]) {
      const bad = plugin('bad', (ctx) => {
        ctx.onDispose(() => void calls.push('bad stops'));
        return setup() as never;
      });
      const error = await rejection(start({ plugins: [good, bad, plugin('later', () => void calls.push('later'))] }));
      expect(error).toMatchObject({ code: 'PITH_PLUGIN_SETUP', plugin: 'bad', cause });
      expect(error.message).toContain('The setup of plugin "bad" failed: no such host');
    }
    expect(calls).toEqual(['bad stops', 'good stops, true', 'bad stops', 'good stops, true']);
  });

  it('fails with the error of the setup also where stopping fails, which is reported', async () => {
    const bad = plugin('bad', ({ onDispose }) => {
      onDispose(() => Promise.reject(new Error('stuck')));
      throw new Error('boom');
    });
    const heard = listening({ plugins: [bad] });
    expect(await rejection(startKernel(heard.options))).toMatchObject({ code: 'PITH_PLUGIN_SETUP' });
    expect(heard.errors).toMatchObject([{ plugin: 'bad', code: 'PITH_PLUGIN_STOP', hook: undefined }]);
  });

  it('gives each setup a deadline that names the plugin, and lets nothing be registered later', async () => {
    let late: () => void = () => undefined;
    const thrown: unknown[] = [];
    const calls: string[] = [];
    const slow = plugin('slow', async ({ hooks, onDispose }) => {
      await new Promise<void>((resolve) => (late = resolve));
      onDispose(() => void calls.push('disposed at once'));
      try {
        hooks.on('test_step', () => undefined);
      } catch (error) {
        thrown.push(error);
      }
    });
    const error = await rejection(start({ plugins: [slow], setupDeadlineMs: 10 }));
    expect(error).toMatchObject({ code: 'PITH_PLUGIN_SETUP', plugin: 'slow' });
    expect(error.message).toContain('did not end within 10 ms');
    late();
    await new Promise(setImmediate);
    expect(thrown).toMatchObject([{ code: 'PITH_SETUP_OVER', plugin: 'slow' }]);
    expect(calls).toEqual(['disposed at once']);
  });

  it('refuses whatever is registered after setup', async () => {
    let ctx = undefined as unknown as PluginContext;
    const keeps = plugin(
      'keeps',
      (given) => {
        ctx = given;
        given.provide(T, () => 'x');
      },
      { provides: [T] },
    );
    await start({ plugins: [keeps], kinds: [WORDS] });
    const attempts: [string, () => void][] = [
      ['hooks.on', () => ctx.hooks.on('test_step', () => undefined)],
      ['hooks.define', () => ctx.hooks.define(STEP)],
      ['provide', () => ctx.provide(T, () => 'y')],
      ['words.add', () => wordsOf(ctx).add('late')],
    ];
    for (const [what, attempt] of attempts) {
      expect(attempt).toThrow(
        expect.objectContaining({
          code: 'PITH_SETUP_OVER',
          plugin: 'keeps',
          message: expect.stringContaining(what) as string,
        }),
      );
    }
  });

  it('says which declared tokens a setup did not provide, all at once, and stops the others', async () => {
    const calls: string[] = [];
    const forgets = plugin('forgets', undefined, { provides: [T], replaces: [U] });
    const user = plugin('user', () => void calls.push('user'), { needs: { t: T } });
    const other = plugin('other', ({ onDispose }) => onDispose(() => void calls.push('other stops')));
    const error = await rejection(start({ plugins: [forgets, user, other] }));
    expect(error).toMatchObject({
      code: 'PITH_PLUGIN_GRAPH',
      details: {
        faults: [
          {
            kind: 'not-provided',
            plugin: 'forgets',
            about: 'test/t',
            hint: expect.stringContaining('ctx.provide') as string,
          },
          { kind: 'not-provided', plugin: 'forgets', about: 'test/u' },
        ],
      },
    });
    expect(error.message).toContain('Plugin "forgets" declares "test/t" and does not provide it.');
    expect(calls).toEqual(['other stops']);
  });

  it('lets a plugin provide only what it declares, and once', async () => {
    const undeclared = plugin('a', ({ provide }) => provide(T, () => 'x'));
    expect((await rejection(start({ plugins: [undeclared] }))).message).toContain('does not declare it');
    const twice = plugin(
      'a',
      ({ provide }) => {
        provide(T, () => 'x');
        provide(T, () => 'x');
      },
      { provides: [T] },
    );
    expect((await rejection(start({ plugins: [twice] }))).message).toContain('provided it already');
  });
});

describe('the context of a plugin', () => {
  it('cannot be changed', async () => {
    let ctx: object = {};
    await start({ plugins: [plugin('a', (given) => void (ctx = given), { needs: { t: optional(T) } })] });
    expect(Object.isFrozen(ctx)).toBe(true);
    expect(Object.isFrozen((ctx as PluginContext).needs)).toBe(true);
    expect(Object.isFrozen((ctx as PluginContext).hooks)).toBe(true);
  });

  it('has the services behind the needs, and undefined where an optional one is not served', async () => {
    const S = createSessionToken<number>('test/s');
    const R = createSessionToken<number>('test/r');
    const needs: unknown[] = [];
    const user = plugin('user', (ctx) => void needs.push(ctx.needs), {
      needs: { t: T, u: optional(U), s: S, r: optional(R), again: optional(T) },
    });
    const server = plugin(
      'server',
      ({ provide }) => {
        provide(T, () => 'served');
        provide(S, () => 1);
      },
      { provides: [T, S] },
    );
    await start({ plugins: [user, server] });
    expect(needs).toEqual([{ t: 'served', u: undefined, s: S, r: undefined, again: 'served' }]);
  });

  it('logs with its name', async () => {
    const { log } = await start({ plugins: [plugin('a', ({ log: own }) => own.info('hello', { n: 1 }))] });
    expect(log).toEqual([{ level: 'info', message: 'hello', fields: { plugin: 'a', n: 1 } }]);
  });

  it('has a bus on which nothing of the plugin stays when it stops', async () => {
    const bus = createLocalBus();
    const heard: unknown[] = [];
    const any = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
    const channel = { subject: 'test.channel', request: any, reply: any };
    const { kernel } = await start({
      bus,
      plugins: [
        plugin('a', (ctx) => {
          ctx.bus.on('hook:test_step', () => heard.push('on'));
          ctx.bus.onAny((name) => heard.push(`any ${name}`));
          ctx.bus.onAny(() => heard.push('gone'))();
          ctx.bus.serve(channel, async (body) => body);
          void ctx.bus.serve({ ...channel, subject: 'test.gone' }, async (body) => body)[Symbol.asyncDispose]();
        }),
      ],
    });
    await kernel.dispatch('test_step', { text: '' });
    expect(heard).toEqual(['on', 'any hook:test_step']);
    expect(await bus.request(channel, 1, { deadlineMs: 1000 })).toBe(1);
    expect(await rejection(bus.request({ ...channel, subject: 'test.gone' }, 1, { deadlineMs: 1000 }))).toMatchObject({
      code: 'PITH_BUS_NO_RESPONDER',
    });
    await kernel.stop();
    bus.topic('hook:test_step', () => undefined)({ text: '' });
    expect(heard).toEqual(['on', 'any hook:test_step']);
    expect(await rejection(bus.request(channel, 1, { deadlineMs: 1000 }))).toMatchObject({
      code: 'PITH_BUS_NO_RESPONDER',
    });
  });

  it('has what rooms let plugins contribute, in the order of the start', async () => {
    const { kernel } = await start({
      kinds: [WORDS],
      plugins: [
        plugin('a', (ctx) => wordsOf(ctx).add('Two')),
        plugin('b', (ctx) => wordsOf(ctx).add('One'), { before: ['a'] }),
      ],
    });
    expect(kernel.contributions(WORDS)).toEqual([
      { plugin: 'b', key: 'one', value: 'One' },
      { plugin: 'a', key: 'two', value: 'Two' },
    ]);
    expect(kernel.contributions({ ...WORDS, name: 'others' })).toEqual([]);
  });

  it('may not contribute under a key that is taken', async () => {
    const plugins = [
      plugin('a', (ctx) => {
        wordsOf(ctx).add('x');
        wordsOf(ctx).add('X');
        wordsOf(ctx).add('y');
      }),
      plugin('b', (ctx) => wordsOf(ctx).add('Y')),
    ];
    const error = await rejection(start({ kinds: [WORDS], plugins }));
    expect(error).toMatchObject({
      details: {
        faults: [
          { kind: 'duplicate-contribution', plugin: 'a', about: 'x', plugins: ['a', 'a'] },
          { kind: 'duplicate-contribution', plugin: 'b', about: 'y', plugins: ['a', 'b'] },
        ],
      },
    });
    expect(error.message).toContain('"x" of words is given twice by "a".');
    expect(error.message).toContain('"y" of words is given by "a" and "b".');
  });
});

describe('stopping', () => {
  it('goes in reverse, inside a plugin too, and each disposer is awaited', async () => {
    const calls: string[] = [];
    const two = (name: string) =>
      plugin(name, ({ onDispose, signal }) => {
        onDispose(() => void calls.push(`${name} 1`));
        onDispose(async () => {
          await new Promise(setImmediate);
          calls.push(`${name} 2, aborted ${String(signal.aborted)}`);
        });
      });
    const { kernel } = await start({ plugins: [two('a'), two('b')] });
    await kernel.stop();
    expect(calls).toEqual(['b 2, aborted true', 'b 1', 'a 2, aborted true', 'a 1']);
  });

  it('runs every disposer whatever the others do, and tells all that failed in one error', async () => {
    const calls: string[] = [];
    const first = plugin('first', ({ onDispose }) => {
      onDispose(() => void calls.push('first'));
      onDispose(() => {
        throw new Error('one');
      });
    });
    const second = plugin('second', ({ onDispose }) => {
      onDispose(() => Promise.reject(new Error('two')));
      onDispose(never);
      onDispose(() => void calls.push('second'));
    });
    const { kernel, errors, log } = await start({ plugins: [first, second], stopDeadlineMs: 10 });
    const error = await rejection(kernel.stop());
    expect(calls).toEqual(['second', 'first']);
    expect(error).toMatchObject({
      code: 'PITH_PLUGIN_STOP',
      details: { failures: [{ plugin: 'second' }, { plugin: 'second' }, { plugin: 'first' }] },
    });
    expect((error.cause as AggregateError).errors).toHaveLength(3);
    expect(error.message).toContain('"second" did not end within 10 ms while stopping');
    expect(error.message).toContain('"second" failed while stopping: two');
    expect(error.message).toContain('"first" failed while stopping: one');
    expect(errors.map(({ plugin: by, code }) => [by, code])).toEqual([
      ['second', 'PITH_PLUGIN_STOP'],
      ['second', 'PITH_PLUGIN_STOP'],
      ['first', 'PITH_PLUGIN_STOP'],
    ]);
    expect(log.filter(({ level }) => level === 'error')).toHaveLength(3);
  });

  it('happens once, however often it is asked for', async () => {
    let stops = 0;
    const { kernel } = await start({ plugins: [plugin('a', ({ onDispose }) => onDispose(() => void stops++))] });
    await Promise.all([kernel.stop(), kernel.stop(), kernel[Symbol.asyncDispose]()]);
    expect(stops).toBe(1);
  });

  it('leaves nothing to be had from the kernel', async () => {
    const { kernel } = await start({ plugins: [] });
    await kernel.stop();
    const stopped = expect.objectContaining({ code: 'PITH_KERNEL_STOPPED' }) as unknown as Error;
    expect(() => kernel.get(LOG_SINK)).toThrow(stopped);
    expect(() => kernel.scope({ id: 's' } as never)).toThrow(stopped);
  });

  it('closes the bus that the kernel made, and leaves another open', async () => {
    const { options } = listening({ plugins: [] });
    const { bus: _, ...rest } = options;
    const kernel = await startKernel(rest);
    const channel = { subject: 'x' } as never;
    await kernel.stop();
    expect(() => kernel.bus.serve(channel, async () => 1)).toThrow(
      expect.objectContaining({ code: 'PITH_BUS_TRANSPORT_CLOSED' }),
    );
    const bus = createLocalBus();
    const other = await start({ plugins: [], bus });
    await other.kernel.stop();
    expect(() => bus.serve(channel, async () => 1)).not.toThrow();
  });

  it('closes the bus that it was told how to open, also where the start fails; nothing is opened for plugins at fault', async () => {
    const opened: string[] = [];
    const closed: string[] = [];
    const opening = (name: string) => async (): Promise<Bus> => {
      opened.push(name);
      return {
        ...createLocalBus(),
        close() {
          closed.push(name);
          return Promise.resolve();
        },
      };
    };
    const kernel = await startKernel({ plugins: [], bus: opening('a') });
    expect([opened, closed]).toEqual([['a'], []]);
    await kernel.stop();
    const throwing = plugin('bad', () => {
      throw new Error('no');
    });
    await rejection(
      startKernel({ plugins: [throwing], bus: opening('b'), log: { level: 'error', write: () => undefined } }),
    );
    await rejection(startKernel({ plugins: [plugin('twice'), plugin('twice')], bus: opening('c') }));
    expect([opened, closed]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('does not start where its bus cannot be opened', async () => {
    const error = new Error('no server');
    expect(await rejection(startKernel({ plugins: [], bus: () => Promise.reject(error) }))).toBe(error);
  });

  it('tells who opens its bus where to log', async () => {
    const log: LogEntry[] = [];
    const kernel = await startKernel({
      plugins: [],
      log: { level: 'debug', write: (entry) => log.push(entry) },
      bus: (logger) => {
        logger.info('connected');
        return Promise.resolve(createLocalBus());
      },
    });
    await kernel.stop();
    expect(log).toMatchObject([{ level: 'info', message: 'connected' }]);
  });
});

describe('onError "skip"', () => {
  it('leaves out a plugin that fails and those that need it, and reports it', async () => {
    const calls: string[] = [];
    const bad = plugin(
      'bad',
      ({ provide, hooks, onDispose }) => {
        provide(T, () => 'never');
        hooks.on('test_step', () => void calls.push('bad hears'));
        onDispose(() => void calls.push('bad stops'));
        throw new Error('boom');
      },
      { provides: [T] },
    );
    const needy = plugin('needy', () => void calls.push('needy'), { needs: { t: T }, provides: [U] });
    const behind = plugin('behind', () => void calls.push('behind'), { needs: { u: U } });
    const early = plugin('early', ({ hooks }) => hooks.on('test_step', () => void calls.push('early hears')));
    const soft = plugin(
      'soft',
      (ctx) => {
        calls.push(`soft has ${String(ctx.needs['t'])}`);
        ctx.hooks.on('test_step', () => void calls.push('soft hears'));
      },
      { needs: { t: optional(T) } },
    );
    const { kernel, errors, log } = await start({ plugins: [early, bad, needy, behind, soft], onError: 'skip' });
    await kernel.dispatch('test_step', { text: '' });
    expect(calls).toEqual(['bad stops', 'soft has undefined', 'early hears', 'soft hears']);
    expect(errors).toMatchObject([{ plugin: 'bad', code: 'PITH_PLUGIN_SETUP', hook: undefined }]);
    const { plugins, leftOut, services } = kernel.describe();
    expect(plugins.map(({ name }) => name)).toEqual(['early', 'soft']);
    expect(leftOut).toEqual([
      { plugin: 'bad', reason: expect.stringContaining('boom') as string },
      { plugin: 'needy', reason: 'it needs "test/t", which nobody serves' },
      { plugin: 'behind', reason: 'it needs "test/u", which nobody serves' },
    ]);
    expect(services.map(({ token }) => token)).toEqual(['pith/log-sink']);
    expect(log.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'Plugin "needy" is left out: it needs "test/t", which nobody serves.',
      'Plugin "behind" is left out: it needs "test/u", which nobody serves.',
    ]);
  });

  it('falls back to what the plugin would have replaced', async () => {
    const bad = plugin(
      'bad',
      () => {
        throw new Error('boom');
      },
      { replaces: [T] },
    );
    const user = plugin('user', undefined, { needs: { t: T } });
    const { kernel } = await start({
      plugins: [bad, user],
      onError: 'skip',
      defaults: [defaultService(T, () => 'core')],
    });
    expect(kernel.get(T)).toBe('core');
    expect(kernel.describe().plugins.map(({ name }) => name)).toEqual(['user']);
  });

  it('leaves out a plugin that does not provide what it declares', async () => {
    const forgets = plugin('forgets', undefined, { provides: [T] });
    const { kernel, errors } = await start({ plugins: [forgets], onError: 'skip' });
    expect(kernel.describe().leftOut).toMatchObject([{ plugin: 'forgets' }]);
    expect(errors).toMatchObject([{ plugin: 'forgets', code: 'PITH_PLUGIN_GRAPH' }]);
  });

  it('takes away the hooks and contributions of a plugin that is left out', async () => {
    const bad = plugin('bad', (ctx) => {
      ctx.hooks.define({ name: 'test_own' as never, onError: 'skip', may: [] });
      wordsOf(ctx).add('x');
      throw new Error('boom');
    });
    const { kernel, log } = await start({
      plugins: [
        bad,
        plugin('b', (ctx) => {
          wordsOf(ctx).add('x');
          ctx.hooks.on('test_own' as never, () => undefined);
        }),
      ],
      kinds: [WORDS],
      onError: 'skip',
    });
    expect(kernel.contributions(WORDS)).toEqual([{ plugin: 'b', key: 'x', value: 'x' }]);
    expect(await rejection(kernel.dispatch('test_own' as never, {} as never))).toMatchObject({
      code: 'PITH_HOOK_UNKNOWN',
    });
    expect(log.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { plugin: 'b', hook: 'test_own' } }]);
  });

  it('still refuses what is wrong with the plugins as a whole', async () => {
    const error = await rejection(start({ plugins: [plugin('a', undefined, { needs: { t: T } })], onError: 'skip' }));
    expect(error).toMatchObject({ code: 'PITH_PLUGIN_GRAPH' });
  });
});

describe('describing', () => {
  it('tells plugins in their order, who serves what, and who hears what', async () => {
    const S = createSessionToken<number>('test/s');
    const config = { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: { limit: 3 } }) } } as const;
    const user = plugin(
      'user',
      ({ hooks }) => {
        hooks.on('test_step', () => undefined, {
          order: 'last',
          roles: ['main', 'other'],
          deadlineMs: null,
          onError: 'deny',
        });
        hooks.on('test_note', () => undefined);
      },
      { needs: { t: T, u: optional(U), s: S }, version: '1.2.3', section: 'shared', config },
    );
    const server = plugin(
      'server',
      (ctx) => {
        ctx.provide(T, () => 'x');
        ctx.provide(S, () => 1);
        wordsOf(ctx).add('Word');
      },
      { provides: [S], replaces: [T] },
    );
    const { kernel } = await start({
      plugins: [user, server],
      kinds: [WORDS],
      defaults: [defaultService(T, () => 'core')],
    });
    const last = {
      plugin: 'user',
      hook: 'test_step',
      order: 'last',
      roles: ['main', 'other'],
      deadlineMs: null,
      onError: 'deny',
    };
    const note = {
      plugin: 'user',
      hook: 'test_note',
      order: undefined,
      roles: ['main'],
      deadlineMs: 5000,
      onError: 'skip',
    };
    const description = kernel.describe();
    expect(description).toEqual({
      leftOut: [],
      handlers: [last, note],
      services: [
        { token: 'pith/log-sink', scope: 'kernel', layers: [{ plugin: 'core', rank: 'default' }] },
        {
          token: 'test/t',
          scope: 'kernel',
          layers: [
            { plugin: 'core', rank: 'default' },
            { plugin: 'server', rank: 'replaces' },
          ],
        },
        { token: 'test/s', scope: 'session', layers: [{ plugin: 'server', rank: 'provides' }] },
      ],
      plugins: [
        {
          name: 'server',
          api: 1,
          version: undefined,
          section: 'server',
          position: 1,
          after: [],
          needs: [],
          provides: ['test/s'],
          replaces: ['test/t'],
          handlers: [],
          contributions: { words: ['word'] },
          config: undefined,
          setupMs: expect.any(Number) as number,
        },
        {
          name: 'user',
          api: 1,
          version: '1.2.3',
          section: 'shared',
          position: 2,
          after: [{ plugin: 'server', why: '"user" needs "test/t" of "server"' }],
          provides: [],
          replaces: [],
          needs: [
            { key: 't', token: 'test/t', optional: false, servedBy: 'server' },
            { key: 'u', token: 'test/u', optional: true, servedBy: undefined },
            { key: 's', token: 'test/s', optional: false, servedBy: 'server' },
          ],
          handlers: [last, note],
          contributions: { words: [] },
          config: { limit: 3 },
          setupMs: expect.any(Number) as number,
        },
      ],
    });
    expect(description.plugins.every(({ setupMs }) => setupMs >= 0)).toBe(true);
  });
});

describe('the log sink', () => {
  it('may be replaced by a plugin and serves from then on, around the one before', async () => {
    const lines: LogEntry[] = [];
    const tee = definePlugin({
      name: 'tee',
      api: 1,
      replaces: [LOG_SINK],
      setup({ provide, log }) {
        provide(LOG_SINK, (below) => ({
          level: 'info',
          write(entry) {
            lines.push(entry);
            below?.write(entry);
          },
        }));
        log.warn('early');
      },
    });
    const { kernel, log } = await start({ plugins: [tee] });
    kernel.log.debug('quiet');
    kernel.log.info('late');
    expect(lines.map(({ message }) => message)).toEqual(['late']);
    expect(log.map(({ message }) => message)).toEqual(['early', 'late']);
  });
});

describe('observers of the own bus', () => {
  it('are logged when they throw, once each', async () => {
    const { options, log } = listening({ plugins: [] });
    const { bus: _, ...rest } = options;
    const kernel = await startKernel(rest);
    kernel.bus.onAny(() => {
      throw new Error('observer');
    });
    await kernel.dispatch('test_step', { text: '' });
    await kernel.dispatch('test_step', { text: '' });
    await kernel.stop();
    expect(log).toMatchObject([
      {
        level: 'error',
        message: expect.stringContaining('hook:test_step') as string,
        fields: { cause: new Error('observer') },
      },
    ]);
  });
});
