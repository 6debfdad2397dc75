/** What the figures of the benchmark of continuity are made of. */
import fc from 'fast-check';
import * as history from '../../plugins/compaction/history';
import { MEASURES } from '../bench/continuity/measures';
import type { Measured } from '../bench/continuity/measures';
import type { Row } from '../bench/continuity/replay';
import { pithWith } from '../bench/continuity/settings';
import { bySession, compared, estimate } from '../bench/continuity/statistics';
import { heldOut, summarise } from '../bench/continuity/summary';

const row = (session: string, policy: string, value: number, cut = 1): Row => ({
  session,
  format: 'f',
  cut,
  budget: 1000,
  given: 1000,
  policy,
  horizon: 25,
  measured: Object.fromEntries(MEASURES.map((name) => [name, value])) as Measured,
  needed: { lines: 1, reads: 1, names: 1, directives: 1, named: 1 },
  misses: [],
});

describe('an estimate', () => {
  test('is the mean of the sessions, however many cuts each of them has', () => {
    const rows = [row('a', 'p', 1, 1), row('a', 'p', 1, 2), row('a', 'p', 1, 3), row('b', 'p', 0)];
    expect(summarise(rows)[0]?.policies[0]?.lines).toMatchObject({ mean: 0.5, n: 2 });
  });

  test('lies in its interval, which lies within the values, and is the same each time (property)', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }), (values) => {
        const found = estimate(values);
        const slack = 1e-9;
        expect(found?.from).toBeLessThanOrEqual((found?.mean ?? 0) + slack);
        expect(found?.to).toBeGreaterThanOrEqual((found?.mean ?? 0) - slack);
        expect(found?.from).toBeGreaterThanOrEqual(Math.min(...values) - slack);
        expect(found?.to).toBeLessThanOrEqual(Math.max(...values) + slack);
        expect(estimate(values)).toEqual(found);
      }),
      { numRuns: 30 },
    );
  });

  test('leaves out the cuts at which nothing was needed', () => {
    const nothing = { ...row('a', 'p', 0, 2), measured: { ...row('a', 'p', 0).measured, lines: undefined } };
    expect(bySession([row('a', 'p', 1), nothing], ({ measured }) => measured.lines)).toEqual(new Map([['a', 1]]));
  });
});

test('policies are compared session by session', () => {
  const ours = new Map([
    ['a', 0.9],
    ['b', 0.5],
    ['c', 0.4],
    ['only here', 1],
  ]);
  const theirs = new Map([
    ['a', 0.5],
    ['b', 0.5],
    ['c', 0.6],
  ]);
  const found = compared(ours, theirs);
  expect(found).toMatchObject({ won: 1, clearlyLost: 1, difference: { n: 3 } });
  expect(found?.difference.mean).toBeCloseTo(0.2 / 3);
});

describe('settings', () => {
  test('are chosen without the session that they are measured on', () => {
    // `lucky` is far better on one session alone, `steady` on the others.
    const rows = ['a', 'b', 'c'].flatMap((session) => [
      row(session, 'steady', 0.6),
      row(session, 'lucky', session === 'a' ? 1 : 0.5),
    ]);
    const [found] = heldOut(rows, ['steady', 'lucky']);
    expect(found?.best).toMatchObject({ settings: 'lucky' });
    expect(found?.best.scores.lines?.mean).toBeCloseTo(2 / 3);
    expect(found?.chosen).toEqual([
      { session: 'a', settings: 'steady' },
      { session: 'b', settings: 'lucky' },
      { session: 'c', settings: 'lucky' },
    ]);
    expect(found?.scores.lines?.mean).toBeCloseTo((0.6 + 0.5 + 0.5) / 3);
  });

  test('name constants that there are', async () => {
    const constants = { 'plugins/compaction/workers/offline/offline-worker': { NO_SUCH: 1 } };
    const policy = pithWith({ constants }, 1000);
    await expect(policy({} as never)).rejects.toThrow(/exports no NO_SUCH/);
  });

  test('hold while a context is made, and no longer', async () => {
    const seen: number[] = [];
    const constants = { 'plugins/compaction/history': { PAGE_BYTES: 4000 } };
    const session = {
      get records(): never {
        seen.push(history.PAGE_BYTES);
        throw new Error('seen');
      },
    };
    await expect(pithWith({ constants }, 1000)({ session } as never)).rejects.toThrow('seen');
    expect([...seen, history.PAGE_BYTES]).toEqual([4000, 16_000]);
  });
});
