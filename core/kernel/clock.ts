/** Time as a service, so that every test is repeatable (S3.3). */
import { createToken } from './token';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The clock of the kernel; the system's by default. */
export const CLOCK = createToken<Clock>('pith/clock');

export const systemClock: Clock = Object.freeze({ now: () => Date.now() });
