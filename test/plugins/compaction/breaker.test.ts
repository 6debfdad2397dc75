import fc from 'fast-check';
import { Breaker } from '../../../plugins/compaction/breaker';
import type { Attempt } from '../../../plugins/compaction/breaker';

const COOLDOWN = 1000;
const opened = (failures = 3): Breaker => {
  const breaker = new Breaker({ failures, cooldownMs: COOLDOWN });
  for (let nth = 0; nth < failures; nth++) breaker.begin(0)?.failed(0);
  return breaker;
};

describe('the breaker (S9.7)', () => {
  test('opens with the last of so many failures in a row, and says so once', () => {
    const breaker = new Breaker({ failures: 3, cooldownMs: COOLDOWN });
    expect([1, 2, 3].map(() => breaker.begin(0)?.failed(0))).toEqual([false, false, true]);
    expect(breaker.begin(0)).toBeUndefined();
    expect([breaker.isClosed, breaker.failures]).toEqual([false, 3]);
  });

  test('a success in between begins the row anew', () => {
    const breaker = new Breaker({ failures: 2, cooldownMs: COOLDOWN });
    breaker.begin(0)?.failed(0);
    breaker.begin(0)?.succeeded();
    expect(breaker.begin(0)?.failed(0)).toBe(false);
    expect(breaker.isClosed).toBe(true);
  });

  test('what says nothing about the worker neither counts nor begins the row anew', () => {
    const breaker = new Breaker({ failures: 2, cooldownMs: COOLDOWN });
    breaker.begin(0)?.failed(0);
    breaker.begin(0)?.released();
    expect(breaker.begin(0)?.failed(0)).toBe(true);
  });

  test('after the cooldown one attempt is let through, and no other while it lasts', () => {
    const breaker = opened();
    expect(breaker.begin(COOLDOWN - 1)).toBeUndefined();
    expect(breaker.begin(COOLDOWN)).toBeDefined();
    expect(breaker.begin(COOLDOWN * 9)).toBeUndefined();
  });

  test('its success closes the breaker', () => {
    const breaker = opened();
    breaker.begin(COOLDOWN)?.succeeded();
    expect([breaker.isClosed, breaker.failures]).toEqual([true, 0]);
    expect(breaker.begin(COOLDOWN)?.failed(COOLDOWN)).toBe(false);
  });

  test('its failure opens it again for the same time, which is told again', () => {
    const breaker = opened();
    expect(breaker.begin(COOLDOWN)?.failed(COOLDOWN + 500)).toBe(true);
    expect(breaker.begin(COOLDOWN * 2 + 499)).toBeUndefined();
    expect(breaker.begin(COOLDOWN * 2 + 500)).toBeDefined();
  });

  test('a cancelled attempt leaves the next one through', () => {
    const breaker = opened();
    breaker.begin(COOLDOWN)?.released();
    expect(breaker.isClosed).toBe(false);
    expect(breaker.begin(COOLDOWN)).toBeDefined();
  });

  test('a person may try at any time; failing keeps it open and is not told again, success closes it', () => {
    const breaker = opened();
    expect(breaker.begin(1, true)?.failed(1)).toBe(false);
    expect(breaker.begin(COOLDOWN - 1)).toBeUndefined();
    breaker.begin(2, true)?.succeeded();
    expect(breaker.begin(3)).toBeDefined();
  });

  test('an attempt from before it opened does not decide over it', () => {
    const breaker = new Breaker({ failures: 1, cooldownMs: COOLDOWN });
    const [slow, slower] = [breaker.begin(0), breaker.begin(0)];
    breaker.begin(0)?.failed(0);
    const probe = breaker.begin(COOLDOWN);
    expect(slow?.failed(COOLDOWN)).toBe(false);
    slower?.released();
    expect(breaker.begin(COOLDOWN)).toBeUndefined();
    expect(probe?.failed(COOLDOWN)).toBe(true);
  });

  test('for any course of things: nobody passes an open breaker before the cooldown, and one at most is on probation', () => {
    const step = fc.record({
      wait: fc.nat(700),
      begins: fc.boolean(),
      ends: fc.constantFrom('failed', 'succeeded', 'released', 'goes on'),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 40 }), (failures, steps) => {
        const breaker = new Breaker({ failures, cooldownMs: COOLDOWN });
        const open: { readonly attempt: Attempt; readonly onProbation: boolean }[] = [];
        let now = 0;
        let openedAt: number | undefined;
        for (const { wait, begins, ends } of steps) {
          now += wait;
          if (begins) {
            const wasClosed = breaker.isClosed;
            const attempt = breaker.begin(now);
            if (!wasClosed && attempt !== undefined) {
              expect(now - (openedAt ?? Infinity)).toBeGreaterThanOrEqual(COOLDOWN);
              expect(open.filter(({ onProbation }) => onProbation)).toEqual([]);
            }
            if (wasClosed) expect(attempt).toBeDefined();
            if (attempt !== undefined) open.push({ attempt, onProbation: !wasClosed });
          }
          if (ends === 'goes on') continue;
          const { attempt, onProbation = false } = open.shift() ?? {};
          if (ends === 'failed' && attempt?.failed(now) === true) openedAt = now;
          if (ends === 'succeeded' && attempt !== undefined) {
            attempt.succeeded();
            for (const [index, other] of open.entries()) open[index] = { ...other, onProbation: false };
            expect(breaker.isClosed).toBe(true);
          }
          if (ends === 'released') attempt?.released();
          if (onProbation && ends !== 'released') expect(breaker.isClosed).toBe(ends === 'succeeded');
        }
      }),
    );
  });
});
