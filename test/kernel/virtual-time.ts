/** The deadlines of the kernel without their wait: time passes only while something is waited for. */
import { TICK_MS } from '../../core/bus/watchdog';

/** Puts the timers of a test file into the hand of {@link pumped}; immediates stay real. */
export function inVirtualTime(): void {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] }));
  afterEach(() => {
    jest.advanceTimersByTime(TICK_MS);
    jest.useRealTimers();
  });
}

/** Resolves in so many virtual milliseconds. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The outcome of work; time passes as long as it takes. */
export async function pumped<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => void (isOver = true);
  work.then(over, over);
  for (;;) {
    // what needs no time comes to rest before any passes
    for (let turn = 0; turn < 3 && !isOver; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (isOver) return work;
    jest.advanceTimersByTime(TICK_MS / 5);
  }
}
