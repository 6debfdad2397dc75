import fc from 'fast-check';
import { PithError } from '../../core/errors';
import { startKernel } from '../../core/kernel/kernel';
import { tokenOfNeed } from '../../core/kernel/graph';
import type { Plugin } from '../../core/kernel/plugin';
import { createToken, optional } from '../../core/kernel/token';
import { listening, plugin } from './kernels';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const TOKENS = ['t', 'u', 'v'].map((name) => createToken<string>(`random/${name}`));

interface Wish {
  readonly needs: readonly (readonly [number, boolean])[];
  readonly provides: readonly number[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly fails: 'no' | 'throws' | 'rejects' | 'forgets' | 'fails to stop';
}

const wish: fc.Arbitrary<Wish> = fc.record({
  needs: fc.array(fc.tuple(fc.nat(2), fc.boolean()), { maxLength: 2 }),
  provides: fc.uniqueArray(fc.nat(2), { maxLength: 1 }),
  before: fc.array(fc.constantFrom(...NAMES), { maxLength: 1 }),
  after: fc.array(fc.constantFrom(...NAMES), { maxLength: 1 }),
  fails: fc.constantFrom('no', 'no', 'no', 'throws', 'rejects', 'forgets', 'fails to stop'),
});
const wishes = fc.array(wish, { minLength: 1, maxLength: NAMES.length });

/** Plugins that write down when they begin and end. */
function pluginsOf(list: readonly Wish[], calls: string[]): readonly Plugin[] {
  return list.map(({ needs, provides, before, after, fails }, at) => {
    const name = NAMES[at] as string;
    const tokens = provides.map((index) => TOKENS[index] as (typeof TOKENS)[number]);
    return plugin(
      name,
      async (ctx) => {
        calls.push(`+${name}`);
        ctx.onDispose(() => {
          calls.push(`-${name}`);
          if (fails === 'fails to stop') throw new Error('cannot stop');
        });
        if (fails === 'throws') throw new Error('thrown');
        await Promise.resolve();
        if (fails === 'rejects') throw new Error('rejected');
        if (fails !== 'forgets') for (const token of tokens) ctx.provide(token, () => name);
      },
      {
        needs: Object.fromEntries(
          needs.map(([index, isOptional], place) => {
            const token = TOKENS[index] as (typeof TOKENS)[number];
            return [`n${String(place)}`, isOptional ? optional(token) : token];
          }),
        ),
        provides: tokens,
        before,
        after,
      },
    );
  });
}

const begun = (calls: readonly string[]) => calls.filter((call) => call.startsWith('+')).map((call) => call.slice(1));
const ended = (calls: readonly string[]) => calls.filter((call) => call.startsWith('-')).map((call) => call.slice(1));

function expectLegal(order: readonly string[], plugins: readonly Plugin[]): void {
  const place = (name: string) => order.indexOf(name);
  for (const { name, needs = {}, before = [], after = [] } of plugins) {
    if (place(name) < 0) continue;
    const servers = Object.values(needs).flatMap((need) =>
      plugins.filter(({ provides = [] }) => provides.some((token) => token.name === tokenOfNeed(need).token.name)),
    );
    for (const earlier of [...servers.map((server) => server.name), ...after])
      if (place(earlier) >= 0) expect(place(earlier)).toBeLessThan(place(name));
    for (const later of before) if (place(later) >= 0) expect(place(later)).toBeGreaterThan(place(name));
  }
}

describe.each(['stop', 'skip'] as const)('any set of plugins under onError "%s"', (onError) => {
  it('starts in a legal order and stops in reverse, or says what is wrong and leaves nothing running', async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (list) => {
        const calls: string[] = [];
        const plugins = pluginsOf(list, calls);
        const { options, errors } = listening({ plugins, onError });
        const failing = list.flatMap(({ fails, provides }, at) =>
          fails === 'throws' || fails === 'rejects' || (fails === 'forgets' && provides.length > 0)
            ? [NAMES[at] as string]
            : [],
        );
        let kernel;
        try {
          kernel = await startKernel(options);
        } catch (error) {
          expect(PithError.is(error)).toBe(true);
          expectLegal(begun(calls), plugins);
          expect(ended(calls)).toEqual(begun(calls).reverse());
          if ((error as PithError).code === 'PITH_PLUGIN_SETUP') expect(failing).toContain((error as PithError).plugin);
          else expect((error as PithError).details?.['faults']).not.toEqual([]);
          return;
        }
        const { plugins: described, leftOut } = kernel.describe();
        const runs = described.map(({ name }) => name);
        expectLegal(begun(calls), plugins);
        expect([...runs, ...leftOut.map(({ plugin: name }) => name)].sort()).toEqual(
          plugins.map(({ name }) => name).sort(),
        );
        if (onError === 'stop') expect([failing, leftOut]).toEqual([[], []]);
        else for (const name of failing) expect(runs).not.toContain(name);
        for (const { needs } of described)
          for (const need of needs) expect(need.optional || runs.includes(need.servedBy as string)).toBe(true);
        const early = ended(calls).length;
        const clean = !list.some(({ fails }, at) => fails === 'fails to stop' && runs.includes(NAMES[at] as string));
        expect(
          await kernel.stop().then(
            () => true,
            () => false,
          ),
        ).toBe(clean);
        expect(ended(calls).slice(early)).toEqual([...runs].reverse());
        expect(errors.every(({ plugin: name }) => NAMES.includes(name))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
