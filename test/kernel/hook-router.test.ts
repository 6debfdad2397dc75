import type { PithError } from '../../core/errors';
import { createLocalBus } from '../../core/bus/local-bus';
import type { Hooks } from '../../core/kernel/hooks';
import { never, plugin, rejection, start, STEP } from './kernels';
import type { Step, StepResult } from './kernels';

type StepHandler = Parameters<Hooks['on']>[1] & ((event: Step, signal: AbortSignal) => unknown);

function on(name: string, handler: unknown, options: object = {}) {
  return plugin(name, ({ hooks }) => hooks.on('test_step', handler as StepHandler as never, options));
}

const add = (text: string): StepResult => ({ do: 'add', text });

describe('the order of handlers', () => {
  it('is that of the plugins, and of registration inside one', async () => {
    const calls: string[] = [];
    const twice = plugin('twice', ({ hooks }) => {
      hooks.on('test_step', () => void calls.push('twice 1'));
      hooks.on('test_step', () => void calls.push('twice 2'));
    });
    const { kernel } = await start({
      plugins: [on('a', () => void calls.push('a')), twice, on('b', () => void calls.push('b'))],
    });
    await kernel.dispatch('test_step', { text: '' });
    expect(calls).toEqual(['a', 'twice 1', 'twice 2', 'b']);
  });

  it('puts those that ask to be first or last around the others, each group in plugin order', async () => {
    const calls: string[] = [];
    const note = (name: string, order?: 'first' | 'last') => on(name, () => void calls.push(name), order && { order });
    const plugins = [
      note('z', 'last'),
      note('a'),
      note('f', 'first'),
      note('y', 'last'),
      note('b'),
      note('g', 'first'),
    ];
    const { kernel } = await start({ plugins });
    await kernel.dispatch('test_step', { text: '' });
    expect(calls).toEqual(['f', 'g', 'a', 'b', 'z', 'y']);
  });

  it('awaits each handler before the next', async () => {
    const calls: string[] = [];
    const slow = on('slow', async () => {
      calls.push('slow begins');
      await new Promise(setImmediate);
      calls.push('slow ends');
    });
    const { kernel } = await start({ plugins: [slow, on('fast', () => void calls.push('fast'))] });
    await kernel.dispatch('test_step', { text: '' });
    expect(calls).toEqual(['slow begins', 'slow ends', 'fast']);
  });

  it('does not wait where a handler returns at once', async () => {
    const calls: string[] = [];
    const { kernel } = await start({
      plugins: [on('a', () => void calls.push('a')), on('b', () => void calls.push('b'))],
    });
    const dispatched = kernel.dispatch('test_step', { text: '' });
    expect(calls).toEqual(['a', 'b']);
    await dispatched;
  });
});

describe('what handlers return', () => {
  it('is nothing for a hook without handlers', async () => {
    const { kernel } = await start({ plugins: [] });
    const event = { text: 'x' };
    const dispatched = await kernel.dispatch('test_step', event);
    expect(dispatched).toEqual({ event, results: [], ended: undefined, errors: [] });
    expect(dispatched.event).toBe(event);
  });

  it('is seen by later handlers and named with its plugin', async () => {
    const seen: string[] = [];
    const plugins = [
      on('a', () => add('1')),
      on('b', async ({ text }: Step) => {
        seen.push(text);
        await Promise.resolve();
        return add('2');
      }),
      on('c', ({ text }: Step) => void seen.push(text)),
    ];
    const { kernel } = await start({ plugins });
    const { event, results, ended } = await kernel.dispatch('test_step', { text: '0' });
    expect(seen).toEqual(['01', '012']);
    expect(event.text).toBe('012');
    expect(results).toEqual([
      { plugin: 'a', result: add('1') },
      { plugin: 'b', result: add('2') },
    ]);
    expect(ended).toBeUndefined();
  });

  it('is applied at once where it is returned at once', async () => {
    const seen: string[] = [];
    const { kernel } = await start({
      plugins: [on('a', () => add('1')), on('b', ({ text }: Step) => void seen.push(text))],
    });
    const dispatched = kernel.dispatch('test_step', { text: '0' });
    expect(seen).toEqual(['01']);
    await dispatched;
  });

  it('ends the chain where the hook says so', async () => {
    const calls: string[] = [];
    const stop: StepResult = { do: 'stop', why: 'enough' };
    for (const handler of [() => stop, () => Promise.resolve(stop)]) {
      const { kernel } = await start({
        plugins: [on('a', () => add('1')), on('b', handler), on('c', () => void calls.push('c'))],
      });
      const { event, results, ended } = await kernel.dispatch('test_step', { text: '0' });
      expect(event.text).toBe('01');
      expect(ended).toEqual({ plugin: 'b', result: stop });
      expect(results.map(({ plugin: by }) => by)).toEqual(['a', 'b']);
    }
    expect(calls).toEqual([]);
  });

  it('may be applied asynchronously, before the next handler is called', async () => {
    const seen: string[] = [];
    const apply = async (event: Step): Promise<Step> => {
      await new Promise(setImmediate);
      return { ...event, text: 'applied' };
    };
    for (const handler of [() => add('1'), () => Promise.resolve(add('1'))]) {
      const plugins = [on('a', handler), on('b', ({ text }: Step) => void seen.push(text))];
      const { kernel } = await start({ plugins, hooks: [{ ...STEP, apply } as never] });
      const { event, results } = await kernel.dispatch('test_step', { text: '0' });
      expect(event.text).toBe('applied');
      expect(results).toHaveLength(1);
    }
    expect(seen).toEqual(['applied', 'applied']);
  });

  it('does not change what others see where the hook applies nothing', async () => {
    const { apply: _, check: __, ends: ___, ...plain } = STEP;
    const seen: Step[] = [];
    const plugins = [on('a', () => add('1')), on('b', (event: Step) => void seen.push(event))];
    const { kernel } = await start({ plugins, hooks: [plain as never] });
    const event = { text: '0' };
    const dispatched = await kernel.dispatch('test_step', event);
    expect(seen[0]).toBe(event);
    expect(dispatched.event).toBe(event);
    expect(dispatched.results).toHaveLength(1);
  });
});

describe('a handler that fails', () => {
  const boom = new Error('boom');
  const thenThrows = {
    get then() {
      throw boom;
    },
  };
  const failures: [string, unknown, string][] = [
    [
      'throws',
      () => {
        throw boom;
      },
      'boom',
    ],
    [
      'throws something that is no error',
      () => {
        throw 'a word';
      },
      'a word',
    ],
    ['rejects', () => Promise.reject(boom), 'boom'],
    [
      'rejects later',
      async () => {
        await new Promise(setImmediate);
        throw boom;
      },
      'boom',
    ],
    [
      'is a promise of another kind that throws',
      () => ({
        then() {
          throw boom;
        },
      }),
      'boom',
    ],
    ['returns what throws when looked at', () => thenThrows, 'boom'],
    ['returns a number', () => 3, 'number where it takes nothing or { do: add | stop | deny }'],
    ['returns null', () => null, 'object where it takes nothing'],
    ['returns an object without do', () => ({}), '{ do: undefined } where'],
    ['returns a result that the hook does not know', () => Promise.resolve({ do: 'explode' }), '{ do: explode } where'],
    ['returns a result that the check refuses', () => add('forbidden'), 'its text is forbidden'],
    ['returns a result that cannot be applied', () => add('unfit'), 'does not fit'],
  ];

  it.each(failures)('is skipped, reported and logged: one that %s', async (_, handler, words) => {
    const calls: string[] = [];
    const plugins = [on('p1', () => add('1')), on('p2', handler), on('p3', ({ text }: Step) => void calls.push(text))];
    const { kernel, errors, log } = await start({ plugins });
    const { event, results, ended, errors: failed } = await kernel.dispatch('test_step', { text: '0' });
    expect(calls).toEqual(['01']);
    expect(event.text).toBe('01');
    expect(results).toHaveLength(1);
    expect(ended).toBeUndefined();
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({ plugin: 'p2', onError: 'skip' });
    const error = failed[0]?.error as PithError;
    expect(error).toMatchObject({ code: 'PITH_HOOK_FAILED', plugin: 'p2', hook: 'test_step' });
    expect(error.message).toContain('Plugin "p2"');
    expect(error.message).toContain('hook "test_step"');
    expect(error.message).toContain(words);
    expect(errors).toEqual([
      { plugin: 'p2', hook: 'test_step', code: 'PITH_HOOK_FAILED', message: error.message, error },
    ]);
    expect(log.filter(({ level }) => level === 'error')).toMatchObject([
      { message: error.message, fields: { plugin: 'p2', hook: 'test_step', code: 'PITH_HOOK_FAILED' } },
    ]);
  });

  it('carries its cause', async () => {
    const { kernel } = await start({ plugins: [on('a', () => Promise.reject(boom))] });
    const { errors } = await kernel.dispatch('test_step', { text: '' });
    expect(errors[0]?.error.cause).toBe(boom);
  });

  it('that cannot be applied asynchronously counts as failed and is no result', async () => {
    const apply = () => Promise.reject(new Error('too large'));
    const { kernel } = await start({
      plugins: [on('a', () => add('1')), on('b', () => undefined)],
      hooks: [{ ...STEP, apply } as never],
    });
    const { results, errors } = await kernel.dispatch('test_step', { text: '0' });
    expect(results).toEqual([]);
    expect(errors).toMatchObject([{ plugin: 'a' }]);
    expect(errors[0]?.error.message).toContain('too large');
  });

  it('of a hook that takes no results is told so', async () => {
    const lax = plugin('lax', ({ hooks }) => hooks.on('test_note', (() => 1) as never));
    const { kernel } = await start({ plugins: [lax] });
    const { errors } = await kernel.dispatch('test_note', {});
    expect(errors[0]?.error.message).toContain('number where it takes none');
  });

  it.each([
    ['deny', { do: 'deny' }],
    ['abort', { do: 'stop' }],
  ] as const)(
    'ends the chain under its own onError "%s" with the result that the hook has for it',
    async (onError, result) => {
      const calls: string[] = [];
      for (const handler of [
        () => {
          throw boom;
        },
        () => Promise.reject(boom),
      ]) {
        const plugins = [on('a', handler, { onError }), on('b', () => void calls.push('b'))];
        const { kernel, errors: reported } = await start({ plugins });
        const { ended, errors, results } = await kernel.dispatch('test_step', { text: '' });
        expect(ended).toMatchObject({ plugin: 'a', result, error: { code: 'PITH_HOOK_FAILED' } });
        expect(JSON.stringify(ended?.result)).toContain('boom');
        expect(errors).toMatchObject([{ plugin: 'a', onError }]);
        expect(results).toEqual([]);
        expect(reported).toHaveLength(1);
      }
      expect(calls).toEqual([]);
    },
  );

  it('goes by the hook where it says nothing, and by itself where it does', async () => {
    const hooks = [{ ...STEP, onError: 'deny' } as never];
    const strict = await start({ plugins: [on('a', () => Promise.reject(boom))], hooks });
    expect((await strict.kernel.dispatch('test_step', { text: '' })).ended?.result.do).toBe('deny');
    const lax = await start({ plugins: [on('a', () => Promise.reject(boom), { onError: 'skip' })], hooks });
    expect((await lax.kernel.dispatch('test_step', { text: '' })).ended).toBeUndefined();
  });

  it('is a fault of the start where it asks for an outcome that the hook does not know', async () => {
    const lax = plugin('lax', ({ hooks }) => hooks.on('test_note', () => undefined, { onError: 'deny' }));
    const strict = plugin('strict', ({ hooks }) =>
      hooks.define({ name: 'test_other' as never, onError: 'abort', may: [] }),
    );
    const error = await rejection(start({ plugins: [lax, strict, on('fine', () => undefined, { onError: 'abort' })] }));
    expect(error).toMatchObject({
      code: 'PITH_PLUGIN_GRAPH',
      details: {
        faults: [
          { kind: 'handler-option', plugin: 'lax', about: 'test_note' },
          { kind: 'handler-option', plugin: 'strict', about: 'test_other' },
        ],
      },
    });
    expect(error.message).toContain('"lax" asks for onError "deny" in hook "test_note"');
    expect(error.message).toContain('docs/hooks.md');
  });
});

describe('a handler that takes too long', () => {
  it('is left behind at its deadline: its signal aborts, the others go on, its late outcome is ignored', async () => {
    let late: (result: StepResult) => void = () => undefined;
    let signal: AbortSignal | undefined;
    const slow = on(
      'slow',
      (_: Step, own: AbortSignal) => {
        signal = own;
        return new Promise((resolve) => (late = resolve));
      },
      { deadlineMs: 20 },
    );
    const next = on('next', async ({ text }: Step) => {
      late(add('late'));
      await new Promise(setImmediate);
      return add(text);
    });
    const { kernel, errors } = await start({ plugins: [slow, next] });
    const { event, results, errors: failed } = await kernel.dispatch('test_step', { text: 'x' });
    expect(event.text).toBe('xx');
    expect(results).toEqual([{ plugin: 'next', result: add('x') }]);
    expect(failed).toMatchObject([
      { plugin: 'slow', onError: 'skip', error: { code: 'PITH_HOOK_DEADLINE', plugin: 'slow', hook: 'test_step' } },
    ]);
    expect(failed[0]?.error.message).toContain('Plugin "slow" did not end hook "test_step" within 20 ms');
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toBe(failed[0]?.error);
    expect(errors).toMatchObject([{ plugin: 'slow', hook: 'test_step', code: 'PITH_HOOK_DEADLINE' }]);
  });

  it('counts as failed only once, also when it rejects later', async () => {
    let fail: (error: Error) => void = () => undefined;
    const slow = on('slow', () => new Promise((_, reject) => (fail = reject)), { deadlineMs: 1 });
    const { kernel, errors } = await start({ plugins: [slow] });
    const { errors: failed } = await kernel.dispatch('test_step', { text: '' });
    fail(new Error('late'));
    await new Promise(setImmediate);
    expect(failed).toHaveLength(1);
    expect(errors).toHaveLength(1);
  });

  it('goes by its onError like any other failure', async () => {
    const { kernel } = await start({ plugins: [on('slow', never, { deadlineMs: 1, onError: 'deny' })] });
    const { ended } = await kernel.dispatch('test_step', { text: '' });
    expect(ended).toMatchObject({ plugin: 'slow', result: { do: 'deny' }, error: { code: 'PITH_HOOK_DEADLINE' } });
  });

  it('may be two in a row, each with its own deadline', async () => {
    const plugins = [on('a', never, { deadlineMs: 1 }), on('b', never, { deadlineMs: 30 }), on('c', () => add('!'))];
    const { kernel } = await start({ plugins });
    const { event, errors } = await kernel.dispatch('test_step', { text: 'x' });
    expect(errors.map(({ plugin: by }) => by)).toEqual(['a', 'b']);
    expect(event.text).toBe('x!');
  });

  it('may be the applying of a result', async () => {
    const plugins = [on('a', () => add('1'), { deadlineMs: 1 }), on('b', () => undefined)];
    const { kernel } = await start({ plugins, hooks: [{ ...STEP, apply: never } as never] });
    const { errors, results, event } = await kernel.dispatch('test_step', { text: 'x' });
    expect(errors).toMatchObject([{ plugin: 'a', error: { code: 'PITH_HOOK_DEADLINE' } }]);
    expect(results).toEqual([]);
    expect(event.text).toBe('x');
  });

  it('does not see its result applied later', async () => {
    for (const settle of ['resolve', 'reject'] as const) {
      let late: () => void = () => undefined;
      const apply = (event: Step) =>
        new Promise<Step>((resolve, reject) => {
          late = settle === 'resolve' ? () => resolve({ ...event, text: 'late' }) : () => reject(new Error('late'));
        });
      const last = on('last', async () => {
        late();
        await new Promise(setImmediate);
      });
      const plugins = [on('slow', () => add('1'), { deadlineMs: 1 }), last];
      const { kernel, errors: reported } = await start({ plugins, hooks: [{ ...STEP, apply } as never] });
      const { event, results, errors } = await kernel.dispatch('test_step', { text: 'x' });
      expect(event.text).toBe('x');
      expect(results).toEqual([]);
      expect(errors).toMatchObject([{ plugin: 'slow', error: { code: 'PITH_HOOK_DEADLINE' } }]);
      expect(reported).toHaveLength(1);
    }
  });

  it('does not abort the signals of handlers that have ended', async () => {
    let earlier: AbortSignal | undefined;
    const first = on('first', (_: Step, signal: AbortSignal) => void (earlier = signal));
    const slow = on('slow', (_event: Step) => never(), { deadlineMs: 1 });
    const { kernel } = await start({ plugins: [first, slow] });
    expect((await kernel.dispatch('test_step', { text: '' })).errors).toHaveLength(1);
    expect(earlier?.aborted).toBe(false);
  });

  it('leaves other dispatches of the same handler alone', async () => {
    const signals: AbortSignal[] = [];
    let finish: () => void = () => undefined;
    const handler = ({ text }: Step, signal: AbortSignal) => {
      signals.push(signal);
      return text === 'hangs' ? never() : new Promise<void>((resolve) => (finish = resolve));
    };
    const { kernel } = await start({ plugins: [on('a', handler, { deadlineMs: 60 })] });
    const hanging = kernel.dispatch('test_step', { text: 'hangs' });
    const other = kernel.dispatch('test_step', { text: 'ends' });
    finish();
    await Promise.all([hanging, other]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('has 5000 ms by default and as long as it likes with null', async () => {
    const { kernel } = await start({
      plugins: [on('a', () => undefined), on('b', () => undefined, { deadlineMs: null })],
    });
    expect(kernel.describe().handlers.map(({ deadlineMs }) => deadlineMs)).toEqual([5000, null]);
  });

  it('without a deadline outlives the deadlines of others', async () => {
    let answer: () => void = () => undefined;
    const human = on('human', () => new Promise<void>((resolve) => (answer = resolve)), { deadlineMs: null });
    const { kernel } = await start({ plugins: [human, on('slow', never, { deadlineMs: 1 })] });
    const asked = kernel.dispatch('test_step', { text: '' });
    const first = answer;
    const other = kernel.dispatch('test_step', { text: '' });
    answer();
    expect((await other).errors).toHaveLength(1);
    first();
    expect((await asked).errors).toMatchObject([{ plugin: 'slow' }]);
  });
});

describe('the signal of a handler', () => {
  it('is its own for each call unless it declares the event alone', async () => {
    const signals: AbortSignal[] = [];
    const two = on('two', (_: Step, signal: AbortSignal) => void signals.push(signal));
    const any = on('any', (...all: [Step, AbortSignal]) => void signals.push(all[1]));
    const { kernel } = await start({ plugins: [two, any] });
    await kernel.dispatch('test_step', { text: '' });
    await kernel.dispatch('test_step', { text: '' });
    expect(new Set(signals).size).toBe(4);
  });

  it('is that of the plugin where it declares the event alone', async () => {
    const heard: unknown[] = [];
    let own: AbortSignal | undefined;
    const one = plugin('one', ({ hooks, signal }) => {
      own = signal;
      const handler = {
        on: function (_event: Step) {
          // eslint-disable-next-line prefer-rest-params -- a second parameter is what it must not declare
          heard.push(arguments[1]);
        },
      };
      hooks.on('test_step', handler.on);
    });
    const { kernel } = await start({ plugins: [one] });
    await kernel.dispatch('test_step', { text: '' });
    expect(heard).toHaveLength(1);
    expect(heard[0]).toBe(own);
  });
});

describe('roles', () => {
  const heardBy = async (roles: readonly string[] | undefined, event: unknown): Promise<boolean> => {
    let heard = false;
    const { kernel } = await start({ plugins: [on('a', () => void (heard = true), roles && { roles })] });
    await kernel.dispatch('test_step', event as Step);
    return heard;
  };

  it.each([
    [undefined, 'main', true],
    [undefined, 'compact-worker', false],
    [undefined, undefined, true],
    [['compact-worker'], 'compact-worker', true],
    [['compact-worker'], 'main', false],
    [['compact-worker'], undefined, true],
    [['main', 'reviewer'], 'reviewer', true],
  ] as const)('%j and an event of role %j: heard %j', async (roles, role, expected) => {
    expect(await heardBy(roles, { text: '', role })).toBe(expected);
  });

  it.each([[null], ['text'], [7], [{ role: 7 }]])('are not looked for in an event like %j', async (event) => {
    expect(await heardBy(undefined, event)).toBe(true);
  });

  it('leave out a handler in the middle and the last one', async () => {
    const calls: string[] = [];
    const plugins = ['a', 'b', 'c', 'd'].map((name, at) =>
      on(name, async () => void calls.push(name), at % 2 === 1 ? { roles: ['other'] } : {}),
    );
    const { kernel } = await start({ plugins });
    await kernel.dispatch('test_step', { text: '', role: 'main' });
    expect(calls).toEqual(['a', 'c']);
  });
});

describe('hooks that nobody defines', () => {
  it('are reported when the kernel has started, with the nearest name', async () => {
    const deaf = plugin('deaf', ({ hooks }) => {
      hooks.on('test_stepp' as never, () => undefined);
      hooks.on('test_stepp' as never, () => undefined);
      hooks.on('something_else' as never, () => undefined);
    });
    const { log } = await start({ plugins: [deaf] });
    const warnings = log.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([
      { fields: { plugin: 'deaf', hook: 'test_stepp', code: 'PITH_HOOK_UNKNOWN' } },
      { fields: { plugin: 'deaf', hook: 'something_else', code: 'PITH_HOOK_UNKNOWN' } },
    ]);
    expect(warnings[0]?.message).toBe(
      'Plugin "deaf" listens to hook "test_stepp", which nobody defines. Did you mean "test_step"?',
    );
    expect(warnings[1]?.message).toContain('Start the plugin that defines it.');
  });

  it('cannot be dispatched', async () => {
    const { kernel } = await start({ plugins: [] });
    const error = await rejection(kernel.dispatch('test_nothing' as never, {} as never));
    expect(error).toMatchObject({ code: 'PITH_HOOK_UNKNOWN', hook: 'test_nothing' });
    expect(error.message).toContain('Hook "test_nothing" was dispatched, which nobody defines.');
  });

  it('may be defined by a plugin, before or after others listen', async () => {
    const calls: string[] = [];
    const define = plugin('define', ({ hooks }) =>
      hooks.define({ name: 'test_own' as never, onError: 'skip', may: [] }),
    );
    const listen = plugin('listen', ({ hooks }) => hooks.on('test_own' as never, () => void calls.push('heard')));
    for (const plugins of [
      [define, listen],
      [listen, define],
    ]) {
      const { kernel, log } = await start({ plugins });
      await kernel.dispatch('test_own' as never, {} as never);
      expect(log).toEqual([]);
    }
    expect(calls).toEqual(['heard', 'heard']);
  });

  it('may not be defined twice', async () => {
    const define = (name: string) => plugin(name, ({ hooks }) => hooks.define({ ...STEP }));
    const error = await rejection(start({ plugins: [define('a')] }));
    expect(error).toMatchObject({
      details: { faults: [{ kind: 'duplicate-hook', plugin: 'a', about: 'test_step', plugins: ['core', 'a'] }] },
    });
    expect(error.message).toContain('Hook "test_step" is defined by "core" and "a". Give one of the two another name.');
  });
});

describe('the bus', () => {
  it('shows every dispatch to observers, before the handlers, as the event itself', async () => {
    const calls: unknown[] = [];
    const bus = createLocalBus();
    bus.on('hook:test_step', (event) => calls.push(['named', event]));
    bus.onAny((name, event) => calls.push([name, event]));
    const { kernel } = await start({ plugins: [on('a', (event: Step) => void calls.push(['handler', event]))], bus });
    const event = { text: 'x' };
    await kernel.dispatch('test_step', event);
    expect(calls).toEqual([
      ['named', event],
      ['hook:test_step', event],
      ['handler', event],
    ]);
    expect(calls.every((call) => (call as unknown[])[1] === event)).toBe(true);
  });

  it('keeps a throwing observer away from the handlers', async () => {
    const bus = createLocalBus({ report: () => undefined });
    bus.onAny(() => {
      throw new Error('observer');
    });
    const { kernel, errors } = await start({ plugins: [on('a', () => add('1'))], bus });
    const { event } = await kernel.dispatch('test_step', { text: '0' });
    expect(event.text).toBe('01');
    expect(errors).toEqual([]);
  });
});

describe('a dispatch on its way', () => {
  it('keeps the handlers it began with', async () => {
    const calls: string[] = [];
    let release: () => void = () => undefined;
    let dispatched: Promise<unknown> = Promise.resolve();
    const first = plugin('first', ({ hooks }) => {
      hooks.on('test_step', () => {
        calls.push('first');
        return new Promise<void>((resolve) => (release = resolve));
      });
      dispatched = hooks.dispatch('test_step', { text: '' });
    });
    const second = on('second', () => void calls.push('second'));
    const { kernel } = await start({ plugins: [first, second] });
    release();
    await dispatched;
    expect(calls).toEqual(['first']);
    const again = kernel.dispatch('test_step', { text: '' });
    release();
    await again;
    expect(calls).toEqual(['first', 'first', 'second']);
  });

  it('may dispatch the same hook again from a handler', async () => {
    const calls: string[] = [];
    const nested = plugin('nested', ({ hooks }) => {
      hooks.on('test_step', async ({ text }) => {
        calls.push(text);
        if (text.length < 3) await hooks.dispatch('test_step', { text: `${text}.` });
      });
    });
    const { kernel } = await start({ plugins: [nested] });
    await kernel.dispatch('test_step', { text: '.' });
    expect(calls).toEqual(['.', '..', '...']);
  });

  it('does not mix up with others of the same hook', async () => {
    const { kernel } = await start({
      plugins: [
        on('a', async () => {
          await Promise.resolve();
          return add('a');
        }),
        on('b', async () => add('b')),
      ],
    });
    const texts = await Promise.all(['1', '2', '3'].map((text) => kernel.dispatch('test_step', { text })));
    expect(texts.map(({ event }) => event.text)).toEqual(['1ab', '2ab', '3ab']);
  });

  it('is cancelled by the signal of whoever dispatches', async () => {
    const calls: string[] = [];
    let own: AbortSignal | undefined;
    const human = on(
      'human',
      (_: Step, signal: AbortSignal) => {
        own = signal;
        return never();
      },
      { deadlineMs: null },
    );
    const { kernel, errors } = await start({ plugins: [human, on('next', () => void calls.push('next'))] });
    const controller = new AbortController();
    const dispatched = rejection(kernel.dispatch('test_step', { text: '' }, controller.signal));
    const reason = new Error('the user left');
    controller.abort(reason);
    const error = await dispatched;
    expect(error).toMatchObject({ code: 'PITH_CANCELLED', hook: 'test_step', cause: reason });
    expect(error.message).toBe('Hook "test_step" was cancelled.');
    expect(own?.aborted).toBe(true);
    expect(calls).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('is cancelled also where a handler aborts the signal before anything is awaited', async () => {
    const controller = new AbortController();
    const aborts = on('aborts', () => {
      controller.abort('gone');
      return never();
    });
    const { kernel } = await start({ plugins: [aborts] });
    const error = await rejection(kernel.dispatch('test_step', { text: '' }, controller.signal));
    expect(error).toMatchObject({ code: 'PITH_CANCELLED', cause: 'gone' });
  });

  it('does not begin under a signal that has aborted', async () => {
    const calls: string[] = [];
    const { kernel } = await start({ plugins: [on('a', () => void calls.push('a'))] });
    const error = await rejection(kernel.dispatch('test_step', { text: '' }, AbortSignal.abort('gone')));
    expect(error).toMatchObject({ code: 'PITH_CANCELLED', cause: 'gone' });
    expect(calls).toEqual([]);
  });

  it('ignores the signal once it has ended', async () => {
    const controller = new AbortController();
    const { kernel } = await start({ plugins: [on('a', async () => add('1'))] });
    const { event } = await kernel.dispatch('test_step', { text: '0' }, controller.signal);
    controller.abort();
    expect(event.text).toBe('01');
  });

  it('ends when the kernel stops, and none begins afterwards', async () => {
    const calls: string[] = [];
    let own: AbortSignal | undefined;
    const hangs = on('hangs', (_: Step, signal: AbortSignal) => {
      own = signal;
      return never();
    });
    const { kernel } = await start({ plugins: [hangs, on('next', () => void calls.push('next'))] });
    const dispatched = rejection(kernel.dispatch('test_step', { text: '' }));
    await kernel.stop();
    expect(await dispatched).toMatchObject({ code: 'PITH_KERNEL_STOPPED' });
    expect(own?.aborted).toBe(true);
    expect(calls).toEqual([]);
    expect(await rejection(kernel.dispatch('test_step', { text: '' }))).toMatchObject({ code: 'PITH_KERNEL_STOPPED' });
  });

  it('ends also where a handler stops the kernel before anything is awaited', async () => {
    let stop: () => Promise<void> = () => Promise.resolve();
    const stops = on('stops', () => {
      void stop();
    });
    const { kernel } = await start({ plugins: [stops, on('hangs', never, { deadlineMs: null })] });
    stop = () => kernel.stop();
    expect(await rejection(kernel.dispatch('test_step', { text: '' }))).toMatchObject({ code: 'PITH_KERNEL_STOPPED' });
  });

  it('calls nobody else when one of its handlers stops the kernel', async () => {
    const calls: string[] = [];
    let stop: () => Promise<void> = () => Promise.resolve();
    const plugins = [
      on('waits', async () => undefined),
      on('stops', () => {
        void stop();
        return { do: 'unknown' };
      }),
      on('next', () => void calls.push('next')),
    ];
    const { kernel } = await start({ plugins });
    stop = () => kernel.stop();
    expect(await rejection(kernel.dispatch('test_step', { text: '' }))).toMatchObject({ code: 'PITH_KERNEL_STOPPED' });
    expect(calls).toEqual([]);
  });
});
