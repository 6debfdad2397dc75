import fc from 'fast-check';
import { axisNumbers, columnOf, columnPeaks, eighthsOf, tokenScale } from '../../core/cli/chart-scale';

const tokens = fc.integer({ min: 0, max: 2_000_000 });
const columns = fc.integer({ min: 8, max: 300 });
const counts = fc.integer({ min: 1, max: 3000 });

describe('the scale of tokens', () => {
  test('reaches the most there is in ten rows at most, of which it needs the upper', () => {
    fc.assert(
      fc.property(tokens, (most) => {
        const { unit, rows } = tokenScale(most);
        expect(unit * rows).toBeGreaterThanOrEqual(most);
        expect(unit * (rows - 1)).toBeLessThan(Math.max(1, most));
        expect(rows).toBeLessThanOrEqual(10);
        if (most > 10) expect(rows).toBeGreaterThanOrEqual(7);
      }),
    );
  });

  test('has round figures at every second row', () => {
    expect([155_021, 72_318, 2031, 17, 3, 0].map(tokenScale)).toEqual([
      { unit: 20_000, rows: 8 },
      { unit: 7500, rows: 10 },
      { unit: 250, rows: 9 },
      { unit: 2, rows: 9 },
      { unit: 1, rows: 3 },
      { unit: 1, rows: 1 },
    ]);
    fc.assert(fc.property(tokens, (most) => expect(Number.isInteger(tokenScale(most).unit * 2)).toBe(true)));
  });

  test('more tokens are never lower, and what is more than nothing is seen', () => {
    fc.assert(
      fc.property(tokens, tokens, tokens, (a, b, c) => {
        const scale = tokenScale(Math.max(a, b, c));
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        expect(eighthsOf(less, scale)).toBeLessThanOrEqual(eighthsOf(more, scale));
        expect(eighthsOf(more, scale)).toBeLessThanOrEqual(scale.rows * 8);
        expect(eighthsOf(less, scale) > 0).toBe(less > 0);
      }),
    );
  });
});

describe('the scale of requests', () => {
  test('each column shows the most of its requests, each request stands in its column, and all are shown', () => {
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 700 }), columns, (values, width) => {
        const peaks = columnPeaks(values, width);
        expect(peaks).toHaveLength(width);
        const held = peaks.map(() => -1);
        for (const [index, value] of values.entries()) {
          const column = columnOf(index, values.length, width);
          expect(peaks[column]).toBeGreaterThanOrEqual(value);
          held[column] = Math.max(held[column] ?? -1, value);
        }
        expect(Math.max(...peaks)).toBe(Math.max(...values));
        // What no request begins in goes on with the one before it; else a column is no higher than what it holds.
        for (const [column, peak] of peaks.entries())
          expect(peak).toBe(held[column] === -1 ? peaks[column - 1] : held[column]);
      }),
    );
  });

  test('requests keep their order', () => {
    fc.assert(
      fc.property(counts, columns, (count, width) => {
        const places = Array.from({ length: count }, (_, index) => columnOf(index, count, width));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(places[0]).toBe(0);
        if (count <= width) expect(new Set(places).size).toBe(count);
      }),
    );
  });

  test('the numbers below are the first and round ones, as close as their digits allow', () => {
    expect(axisNumbers(7, 56)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(axisNumbers(36, 60)).toEqual([1, 5, 10, 15, 20, 25, 30, 35]);
    expect(axisNumbers(175, 69)).toEqual([1, 20, 40, 60, 80, 100, 120, 140, 160]);
    fc.assert(
      fc.property(counts, columns, (count, width) => {
        const [, ...round] = axisNumbers(count, width);
        for (const [at, number] of round.entries()) {
          expect(number).toBeLessThanOrEqual(count);
          const before = round[at - 1];
          if (before !== undefined)
            expect(((number - before) * width) / count).toBeGreaterThanOrEqual(String(count).length + 2);
        }
      }),
    );
  });
});
