import fc from 'fast-check';
import { sleep } from '../../core';
import { createVirtualClock } from '../../core/testing';

describe('a virtual clock', () => {
  test('stands still until it is told to go on', async () => {
    const clock = createVirtualClock(1000);
    let rang = false;
    clock.after(5, () => (rang = true));
    await clock.settle();
    expect([clock.now(), rang, clock.pending]).toEqual([1000, false, 1]);
    await clock.advance(4);
    expect([clock.now(), rang]).toEqual([1004, false]);
    await clock.advance(1);
    expect([clock.now(), rang, clock.pending]).toEqual([1005, true, 0]);
  });

  test('runs timers in the order in which they are due, each at its time, and of equals the first first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -5, max: 50 }), { maxLength: 20 }), async (delays) => {
        const clock = createVirtualClock(0);
        const rang: (readonly [at: number, index: number])[] = [];
        delays.forEach((ms, index) => clock.after(ms, () => rang.push([clock.now(), index])));
        await clock.advance(50);
        const due = delays.map((ms, index) => [Math.max(0, ms), index] as const);
        expect(rang).toEqual(due.sort(([a, i], [b, j]) => a - b || i - j));
        expect(clock.now()).toBe(50);
      }),
      { numRuns: 50 },
    );
  });

  test('meets on its way what timers set off, promises and timers alike', async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    const work = async (): Promise<void> => {
      for (const step of ['a', 'b', 'c']) {
        await sleep(clock, 10);
        await Promise.resolve();
        seen.push(`${step}${clock.now()}`);
      }
    };
    void work();
    await clock.advance(25);
    expect(seen).toEqual(['a10', 'b20']);
    await clock.idle();
    expect(seen).toEqual(['a10', 'b20', 'c30']);
    expect(clock.now()).toBe(30);
  });

  test('forgets a cancelled timer, also one cancelled by another', async () => {
    const clock = createVirtualClock();
    const rang: string[] = [];
    const cancel = clock.after(2, () => rang.push('late'));
    clock.after(1, cancel);
    clock.after(3, () => rang.push('last'));
    await clock.advance(10);
    expect(rang).toEqual(['last']);
  });

  test('gives up on timers that set each other without end', async () => {
    const clock = createVirtualClock();
    const again = (): void => void clock.after(1, again);
    again();
    await expect(clock.idle(20)).rejects.toThrow(RangeError);
  });
});
