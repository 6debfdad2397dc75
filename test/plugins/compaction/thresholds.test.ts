import fc from 'fast-check';
import { inputLimit, modelLimits } from '../../../core';
import { atMost, isShareGiven, thresholdsOf } from '../../../plugins/compaction/thresholds';

const limits = modelLimits('some-model', { contextWindow: 108_000, maxOutput: 8000 });
const WINDOW = 100_000;

describe('thresholds (S9.1)', () => {
  test('an integer is tokens, and true is only what is greater', () => {
    const { exceedsPostRun, exceedsRequest } = thresholdsOf(
      { compactThreshold: 80_000, compactRequestThreshold: 90_000 },
      limits,
    );
    expect([80_000, 80_001].map(exceedsPostRun)).toEqual([false, true]);
    expect([90_000, 90_001].map(exceedsRequest)).toEqual([false, true]);
  });

  test('a share is of the window less the reply allowance', () => {
    expect(inputLimit(limits)).toBe(WINDOW);
    expect(thresholdsOf({ compactThreshold: '75%', compactRequestThreshold: '90%' }, limits)).toMatchObject({
      postRunThreshold: 75_000,
      requestThreshold: 90_000,
    });
    expect(thresholdsOf({ compactThreshold: '12.5%' }, limits).postRunThreshold).toBe(12_500);
  });

  test('of an unknown model 128,000 and 8,000 are assumed', () => {
    expect(thresholdsOf({ compactThreshold: '50%' }, modelLimits(undefined)).postRunThreshold).toBe(60_000);
  });

  test.each([
    [{}, undefined, undefined],
    [{ compactThreshold: 5 }, 5, undefined],
    [{ compactRequestThreshold: '5%' }, undefined, 5000],
    [{ compactThreshold: 7, compactRequestThreshold: 7 }, 7, 7],
    [{ compactThreshold: '90%', compactRequestThreshold: '70%' }, 90_000, 70_000],
  ] as const)('%j: each is given by itself, and one that is absent is off', (settings, postRun, request) => {
    const { postRunThreshold, requestThreshold, exceedsPostRun, exceedsRequest } = thresholdsOf(settings, limits);
    expect([postRunThreshold, requestThreshold]).toEqual([postRun, request]);
    expect(exceedsPostRun(Number.MAX_SAFE_INTEGER)).toBe(postRun !== undefined);
    expect(exceedsRequest(Number.MAX_SAFE_INTEGER)).toBe(request !== undefined);
  });

  test('each exceeds exactly what it is, whatever the other one is', () => {
    const amount = fc.option(fc.integer({ min: 1, max: 300_000 }), { nil: undefined });
    fc.assert(
      fc.property(amount, amount, fc.nat(300_000), (one, other, tokens) => {
        const given = {
          ...(one !== undefined && { compactThreshold: one }),
          ...(other !== undefined && { compactRequestThreshold: other }),
        };
        const { exceedsPostRun, exceedsRequest } = thresholdsOf(given, limits);
        expect(exceedsPostRun(tokens)).toBe(one !== undefined && tokens > one);
        expect(exceedsRequest(tokens)).toBe(other !== undefined && tokens > other);
      }),
    );
  });

  test('triggers compare the estimate with its margin: 80,000 measured does not exceed 80,000 (S6.3)', () => {
    const { exceedsPostRun } = thresholdsOf({ compactThreshold: 80_000 }, limits);
    expect(exceedsPostRun(atMost({ tokens: 80_000, margin: 0, source: 'measured' }))).toBe(false);
    expect(exceedsPostRun(atMost({ tokens: 79_000, margin: 1024, source: 'extrapolated' }))).toBe(true);
  });

  test('only shares need a window', () => {
    expect(isShareGiven({ compactThreshold: 5, compactRequestThreshold: 6 })).toBe(false);
    expect(isShareGiven({ compactThreshold: '5%' })).toBe(true);
    expect(isShareGiven({ compactRequestThreshold: '5%' })).toBe(true);
  });
});
