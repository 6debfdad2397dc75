/** A clock that stands still until a test lets time pass, so that whatever waits is repeatable and takes no time (S3.3). */
import type { Clock } from '../kernel/clock';

/** A clock of which a test decides how late it is. */
export interface VirtualClock extends Clock {
  /** Timers that are neither due nor cancelled. */
  readonly pending: number;
  /**
   * Lets so many milliseconds pass. Timers run in the order in which they are due, each at its own time; what one sets off
   * settles before the next runs, so timers that it sets in turn are met on the way.
   */
  advance(ms: number): Promise<void>;
  /** Lets no time pass: ends when everything that needs none has come to rest. */
  settle(): Promise<void>;
  /** Advances from timer to timer until none is left. Throws a RangeError after `limit` timers, 10,000 by default. */
  idle(limit?: number): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Turns of the event loop that chains of promises and work in slices have to come to rest. */
const TURNS = 16;

/** Makes a clock that shows `start`, in milliseconds since the epoch; the first of January 2030 by default. */
export function createVirtualClock(start = Date.UTC(2030, 0, 1)): VirtualClock {
  /** In the order in which they were set. */
  const timers = new Set<Timer>();
  let now = start;

  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  /** The timer that is due first; of several the one that was set first. */
  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.due < first.due) first = timer;
    return first;
  };

  const run = async (timer: Timer): Promise<void> => {
    timers.delete(timer);
    now = Math.max(now, timer.due);
    timer.callback();
    await settle();
  };

  return {
    now: () => now,
    after(ms, callback) {
      const timer: Timer = { due: now + Math.max(0, ms), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = next(); timer !== undefined && timer.due <= end; timer = next()) await run(timer);
      now = Math.max(now, end);
    },
    settle,
    async idle(limit = 10_000) {
      await settle();
      for (let timer = next(); timer !== undefined; timer = next()) {
        if (limit-- <= 0) throw new RangeError('The timers set each other without end; advance by a time instead.');
        await run(timer);
      }
    },
  };
}
