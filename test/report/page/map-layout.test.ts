import fc from 'fast-check';
import { cutOf, fateTotals, itemAt, layoutMap, mapRuns, rowPieces } from '../../../core/report/page/map-layout';
import type { Fate, MapItem } from '../../../core/report/report';

const FATES: readonly Fate[] = ['kept', 'changed', 'summarised', 'dropped'];

const item = fc.record({
  tokens: fc.oneof(fc.constant(0), fc.nat(3_000)),
  fate: fc.constantFrom(...FATES),
});
const items = fc.array(item, { minLength: 1, maxLength: 200 });
const width = fc.integer({ min: 1, max: 2_000 });

describe('the ribbon of the map', () => {
  it('has one row for few items, and more for many', () => {
    const rows = (count: number): number =>
      layoutMap(
        Array.from({ length: count }, () => ({ tokens: 10 })),
        1_000,
      ).rows;
    expect([1, 250, 251, 1_000, 100_000].map(rows)).toEqual([1, 1, 2, 4, 10]);
    expect(layoutMap([], 1_000)).toMatchObject({ rows: 1, perRow: 1 });
  });

  it('gives each item a place as long as its tokens, one behind the other', () => {
    fc.assert(
      fc.property(items, width, (map, pixels) => {
        const layout = layoutMap(map, pixels);
        map.forEach(({ tokens }, at) => {
          expect(layout.starts[at + 1]! - layout.starts[at]!).toBe(Math.max(1, tokens));
          expect(itemAt(layout, layout.starts[at]!)).toBe(at);
          expect(itemAt(layout, layout.starts[at + 1]! - 0.01)).toBe(at);
        });
        expect(itemAt(layout, -1)).toBe(0);
        expect(itemAt(layout, Infinity)).toBe(map.length - 1);
      }),
    );
  });

  it('breaks a stretch into pieces of rows that are as long together', () => {
    fc.assert(
      fc.property(items, width, fc.nat(199), fc.nat(199), (map, pixels, one, other) => {
        const layout = layoutMap(map, pixels);
        const [from, to] = [one, other].map((at) => layout.starts[at % (map.length + 1)]!).sort((a, b) => a - b) as [
          number,
          number,
        ];
        const pieces = rowPieces(layout, from, to);
        const length = pieces.reduce((sum, piece) => sum + piece.width, 0) * layout.perRow;
        expect(length).toBeCloseTo(to - from, 4);
        for (const { row, x, width: share } of pieces) {
          expect(row).toBeLessThan(layout.rows);
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x + share).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});

describe('stretches of one fate', () => {
  it('cover all items in their order, and no two neighbours are alike', () => {
    fc.assert(
      fc.property(items, fc.nat(5_000), (map, least) => {
        const layout = layoutMap(map, 800);
        const runs = mapRuns(map, layout, least);
        expect(runs[0]?.from).toBe(0);
        expect(runs.at(-1)?.to).toBe(layout.starts[map.length]);
        runs.slice(1).forEach(({ from, fate }, at) => {
          expect(from).toBe(runs[at]?.to);
          expect(fate).not.toBe(runs[at]?.fate);
        });
        // All but the last are long enough to be seen, so there are never more than fit.
        for (const { from, to } of runs.slice(0, -1)) expect(to - from).toBeGreaterThanOrEqual(least);
      }),
    );
  });

  it('are exact where every item can be seen', () => {
    const map = FATES.flatMap((fate) => [fate, fate]).map((fate) => ({ fate, tokens: 10 }));
    expect(mapRuns(map, layoutMap(map, 800), 0)).toEqual(
      FATES.map((fate, at) => ({ fate, from: at * 20, to: at * 20 + 20 })),
    );
  });
});

describe('what the map says', () => {
  const map: readonly MapItem[] = (['summarised', 'dropped', 'summarised', 'kept', 'changed'] as const).map(
    (fate, at) => ({
      kind: 'user',
      tokens: 10 * at,
      fate,
      text: '',
      ...(at === 2 ? { readAgain: true as const } : {}),
    }),
  );

  it('is where the newest cut lies', () => {
    expect(cutOf(map)).toBe(3);
    expect(cutOf(map.slice(3))).toBeUndefined();
  });

  it('is how much there is of each fate', () => {
    expect(Object.fromEntries(fateTotals(map))).toEqual({
      summarised: { items: 2, tokens: 20 },
      dropped: { items: 1, tokens: 10 },
      kept: { items: 1, tokens: 30 },
      changed: { items: 1, tokens: 40 },
      'read again': { items: 1, tokens: 20 },
    });
  });
});
