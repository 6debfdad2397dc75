import type { PithError } from '../../core/errors';
import { defaultService } from '../../core/kernel/services';
import { createSessionToken, createToken } from '../../core/kernel/token';
import { never, plugin, rejection, start } from './kernels';

const T = createToken<string>('test/t');
const U = createToken<string>('test/u');
const S = createSessionToken<string>('test/s');
const R = createSessionToken<string>('test/r');

/** A session as far as the kernel knows one; `get` is what the session room makes of a scope. */
function session(id = 'one') {
  return { id } as unknown as Parameters<Awaited<ReturnType<typeof start>>['kernel']['scope']>[0];
}

const provides = (name: string, token: typeof T, make: (replaced: string | undefined) => string) =>
  plugin(name, (ctx) => ctx.provide(token, make), { provides: [token] });
const replaces = (name: string, token: typeof T, make: (replaced: string | undefined) => string) =>
  plugin(name, (ctx) => ctx.provide(token, make), { replaces: [token] });

describe('a kernel service', () => {
  it('comes from the core where no plugin has it', async () => {
    const { kernel } = await start({ plugins: [], defaults: [defaultService(T, () => 'core')] });
    expect(kernel.get(T)).toBe('core');
  });

  it('comes from who replaces it before who provides it before the core, and each can take what lies below', async () => {
    const defaults = [defaultService(T, () => 'core')];
    const provider = provides('p', T, (below) => `provided(${String(below)})`);
    const replacer = replaces('r', T, (below) => `replaced(${String(below)})`);
    const served = async (...plugins: (typeof provider)[]) => (await start({ plugins, defaults })).kernel.get(T);
    expect(await served(provider)).toBe('provided(core)');
    expect(await served(replacer)).toBe('replaced(core)');
    expect(await served(provider, replacer)).toBe('replaced(provided(core))');
    expect(await served(replacer, provider)).toBe('replaced(provided(core))');
    expect((await start({ plugins: [replacer] })).kernel.get(T)).toBe('replaced(undefined)');
  });

  it('does not build what it replaces unless its factory takes it', async () => {
    const built: string[] = [];
    const core = defaultService(T, () => {
      built.push('core');
      return 'core';
    });
    const { kernel } = await start({ plugins: [replaces('r', T, () => 'own')], defaults: [core] });
    expect(kernel.get(T)).toBe('own');
    expect(built).toEqual([]);
  });

  it('is built once, on first use', async () => {
    const token = createToken<object>('test/object');
    let built = 0;
    const server = plugin('server', (ctx) => ctx.provide(token, () => ({ n: ++built })), { provides: [token] });
    const users = ['a', 'b'].map((name) => plugin(name, undefined, { needs: { token } }));
    const lazy = await start({ plugins: [server] });
    expect(built).toBe(0);
    expect(lazy.kernel.get(token)).toBe(lazy.kernel.get(token));
    expect(built).toBe(1);
    await start({ plugins: [server, ...users] });
    expect(built).toBe(2);
  });

  it('is one of its own in each kernel', async () => {
    const token = createToken<object>('test/object');
    const defaults = [defaultService(token, () => ({}))];
    const one = await start({ plugins: [], defaults });
    const other = await start({ plugins: [], defaults });
    expect(one.kernel.get(token)).not.toBe(other.kernel.get(token));
  });

  it('of the core may take other services, replaced ones too', async () => {
    const defaults = [defaultService(T, (get) => `on ${get(U)}`), defaultService(U, () => 'core')];
    const { kernel } = await start({ plugins: [replaces('r', U, () => 'new')], defaults });
    expect(kernel.get(T)).toBe('on new');
  });

  it('that nobody provides is a typed error that names it', async () => {
    const { kernel } = await start({ plugins: [] });
    expect(() => kernel.get(T)).toThrow(
      expect.objectContaining({ code: 'PITH_SERVICE_MISSING', details: { token: 'test/t' } }),
    );
  });

  it('whose factory throws or returns nothing is a typed error that names plugin and token, and is tried again', async () => {
    let tries = 0;
    const cause = new Error('no key');
    const flaky = provides('flaky', T, () => {
      if (++tries === 1) throw cause;
      return 'x';
    });
    const empty = provides('empty', U, () => undefined as never);
    const { kernel } = await start({ plugins: [flaky, empty] });
    expect(() => kernel.get(T)).toThrow(
      expect.objectContaining({
        code: 'PITH_SERVICE_FAILED',
        plugin: 'flaky',
        cause,
        message: '"flaky" could not build "test/t": no key',
      }),
    );
    expect(kernel.get(T)).toBe('x');
    expect(() => kernel.get(U)).toThrow(expect.objectContaining({ code: 'PITH_SERVICE_FAILED', plugin: 'empty' }));
  });

  it('whose factory throws stops the setup of who needs it', async () => {
    const bad = provides('bad', T, () => {
      throw new Error('no key');
    });
    const error = await rejection(start({ plugins: [bad, plugin('user', undefined, { needs: { t: T } })] }));
    expect(error).toMatchObject({
      code: 'PITH_PLUGIN_SETUP',
      plugin: 'user',
      cause: { code: 'PITH_SERVICE_FAILED', plugin: 'bad' },
    });
  });

  it('that needs itself is a typed error with the way round', async () => {
    const defaults = [defaultService(T, (get) => get(U)), defaultService(U, (get) => get(T))];
    const { kernel } = await start({ plugins: [], defaults });
    expect(() => kernel.get(T)).toThrow(
      expect.objectContaining({
        code: 'PITH_SERVICE_FAILED',
        message: 'Services build each other in a circle: test/t → test/u → test/t.',
      }),
    );
    expect(() => kernel.get(U)).toThrow('test/u → test/t → test/u');
  });

  it('is disposed when its plugin stops, after what was built later, and only where it was built', async () => {
    const calls: string[] = [];
    const now = (name: string): Disposable => ({ [Symbol.dispose]: () => void calls.push(name) });
    const later = (name: string): AsyncDisposable => ({
      async [Symbol.asyncDispose]() {
        await Promise.resolve();
        calls.push(name);
      },
    });
    const [A, C, D] = [
      createToken<Disposable>('test/a'),
      createToken<Disposable>('test/c'),
      createToken<Disposable>('test/d'),
    ];
    const B = createToken<AsyncDisposable>('test/b');
    const first = plugin(
      'first',
      (ctx) => {
        ctx.onDispose(() => void calls.push('first'));
        ctx.provide(A, () => now('A'));
        ctx.provide(B, () => later('B'));
        ctx.provide(C, () => now('C'));
      },
      { provides: [A, B, C] },
    );
    const second = plugin('second', ({ onDispose }) => onDispose(() => void calls.push('second')), { needs: { a: A } });
    const { kernel } = await start({ plugins: [first, second], defaults: [defaultService(D, () => now('D'))] });
    kernel.get(D);
    kernel.get(B);
    await kernel.stop();
    expect(calls).toEqual(['second', 'B', 'A', 'first', 'D']);
  });

  it('that is what it replaces is disposed once', async () => {
    const token = createToken<object>('test/object');
    let disposed = 0;
    const defaults = [defaultService(token, () => ({ [Symbol.dispose]: () => void disposed++ }))];
    const same = plugin('same', (ctx) => ctx.provide(token, (below) => below as object), { replaces: [token] });
    const { kernel } = await start({ plugins: [same], defaults });
    kernel.get(token);
    await kernel.stop();
    expect(disposed).toBe(1);
  });
});

describe('a session service', () => {
  it('exists once per session, built on first use with that session', async () => {
    const built: string[] = [];
    const server = plugin(
      'server',
      (ctx) =>
        ctx.provide(S, ({ id }) => {
          built.push(id);
          return `of ${id}`;
        }),
      { provides: [S] },
    );
    const { kernel } = await start({ plugins: [server] });
    const [one, two] = [kernel.scope(session('one')), kernel.scope(session('two'))];
    expect(built).toEqual([]);
    expect([two.get(S), one.get(S), one.get(S)]).toEqual(['of two', 'of one', 'of one']);
    expect(built).toEqual(['two', 'one']);
  });

  it('may be replaced, with what it replaces at hand', async () => {
    const server = plugin('server', (ctx) => ctx.provide(S, ({ id }, below) => `${String(below)}+${id}`), {
      provides: [S],
    });
    const wraps = plugin('wraps', (ctx) => ctx.provide(S, (_, below) => `wrapped(${String(below)})`), {
      replaces: [S],
    });
    const { kernel } = await start({
      plugins: [wraps, server],
      defaults: [defaultService(S, ({ id }) => `core ${id}`)],
    });
    expect(kernel.scope(session('x')).get(S)).toBe('wrapped(core x+x)');
  });

  it('does not build what it replaces unless its factory takes it', async () => {
    const built: string[] = [];
    const wraps = plugin('wraps', (ctx) => ctx.provide(S, ({ id }) => id), { replaces: [S] });
    const { kernel } = await start({
      plugins: [wraps],
      defaults: [
        defaultService(S, () => {
          built.push('core');
          return '';
        }),
      ],
    });
    expect(kernel.scope(session('x')).get(S)).toBe('x');
    expect(built).toEqual([]);
  });

  it('of the core may take services of the kernel', async () => {
    const { kernel } = await start({
      plugins: [],
      defaults: [defaultService(S, ({ id }, get) => `${id} ${get(T)}`), defaultService(T, () => 't')],
    });
    expect(kernel.scope(session('x')).get(S)).toBe('x t');
  });

  it('has one scope per session, until that is disposed', async () => {
    const { kernel } = await start({ plugins: [], defaults: [defaultService(S, ({ id }) => id)] });
    const it = session();
    const scope = kernel.scope(it);
    expect(kernel.scope(it)).toBe(scope);
    expect(kernel.scope(session())).not.toBe(scope);
    await scope.dispose();
    expect(kernel.scope(it)).not.toBe(scope);
    await scope.dispose();
    expect(kernel.scope(it).get(S)).toBe('one');
  });

  it('is the same for a plugin that opens a session itself', async () => {
    let own: Awaited<ReturnType<typeof start>>['kernel']['scope'] | undefined;
    const opener = plugin('opener', (ctx) => void (own = ctx.scope));
    const { kernel } = await start({ plugins: [opener], defaults: [defaultService(S, ({ id }) => id)] });
    const it = session('x');
    expect(own?.(it)).toBe(kernel.scope(it));
    expect(own?.(it).get(S)).toBe('x');
  });

  it('is disposed with the session in reverse order of building, and with no other', async () => {
    const calls: string[] = [];
    const make =
      (name: string) =>
      ({ id }: { id: string }) =>
        ({ [Symbol.dispose]: () => void calls.push(`${name} of ${id}`) }) as never;
    const { kernel } = await start({
      plugins: [],
      defaults: [defaultService(S, make('s')), defaultService(R, make('r'))],
    });
    const [one, two] = [kernel.scope(session('one')), kernel.scope(session('two'))];
    one.get(R);
    one.get(S);
    two.get(S);
    await one.dispose();
    expect(calls).toEqual(['s of one', 'r of one']);
    await kernel.stop();
    expect(calls).toEqual(['s of one', 'r of one', 's of two']);
  });

  it('is not to be had from a session that is closed', async () => {
    const { kernel } = await start({ plugins: [], defaults: [defaultService(S, ({ id }) => id)] });
    const scope = kernel.scope(session('shut'));
    scope.get(S);
    await scope.dispose();
    expect(() => scope.get(S)).toThrow(
      expect.objectContaining({ code: 'PITH_SESSION_CLOSED', message: expect.stringContaining('"shut"') as string }),
    );
  });

  it('whose disposal fails or hangs is reported, stops nothing, and fails no session', async () => {
    const calls: string[] = [];
    const value = (dispose: () => unknown) => () => ({ [Symbol.asyncDispose]: dispose }) as never;
    const { kernel, errors } = await start({
      plugins: [],
      stopDeadlineMs: 10,
      defaults: [
        defaultService(
          S,
          value(() => Promise.reject(new Error('boom'))),
        ),
        defaultService(R, value(never)),
        defaultService(
          createSessionToken<string>('test/q'),
          value(async () => void calls.push('q')),
        ),
      ],
    });
    const scope = kernel.scope(session());
    scope.get(createSessionToken('test/q'));
    scope.get(S);
    scope.get(R);
    await scope.dispose();
    expect(calls).toEqual(['q']);
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['PITH_PLUGIN_STOP', '"core" did not end within 10 ms while stopping; the others go on.'],
      ['PITH_PLUGIN_STOP', '"core" failed while stopping: boom'],
    ]);
  });

  it('of sessions that are still open is disposed before any plugin, newest session first', async () => {
    const calls: string[] = [];
    const server = plugin(
      'server',
      (ctx) => {
        ctx.onDispose(() => void calls.push('server'));
        ctx.provide(S, ({ id }) => ({ [Symbol.dispose]: () => void calls.push(id) }) as never);
      },
      { provides: [S] },
    );
    const { kernel } = await start({ plugins: [server] });
    for (const id of ['one', 'two']) kernel.scope(session(id)).get(S);
    await kernel.stop();
    expect(calls).toEqual(['two', 'one', 'server']);
  });

  it('that needs itself is a typed error with the way round', async () => {
    const other = plugin(
      'other',
      (ctx) => {
        ctx.provide(S, (of) => kernelOf.scope(of).get(R));
        ctx.provide(R, (of) => kernelOf.scope(of).get(S));
      },
      { provides: [S, R] },
    );
    const { kernel } = await start({ plugins: [other] });
    const kernelOf = kernel;
    expect(() => kernel.scope(session()).get(S)).toThrow(
      expect.objectContaining({
        code: 'PITH_SERVICE_FAILED',
        message: 'Services build each other in a circle: test/s (other) → test/r (other) → test/s (other).',
      }),
    );
  });

  it('and a kernel service are not to be taken for each other', async () => {
    const { kernel } = await start({
      plugins: [],
      defaults: [defaultService(S, () => 's'), defaultService(T, () => 't')],
    });
    const missing = (message: string) =>
      expect.objectContaining({
        code: 'PITH_SERVICE_MISSING',
        message: expect.stringContaining(message) as string,
      }) as unknown as PithError;
    const scope = kernel.scope(session());
    expect(() => kernel.get(S as never)).toThrow(missing('exists once per session; ask the session for it'));
    expect(() => scope.get(T as never)).toThrow(missing('exists once per kernel; ask the kernel for it'));
    expect(() => kernel.get(createToken('test/s'))).toThrow(missing('it is a session token'));
    expect(() => scope.get(createSessionToken('test/t'))).toThrow(missing('it is a kernel token'));
    expect(() => scope.get(R)).toThrow(missing('Nobody provides "test/r"'));
  });
});

describe('a token', () => {
  it('is the same as any other of its name', async () => {
    const { kernel } = await start({ plugins: [provides('p', T, () => 'x')] });
    expect(kernel.get(createToken<string>('test/t'))).toBe('x');
  });
});
