/** Any set of plugins starts in a legal order or is told all that is wrong with it at once, however long each takes (S3.3, S3.4). */
import fc from 'fast-check';
import { PithError } from '../../core/errors';
import type { PluginFault } from '../../core/kernel/faults';
import { tokenOfNeed } from '../../core/kernel/graph';
import { startKernel } from '../../core/kernel/kernel';
import type { Plugin } from '../../core/kernel/plugin';
import { createToken, optional } from '../../core/kernel/token';
import { listening, plugin } from './kernels';
import { inVirtualTime, pumped, wait } from './virtual-time';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const TOKENS = ['t', 'u', 'v', 'w'].map((name) => createToken<string>(`any/${name}`));
const tokenAt = (index: number) => TOKENS[index] as (typeof TOKENS)[number];
/** Milliseconds that a setup has, and a disposer. */
const DEADLINE_MS = 200;

interface Wish {
  readonly name: string;
  readonly needs: readonly { readonly token: number; readonly isOptional: boolean }[];
  readonly provides: readonly number[];
  readonly replaces: readonly number[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly api: number;
  /** Milliseconds that its setup takes; one above the deadline does not end in time. */
  readonly delayMs: number;
  readonly fails: 'no' | 'throws' | 'rejects' | 'forgets';
}

const names = fc.array(fc.constantFrom(...NAMES, 'absent'), { maxLength: 1 });
const index = fc.nat(TOKENS.length - 1);

/** Sets of which most are at fault, or of which most can be started. */
function wishes(kind: 'wild' | 'tame'): fc.Arbitrary<readonly Wish[]> {
  const isTame = kind === 'tame';
  const wish = fc.record<Wish>({
    name: fc.constantFrom(...NAMES),
    needs: fc.array(fc.record({ token: index, isOptional: isTame ? fc.constant(true) : fc.boolean() }), {
      maxLength: 2,
    }),
    provides: fc.uniqueArray(index, { maxLength: 2 }),
    replaces: fc.uniqueArray(index, { maxLength: 1 }),
    before: names,
    after: names,
    api: isTame ? fc.constant(1) : fc.constantFrom(1, 1, 1, 1, 999),
    delayMs: fc.constantFrom(0, 0, 10, 60, 120, 5000),
    fails: fc.constantFrom('no', 'no', 'no', 'no', 'throws', 'rejects', 'forgets'),
  });
  const list = fc.uniqueArray(wish, { minLength: 1, maxLength: 6, ...(isTame && { selector: ({ name }) => name }) });
  return isTame ? list.map(oneClaimEach) : list;
}

/** Leaves each token to the first that claims it, and to nobody twice. */
function oneClaimEach(list: readonly Wish[]): readonly Wish[] {
  const [provided, replaced] = [new Set<number>(), new Set<number>()];
  const first = (taken: Set<number>) => (token: number) => !taken.has(token) && taken.add(token).has(token);
  return list.map((one) => ({
    ...one,
    provides: one.provides.filter(first(provided)),
    replaces: one.replaces.filter((token) => !one.provides.includes(token)).filter(first(replaced)),
  }));
}

function pluginsOf(list: readonly Wish[], calls: string[]): readonly Plugin[] {
  return list.map(({ name, needs, provides, replaces, before, after, api, delayMs, fails }) =>
    plugin(
      name,
      async (ctx) => {
        calls.push(`+${name}`);
        ctx.onDispose(() => void calls.push(`-${name}`));
        if (fails === 'throws') throw new Error('thrown');
        if (delayMs > 0) await wait(delayMs);
        if (fails === 'rejects') throw new Error('rejected');
        if (fails !== 'forgets') for (const at of [...provides, ...replaces]) ctx.provide(tokenAt(at), () => name);
      },
      {
        api,
        before,
        after,
        provides: provides.map(tokenAt),
        replaces: replaces.map(tokenAt),
        needs: Object.fromEntries(
          needs.map(({ token, isOptional }, at) => [`n${at}`, isOptional ? optional(tokenAt(token)) : tokenAt(token)]),
        ),
      } as Partial<Plugin>,
    ),
  );
}

const serves = ({ provides = [], replaces = [] }: Plugin, name: string): boolean =>
  [...provides, ...replaces].some((token) => token.name === name);

/** Whether the first must come before the second, by need or by wish. */
function precedes(first: Plugin, second: Plugin): boolean {
  const needs = Object.values(second.needs ?? {}).map((need) => tokenOfNeed(need).token.name);
  return (
    needs.some((name) => serves(first, name)) ||
    (first.before ?? []).includes(second.name) ||
    (second.after ?? []).includes(first.name)
  );
}

/** The plugins that wait for themselves, directly or through others. */
function inCycles(plugins: readonly Plugin[]): ReadonlySet<string> {
  const reaches = plugins.map((first) => plugins.map((second) => precedes(first, second)));
  for (const [k, through] of reaches.entries())
    for (const row of reaches) for (const j of plugins.keys()) row[j] ||= row[k] === true && through[j] === true;
  return new Set(plugins.filter((_, at) => reaches[at]?.[at] === true).map(({ name }) => name));
}

type Told = readonly [kind: string, plugin: string, about: string | undefined];

/** Everything that is wrong with a list, cycles aside. */
function faultsOf(listed: readonly Plugin[]): readonly Told[] {
  const faults: Told[] = [];
  const plugins: Plugin[] = [];
  for (const one of listed) {
    if (one.api === 999) faults.push(['incompatible-api', one.name, undefined]);
    if (plugins.some(({ name }) => name === one.name)) faults.push(['duplicate-plugin', one.name, undefined]);
    else plugins.push(one);
  }
  for (const { name } of TOKENS) {
    const [, provider] = plugins.filter(({ provides = [] }) => provides.some((token) => token.name === name));
    const [, replacer] = plugins.filter(({ replaces = [] }) => replaces.some((token) => token.name === name));
    if (provider !== undefined) faults.push(['two-providers', provider.name, name]);
    if (replacer !== undefined) faults.push(['two-replacers', replacer.name, name]);
  }
  for (const { name, provides = [], replaces = [] } of plugins)
    for (const token of replaces) if (provides.includes(token)) faults.push(['own-replacer', name, token.name]);
  for (const { name, needs = {} } of plugins)
    for (const need of Object.values(needs)) {
      const { token, isOptional } = tokenOfNeed(need);
      if (!isOptional && !plugins.some((other) => serves(other, token.name)))
        faults.push(['missing-need', name, token.name]);
    }
  return faults;
}

const sorted = (faults: readonly Told[]): readonly string[] => faults.map((fault) => JSON.stringify(fault)).sort();
const begun = (calls: readonly string[]) => calls.filter((call) => call.startsWith('+')).map((call) => call.slice(1));
const ended = (calls: readonly string[]) => calls.filter((call) => call.startsWith('-')).map((call) => call.slice(1));
const failsIn = ({ fails, delayMs }: Wish): boolean =>
  fails === 'throws' || fails === 'rejects' || delayMs > DEADLINE_MS;

function expectLegal(order: readonly string[], plugins: readonly Plugin[]): void {
  const started = order.map((name) => plugins.find((one) => one.name === name) as Plugin);
  for (const [at, later] of started.entries())
    for (const earlier of started.slice(0, at))
      expect([later.name, earlier.name, precedes(later, earlier)]).toEqual([later.name, earlier.name, false]);
}

/** The plugins that can run where each that fails is left out, with those that need it. */
function survivors(list: readonly Wish[], order: readonly string[]): readonly string[] {
  const running: Wish[] = [];
  for (const name of order) {
    const wish = list.find((one) => one.name === name) as Wish;
    const served = (token: number): boolean =>
      running.some(({ provides, replaces }) => [...provides, ...replaces].includes(token));
    const lacks = wish.needs.some(({ token, isOptional }) => !isOptional && !served(token));
    const forgets = wish.fails === 'forgets' && wish.provides.length + wish.replaces.length > 0;
    if (!lacks && !forgets && !failsIn(wish)) running.push(wish);
  }
  return running.map(({ name }) => name);
}

interface Start {
  readonly calls: readonly string[];
  readonly error?: PithError;
  readonly runs: readonly string[];
  readonly leftOut: readonly string[];
}

/** Starts plugins and stops them again, in virtual time. */
async function startAndStop(list: readonly Wish[], onError: 'stop' | 'skip'): Promise<Start> {
  const calls: string[] = [];
  const { options } = listening({
    plugins: pluginsOf(list, calls),
    onError,
    setupDeadlineMs: DEADLINE_MS,
    stopDeadlineMs: DEADLINE_MS,
  });
  try {
    const kernel = await pumped(startKernel(options));
    const { plugins, leftOut } = kernel.describe();
    await pumped(kernel.stop());
    return { calls, runs: plugins.map(({ name }) => name), leftOut: leftOut.map(({ plugin: name }) => name) };
  } catch (error) {
    expect(PithError.is(error)).toBe(true);
    return { calls, error: error as PithError, runs: [], leftOut: [] };
  }
}

const faultsIn = ({ details }: PithError): readonly PluginFault[] => details?.['faults'] as readonly PluginFault[];

inVirtualTime();

describe.each(['wild', 'tame'] as const)('any %s set of plugins', (kind) => {
  it('is told all of its faults at once before any plugin runs, or has none', async () => {
    const seen = { refused: 0, begun: 0 };
    await fc.assert(
      fc.asyncProperty(wishes(kind), async (list) => {
        const { calls, error } = await startAndStop(list, 'skip');
        const plugins = pluginsOf(list, []);
        const once = plugins.filter(({ name }, at) => plugins.findIndex((one) => one.name === name) === at);
        const [expected, cycles] = [faultsOf(plugins), inCycles(once)];
        if (expected.length === 0 && cycles.size === 0) {
          seen.begun++;
          expect([error, calls.length > 0]).toEqual([undefined, true]);
          return;
        }
        seen.refused++;
        expect([error?.code, calls]).toEqual(['PITH_PLUGIN_GRAPH', []]);
        const faults = faultsIn(error as PithError);
        const others = faults.filter(({ kind: one }) => one !== 'cycle');
        expect(sorted(others.map(({ kind: one, plugin: name, about }) => [one, name, about]))).toEqual(
          sorted(expected),
        );
        const told = faults.flatMap((fault) => (fault.kind === 'cycle' ? (fault.plugins ?? []) : []));
        expect(new Set(told)).toEqual(cycles);
        for (const { message, hint } of faults) {
          expect(error?.message).toContain(message);
          expect(hint).not.toBe('');
        }
      }),
      { numRuns: 300 },
    );
    expect([kind, Math.min(seen.refused, seen.begun) > 5]).toEqual([kind, true]);
  });
});

describe('any set of plugins without a fault', () => {
  const sound = wishes('tame').filter((list) => inCycles(pluginsOf(list, [])).size === 0);

  it('starts in a legal order up to the first that fails, which is named, and is stopped in reverse', async () => {
    await fc.assert(
      fc.asyncProperty(sound, async (list) => {
        const plugins = pluginsOf(list, []);
        const { calls, error, runs } = await startAndStop(list, 'stop');
        expectLegal(begun(calls), plugins);
        expect(ended(calls)).toEqual(begun(calls).reverse());
        const failing = list.filter(failsIn).map(({ name }) => name);
        const forgotten = list.flatMap(({ name, fails, provides, replaces }) =>
          fails === 'forgets' ? [...provides, ...replaces].map((at) => [name, tokenAt(at).name]) : [],
        );
        if (failing.length > 0) {
          expect([error?.code, error?.plugin]).toEqual(['PITH_PLUGIN_SETUP', begun(calls).at(-1)]);
          expect(failing).toContain(error?.plugin);
          expect(begun(calls).filter((name) => failing.includes(name))).toHaveLength(1);
        } else if (forgotten.length > 0) {
          const told = faultsIn(error as PithError).map(({ kind, plugin: name, about }) => [kind, name, about]);
          expect(told.sort()).toEqual(forgotten.map(([name, about]) => ['not-provided', name, about]).sort());
          expect(begun(calls)).toHaveLength(list.length);
        } else expect([error, runs]).toEqual([undefined, begun(calls)]);
      }),
      { numRuns: 200 },
    );
  });

  it('runs without those that fail and those that need them, and the others are not held up', async () => {
    await fc.assert(
      fc.asyncProperty(sound, async (list) => {
        const { calls, error, runs, leftOut } = await startAndStop(list, 'skip');
        expect(error).toBeUndefined();
        const order = [...begun(calls)];
        expectLegal(order, pluginsOf(list, []));
        expect(runs).toEqual(survivors(list, order));
        expect([...runs, ...leftOut].sort()).toEqual(list.map(({ name }) => name).sort());
        expect(ended(calls).slice(calls.length / 2 - runs.length)).toEqual(runs.toReversed());
      }),
      { numRuns: 200 },
    );
  });

  it('starts in the same order however long each takes', async () => {
    await fc.assert(
      fc.asyncProperty(
        sound,
        fc.array(fc.constantFrom(0, 10, 60, 120), { minLength: 6, maxLength: 6 }),
        async (list, delays) => {
          const calm = list.map((one) => ({ ...one, delayMs: 0, fails: 'no' as const }));
          const slow = calm.map((one, at) => ({ ...one, delayMs: delays[at] ?? 0 }));
          expect((await startAndStop(slow, 'stop')).calls).toEqual((await startAndStop(calm, 'stop')).calls);
        },
      ),
      { numRuns: 100 },
    );
  });
});
