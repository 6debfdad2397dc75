import fc from 'fast-check';
import { steppedTo } from '../../../core/report/page/stepping';

const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'];

describe('keys along a chart', () => {
  it('go by one, by ten, and to both ends', () => {
    expect(KEYS.map((key) => steppedTo(key, 50, 100))).toEqual([49, 51, 51, 49, 60, 40, 0, 99]);
  });

  it('never leave the points, and lead nowhere where there are none', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KEYS), fc.integer({ min: 1, max: 50 }), fc.nat(49), (key, count, at) => {
        const to = steppedTo(key, at % count, count);
        expect(to).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThan(count);
        expect(steppedTo(key, 0, 0)).toBeUndefined();
      }),
    );
  });

  it('are left alone where they mean something else', () => {
    expect(['Tab', 'Enter', 'a', '__proto__', 'constructor'].map((key) => steppedTo(key, 1, 3))).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });
});
