/** Time as a service, so that every test is repeatable (S3.3). */
import { createToken } from './token';

/** Time, as a service. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once, in so many milliseconds, unless cancelled before; until then the process lives on. */
  after(ms: number, callback: () => void): () => void;
}

/** The clock of the kernel; the system's by default. */
export const CLOCK = createToken<Clock>('pith/clock');

/** The time of the system. */
export const systemClock: Clock = Object.freeze<Clock>({
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
});

/** Resolves in so many milliseconds, or rejects with the reason of the signal as soon as that aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const wake = (): void => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const cancel = clock.after(ms, wake);
    const abort = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}
