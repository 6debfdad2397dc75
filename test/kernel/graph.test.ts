import fc from 'fast-check';
import { findCycles } from '../../core/kernel/cycles';
import { graphError } from '../../core/kernel/faults';
import { planStart, tokenOfNeed } from '../../core/kernel/graph';
import type { AnyToken, Plugin } from '../../core/kernel/plugin';
import { createSessionToken, createToken, optional } from '../../core/kernel/token';

const T = createToken<number>('test/t');
const U = createToken<number>('test/u');
const S = createSessionToken<number>('test/s');

function p(name: string, rest: Partial<Plugin> = {}): Plugin {
  return { name, api: 1, setup: () => undefined, ...rest };
}

function names(plugins: readonly unknown[], defaults: readonly AnyToken[] = []): readonly string[] {
  const { order, faults } = planStart(plugins, defaults);
  expect(faults).toEqual([]);
  return order.map(({ name }) => name);
}

function faultsOf(plugins: readonly unknown[], defaults: readonly AnyToken[] = []) {
  return planStart(plugins, defaults).faults;
}

describe('the start order', () => {
  it('is that of the list where nothing else is asked for', () => {
    expect(names([p('c'), p('a'), p('b')])).toEqual(['c', 'a', 'b']);
    expect(names([])).toEqual([]);
  });

  it('puts whoever serves a need before whoever has it', () => {
    expect(names([p('user', { needs: { t: T } }), p('other'), p('server', { provides: [T] })])).toEqual([
      'other',
      'server',
      'user',
    ]);
    expect(names([p('user', { needs: { s: S } }), p('server', { provides: [S] })])).toEqual(['server', 'user']);
  });

  it('puts whoever replaces a token before whoever needs it, too', () => {
    const plugins = [p('user', { needs: { t: T } }), p('wraps', { replaces: [T] }), p('server', { provides: [T] })];
    expect(names(plugins)).toEqual(['wraps', 'server', 'user']);
  });

  it('goes by optional needs where they are served', () => {
    expect(names([p('user', { needs: { t: optional(T) } }), p('server', { provides: [T] })])).toEqual([
      'server',
      'user',
    ]);
    expect(names([p('user', { needs: { s: optional(S) } }), p('server', { provides: [S] })])).toEqual([
      'server',
      'user',
    ]);
    expect(names([p('user', { needs: { t: optional(T), s: optional(S) } })])).toEqual(['user']);
  });

  it('needs nobody for what the core serves', () => {
    expect(names([p('user', { needs: { t: T } })], [T])).toEqual(['user']);
  });

  it('goes by before and after', () => {
    expect(names([p('a', { after: ['c'] }), p('b'), p('c')])).toEqual(['b', 'c', 'a']);
    expect(names([p('a'), p('b'), p('c', { before: ['a', 'b'] })])).toEqual(['c', 'a', 'b']);
    expect(names([p('a'), p('b', { before: ['a'], after: ['c'] }), p('c')])).toEqual(['c', 'b', 'a']);
  });

  it('does not mind wishes about plugins that are not there', () => {
    expect(names([p('a', { before: ['absent'], after: ['absent', 'nowhere'] }), p('b')])).toEqual(['a', 'b']);
  });

  it('starts the first of the list among those that may start', () => {
    const plugins = [p('d', { after: ['b'] }), p('a', { after: ['b'] }), p('c'), p('b'), p('e', { before: ['c'] })];
    expect(names(plugins)).toEqual(['b', 'd', 'a', 'e', 'c']);
  });

  it('does not count one wish twice', () => {
    expect(
      names([
        p('a', { before: ['b', 'b'] }),
        p('b', { after: ['a', 'a'], needs: { t: T, again: T } }),
        p('c', { provides: [T, T] }),
      ]),
    ).toEqual(['a', 'c', 'b']);
  });
});

describe('faults', () => {
  it('are none of the plugins of a plan without', () => {
    const plan = planStart([p('b'), p('a')]);
    expect(plan.plugins.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(plan.faults).toEqual([]);
  });

  it.each([
    [undefined],
    [null],
    ['tracker'],
    [{}],
    [{ name: 'x' }],
    [{ name: '', setup() {} }],
    [{ name: 3, setup() {} }],
  ])('name an entry that is no plugin: %j', (entry) => {
    expect(faultsOf([p('a'), entry])).toEqual([
      {
        kind: 'not-a-plugin',
        plugin: '#2',
        message: 'Entry #2 of the plugin list is not a plugin.',
        hint: 'Give what definePlugin returns.',
      },
    ]);
  });

  it('name a plugin that is listed twice, once for each time too many', () => {
    const faults = faultsOf([p('a'), p('b'), p('a'), p('a')]);
    expect(faults.map(({ kind, plugin }) => [kind, plugin])).toEqual([
      ['duplicate-plugin', 'a'],
      ['duplicate-plugin', 'a'],
    ]);
    expect(faults[0]?.message).toBe('Plugin "a" is listed more than once.');
    expect(faults[0]?.hint).toContain('List it once');
  });

  it('name a plugin that was written for another interface', () => {
    expect(faultsOf([p('old', { api: 2 }), p('new')])).toEqual([
      {
        kind: 'incompatible-api',
        plugin: 'old',
        message: 'Plugin "old" was written for plugin interface 2; this kernel serves 1.',
        hint: 'Install a newer Pith, or an older version of the plugin.',
      },
    ]);
  });

  it.each([
    ['needs', { needs: { t: undefined } }, 't'],
    ['needs', { needs: { t: optional(undefined as never) } }, 't'],
    ['needs', { needs: { t: 'test/t' } }, 't'],
    ['needs', { needs: { t: { name: 'x', scope: 'other' } } }, 't'],
    ['needs', { needs: { t: { name: 1, scope: 'kernel' } } }, 't'],
    ['provides', { provides: [undefined] }, 'provides'],
    ['replaces', { replaces: [null] }, 'replaces'],
  ])('name what stands under %s and is no token', (_, rest, about) => {
    const faults = faultsOf([p('a', rest as never)]);
    expect(faults).toMatchObject([{ kind: 'not-a-token', plugin: 'a', about }]);
    expect(faults[0]?.message).toBe(`Plugin "a" has something under "${about}" that is not a token.`);
    expect(faults[0]?.hint).toContain('import each other in a circle');
  });

  it('name a need that nobody serves, and what it may have meant', () => {
    const near = createToken('test/tt');
    const faults = faultsOf([p('a', { needs: { t: T } }), p('b', { needs: { u: U }, provides: [near] })], [S]);
    expect(faults).toEqual([
      {
        kind: 'missing-need',
        plugin: 'a',
        about: 'test/t',
        message: 'Plugin "a" needs "test/t", which nobody provides.',
        hint: 'Did you mean "test/tt"? Else add a plugin that provides it.',
      },
      expect.objectContaining({ kind: 'missing-need', plugin: 'b', about: 'test/u' }),
    ]);
    const [far] = faultsOf([p('a', { needs: { t: createToken('something/else') } })], [T]);
    expect(far?.hint).toBe('Add a plugin that provides it, or leave this one out.');
    const [core] = faultsOf([p('a', { needs: { t: createToken('test/x') } })], [T]);
    expect(core?.hint).toContain('"test/t"');
  });

  it('name all that provide one token, and all that replace it', () => {
    const plugins = [
      p('a', { provides: [T] }),
      p('b', { provides: [U, T] }),
      p('c', { replaces: [T] }),
      p('d', { replaces: [T] }),
    ];
    expect(faultsOf(plugins)).toEqual([
      {
        kind: 'two-providers',
        plugin: 'b',
        about: 'test/t',
        plugins: ['a', 'b'],
        message: '"test/t" is provided by "a" and "b".',
        hint: 'Let one provide it and the other replace it.',
      },
      {
        kind: 'two-replacers',
        plugin: 'd',
        about: 'test/t',
        plugins: ['c', 'd'],
        message: '"test/t" is replaced by "c" and "d".',
        hint: 'Only one plugin can replace it; leave one out.',
      },
    ]);
  });

  it('are none where one provides and another replaces, with or without a core default', () => {
    const plugins = [p('a', { provides: [T] }), p('b', { replaces: [T, U] })];
    expect(names(plugins, [T, U])).toEqual(['a', 'b']);
  });

  it('name a plugin that takes a token for one of another kind', () => {
    const wrong = createSessionToken('test/t');
    const faults = faultsOf(
      [p('a', { provides: [T] }), p('b', { needs: { t: wrong } }), p('c', { needs: { s: createToken('test/s') } })],
      [S],
    );
    expect(faults.map(({ kind, plugin, about }) => [kind, plugin, about])).toEqual([
      ['token-scope', 'b', 'test/t'],
      ['token-scope', 'c', 'test/s'],
    ]);
    expect(faults[0]?.message).toBe('Plugin "b" takes "test/t" for a session token, but it is a kernel token.');
    expect(faults[0]?.hint).toContain('Import the token');
  });

  it('name a cycle as a path with its reasons', () => {
    const plugins = [
      p('x'),
      p('a', { needs: { t: T }, provides: [U] }),
      p('b', { provides: [T], after: ['c'] }),
      p('c', { needs: { u: U } }),
    ];
    expect(faultsOf(plugins)).toEqual([
      {
        kind: 'cycle',
        plugin: 'a',
        plugins: ['a', 'c', 'b', 'a'],
        message:
          'Plugins wait for each other: a → c → b → a ("c" needs "test/u" of "a"; "b" asks to be after "c"; "a" needs "test/t" of "b").',
        hint: 'Make one of the needs optional or take back one of the wishes.',
      },
    ]);
    expect(planStart(plugins).order.map(({ name }) => name)).toEqual(['x']);
  });

  it('name a plugin that needs what it provides', () => {
    const [fault] = faultsOf([p('a', { needs: { t: T }, replaces: [T] })], [T]);
    expect(fault).toMatchObject({ kind: 'cycle', plugins: ['a', 'a'] });
    expect(fault?.hint).toContain('receives what it replaces from its factory');
  });

  it('name a wish that contradicts a need', () => {
    const [fault] = faultsOf([p('a', { provides: [T] }), p('b', { needs: { t: T }, before: ['a'] })]);
    expect(fault?.plugins).toEqual(['a', 'b', 'a']);
    expect(fault?.message).toContain('"b" needs "test/t" of "a"; "b" asks to be before "a"');
  });

  it('name the need rather than the wish where both say the same', () => {
    const [fault] = faultsOf([p('a', { provides: [T], before: ['b'] }), p('b', { needs: { t: T }, before: ['a'] })]);
    expect(fault?.message).toContain('"b" needs "test/t" of "a"');
  });

  it('name every cycle of a knot', () => {
    const plugins = [
      p('a', { after: ['b', 'c'] }),
      p('b', { after: ['a'] }),
      p('c', { after: ['a'] }),
      p('d', { after: ['a'] }),
    ];
    expect(faultsOf(plugins).map((fault) => fault.plugins)).toEqual([
      ['a', 'b', 'a'],
      ['a', 'c', 'a'],
    ]);
  });

  it('come all at once, in one error', () => {
    const faults = faultsOf([
      p('a', { api: 9 }),
      p('a'),
      p('b', { needs: { t: T } }),
      undefined,
      p('c', { after: ['d'] }),
      p('d', { after: ['c'] }),
    ]);
    const error = graphError(faults);
    expect(error).toMatchObject({ code: 'PITH_PLUGIN_GRAPH', plugin: 'a', details: { faults } });
    expect(faults.map(({ kind }) => kind)).toEqual([
      'incompatible-api',
      'duplicate-plugin',
      'not-a-plugin',
      'missing-need',
      'cycle',
    ]);
    expect(error.message).toContain('there are 5 faults:');
    for (const { message, hint } of faults) expect(error.message).toContain(`\n- ${message} ${hint}`);
    expect(graphError(faults.slice(1, 2)).message).toContain('there is 1 fault:');
  });
});

describe('tokenOfNeed', () => {
  it('tells the token and whether it may be missing', () => {
    expect(tokenOfNeed(T)).toEqual({ token: T, isOptional: false });
    expect(tokenOfNeed(optional(S))).toEqual({ token: S, isOptional: true });
  });
});

describe('findCycles', () => {
  const graph = (...edges: readonly (readonly number[])[]) =>
    edges.map((next) => new Map(next.map((to) => [to, ''] as const)));

  it('finds none in a graph without', () => {
    expect(findCycles(graph([1, 2], [2], []))).toEqual([]);
  });

  it('finds loops, pairs and rings, each once and from its lowest node', () => {
    expect(findCycles(graph([0]))).toEqual([[0, 0]]);
    expect(findCycles(graph([], [2], [1]))).toEqual([[1, 2, 1]]);
    expect(findCycles(graph([2], [0], [1]))).toEqual([[0, 2, 1, 0]]);
    expect(findCycles(graph([1], [0], [3], [4], [2]))).toEqual([
      [0, 1, 0],
      [2, 3, 4, 2],
    ]);
  });

  it('prefers a short way to a long one', () => {
    expect(findCycles(graph([1, 2], [2], [0]))).toEqual([
      [0, 2, 0],
      [0, 1, 2, 0],
    ]);
  });
});

describe('any set of plugins', () => {
  const tokens = ['k0', 'k1', 'k2']
    .map((name) => createToken<unknown>(name))
    .concat(['s0', 's1'].map((name) => createSessionToken<unknown>(name) as never));
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const token = fc.constantFrom(...tokens);
  const plugin = fc.record({
    name,
    api: fc.constantFrom(1, 1, 1, 1, 1, 1, 2),
    needs: fc.array(fc.tuple(token, fc.boolean()), { maxLength: 2 }),
    provides: fc.array(token, { maxLength: 1 }),
    replaces: fc.array(token, { maxLength: 1 }),
    before: fc.array(fc.oneof(name, fc.constant('absent')), { maxLength: 1 }),
    after: fc.array(fc.oneof(name, fc.constant('absent')), { maxLength: 1 }),
  });
  const plugins = fc.array(plugin, { maxLength: 6 }).map((list) =>
    list.map(({ needs, ...rest }) =>
      p(rest.name, {
        ...rest,
        needs: Object.fromEntries(
          needs.map(([of, isOptional], at) => [`n${String(at)}`, isOptional ? optional(of) : of]),
        ),
      }),
    ),
  );

  /** Pairs of names of which the first must start before the second. */
  function constraints(list: readonly Plugin[]): readonly (readonly [string, string])[] {
    const present = new Set(list.map((one) => one.name));
    return list.flatMap((one) => [
      ...Object.values(one.needs ?? {}).flatMap((need) =>
        list
          .filter(({ provides = [], replaces = [] }) =>
            [...provides, ...replaces].some((of) => of.name === tokenOfNeed(need).token.name),
          )
          .map((server) => [server.name, one.name] as const),
      ),
      ...(one.before ?? []).filter((other) => present.has(other)).map((other) => [one.name, other] as const),
      ...(one.after ?? []).filter((other) => present.has(other)).map((other) => [other, one.name] as const),
    ]);
  }

  it('has an order of all plugins that keeps every constraint, where nothing is at fault', () => {
    fc.assert(
      fc.property(plugins, fc.subarray(tokens), (list, defaults) => {
        const { order, faults } = planStart(list, defaults);
        if (faults.length > 0) return;
        expect([...order].sort(byName)).toEqual([...list].sort(byName));
        const place = new Map(order.map((one, at) => [one.name, at]));
        for (const [first, second] of constraints(list))
          expect(place.get(first)).toBeLessThan(place.get(second) as number);
      }),
      { numRuns: 500 },
    );
  });

  it('has exactly the faults that a plain count finds', () => {
    fc.assert(
      fc.property(plugins, fc.subarray(tokens), (list, defaults) => {
        const { faults } = planStart(list, defaults);
        const count = (kind: string) => faults.filter((fault) => fault.kind === kind).length;
        const first = list.filter((one, at) => list.findIndex((other) => other.name === one.name) === at);
        const claims = (key: 'provides' | 'replaces', of: AnyToken) =>
          first.filter((one) => one[key]?.some((claimed) => claimed.name === of.name)).length;
        const unserved = first
          .flatMap((one) => Object.values(one.needs ?? {}))
          .filter((need) => {
            const { token: of, isOptional } = tokenOfNeed(need);
            return (
              !isOptional && !defaults.includes(of as never) && claims('provides', of) + claims('replaces', of) === 0
            );
          });
        expect(count('duplicate-plugin')).toBe(list.length - first.length);
        expect(count('incompatible-api')).toBe(list.filter(({ api }) => api !== 1).length);
        expect(count('missing-need')).toBe(unserved.length);
        expect(count('two-providers')).toBe(tokens.filter((of) => claims('provides', of) > 1).length);
        expect(count('two-replacers')).toBe(tokens.filter((of) => claims('replaces', of) > 1).length);
        expect(count('cycle') > 0).toBe(!isOrderable(first));
      }),
      { numRuns: 500 },
    );
  });

  it('has the same plan whenever it is asked', () => {
    fc.assert(fc.property(plugins, (list) => expect(planStart(list)).toEqual(planStart(list))));
  });

  function byName(a: Plugin, b: Plugin): number {
    return a.name.localeCompare(b.name);
  }

  /** Whether the constraints leave an order: takes away, again and again, what waits for nobody. */
  function isOrderable(list: readonly Plugin[]): boolean {
    let left = list;
    const pairs = constraints(list);
    for (;;) {
      const waiting = new Set(left.map((one) => one.name));
      const rest = left.filter((one) => pairs.some(([first, second]) => second === one.name && waiting.has(first)));
      if (rest.length === left.length) return left.length === 0;
      left = rest;
    }
  }
});
