import fc from 'fast-check';
import { PithError } from '../../core/errors';
import { retryAfterOf } from '../../core/llm/retry-after';
import { retryDelay } from '../../core/llm/retry';

const error = (details: object): PithError =>
  new PithError('PITH_LLM_TRANSPORT', 'broken', { details: { ...details } });
const transient = error({ transient: true });

describe('back-off', () => {
  test('grows by doubling up to half a minute, with full jitter', () => {
    const longest = [0, 1, 2, 3, 4, 5, 6].map((attempt) =>
      retryDelay(transient, attempt, { maxRetries: 9, random: () => 1 }),
    );
    expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(retryDelay(transient, 3, { maxRetries: 9, random: () => 0 })).toBe(0);
    expect(retryDelay(transient, 3, { maxRetries: 9, random: () => 0.5 })).toBe(4_000);
  });

  test('ends after the last retry, and never begins for what is not transient', () => {
    expect(retryDelay(transient, 2, { maxRetries: 2, random: () => 0 })).toBeUndefined();
    expect(retryDelay(transient, 0, { maxRetries: 0, random: () => 0 })).toBeUndefined();
    expect(retryDelay(error({ transient: false }), 0, { maxRetries: 2, random: () => 0 })).toBeUndefined();
    expect(retryDelay(new PithError('PITH_LLM_OVERFLOW', '…'), 0, { maxRetries: 2, random: () => 0 })).toBeUndefined();
  });

  test('waits as long as the provider asks, up to a minute; for longer the error stands', () => {
    const asked = (retryAfterMs: number): number | undefined =>
      retryDelay(error({ transient: true, retryAfterMs }), 0, { maxRetries: 1, random: () => 0 });
    expect(asked(12_345)).toBe(12_345);
    expect(asked(60_000)).toBe(60_000);
    expect(asked(60_001)).toBeUndefined();
  });

  test('is never negative and never longer than a minute', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(100_000),
        (attempt, at, retryAfterMs) => {
          const policy = { maxRetries: 100, random: () => at };
          const delay = retryDelay(error({ transient: true, retryAfterMs }), attempt, policy);
          expect(delay ?? 0).toBeGreaterThanOrEqual(0);
          expect(delay ?? 0).toBeLessThanOrEqual(60_000);
        },
      ),
    );
  });
});

describe('when the provider wants to be asked again', () => {
  const NOW = Date.UTC(2030, 0, 1);
  const after = (headers: Record<string, string>, ...texts: readonly string[]): number | undefined =>
    retryAfterOf({ headers: new Map(Object.entries(headers)), texts }, NOW);

  test.each([
    [{ 'retry-after-ms': '1500' }, 1_500],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after': new Date(NOW + 42_000).toUTCString() }, 42_000],
    [{ 'retry-after': new Date(NOW - 42_000).toUTCString() }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after-ms': 'NaN', 'retry-after': '2' }, 2_000],
    [{}, undefined],
  ])('%j is %p ms', (headers, ms) => {
    expect(after(headers)).toBe(ms);
  });

  test.each([
    ['Please try again in 4.77s.', 4_770],
    ['Please try again in 120ms.', 120],
    ['Please try again in 1m30.5s.', 90_500],
    ['Please retry in 34 seconds.', 34_000],
    ['Please try again later.', undefined],
  ])('%j is %p ms', (text, ms) => {
    expect(after({}, 'Rate limited', text)).toBe(ms);
  });
});
