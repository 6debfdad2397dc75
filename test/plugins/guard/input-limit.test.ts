import fc from 'fast-check';
import { InputLimit } from '../../../plugins/guard/input-limit';

const after = (limit: number, ...inputs: readonly number[]): InputLimit => {
  const watched = new InputLimit(limit);
  for (const input of inputs) {
    watched.judge(input);
    watched.answered(input);
  }
  return watched;
};

describe('the input of a compact worker (S9.7)', () => {
  test('keeps one request in reserve: used + this + (this + 4000) may be the limit, and not one token more', () => {
    // 10,000 + 18,000 + (18,000 + 4000) = 50,000
    expect(after(50_000, 10_000).judge(18_000)).toBe('send');
    // 10,000 + 18,001 + (18,001 + 4000) = 50,002
    expect(after(50_000, 10_000).judge(18_001)).toBe('last');
    expect(after(50_000, 9_998).judge(18_001)).toBe('send');
  });

  test('lets the last request have all that is left, and sends none that would itself pass the limit', () => {
    expect(after(50_000, 10_000).judge(40_000)).toBe('last');
    expect(after(50_000, 10_000).judge(40_001)).toBe('over');
    expect(new InputLimit(1000).judge(1001)).toBe('over');
  });

  test('may have its last request at once', () => {
    expect(new InputLimit(50_000).judge(23_000)).toBe('send');
    expect(new InputLimit(50_000).judge(23_001)).toBe('last');
  });

  test('ends with the last request, whatever is left', () => {
    const limit = after(50_000, 10_000);
    expect(limit.judge(20_000)).toBe('last');
    limit.answered(100);
    expect(limit.judge(1)).toBe('ended');
    expect(limit.allows(1)).toBe(false);
  });

  test('judges a request anew that was not answered', () => {
    const limit = new InputLimit(50_000);
    expect(limit.judge(30_000)).toBe('last');
    expect(limit.judge(60_000)).toBe('over');
    expect(limit.judge(20_000)).toBe('send');
    limit.answered(undefined);
    expect(limit.used).toBe(20_000);
  });

  test('counts what a request really had, and what was judged where nobody tells or the figure is none', () => {
    const limit = new InputLimit(50_000);
    for (const [judged, measured] of [
      [1000, 1500],
      [1000, undefined],
      [1000, Number.NaN],
      [1000, Infinity],
      [1000, 0],
      [1000, -5],
    ] as const) {
      limit.judge(judged);
      limit.answered(measured);
    }
    expect(limit.used).toBe(1500 + 5 * 1000);
  });

  test('counts a request that it was never asked about where its size is told', () => {
    const limit = new InputLimit(1000);
    limit.answered(undefined);
    expect(limit.used).toBe(0);
    limit.answered(700);
    expect(limit.used).toBe(700);
    expect(limit.allows(301)).toBe(false);
  });

  test('no order of requests passes the limit, and at most one comes after the reserve is reached', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 100_000 }),
        fc.array(fc.integer({ min: 1, max: 60_000 })),
        (most, inputs) => {
          const limit = new InputLimit(most);
          let sum = 0;
          let last = 0;
          for (const input of inputs) {
            const verdict = limit.judge(input);
            if (verdict !== 'send' && verdict !== 'last') continue;
            expect(last).toBe(0);
            expect(verdict === 'last').toBe(sum + 2 * input + 4000 > most);
            if (verdict === 'last') last++;
            sum += input;
            limit.answered(input);
          }
          expect(sum).toBeLessThanOrEqual(most);
          expect(limit.used).toBe(sum);
        },
      ),
    );
  });
});
