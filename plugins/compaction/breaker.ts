/**
 * The circuit breaker of a worker (S9.7): after some failures in a row it is left alone, after a while one attempt is let
 * through, and a success closes it again. Pure; times are milliseconds of whatever clock the caller has.
 */

export interface BreakerLimits {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** Milliseconds until one attempt is let through. */
  readonly cooldownMs: number;
}

/** One use of the worker. Exactly one of its methods is to be called, once. */
export interface Attempt {
  succeeded(): void;
  /** Counts a failure and returns whether the breaker opened with it: by the last of a row, or by the attempt after a while. */
  failed(now: number): boolean;
  /** It ended in a way that says nothing about the worker, such as by a cancellation. */
  released(): void;
}

export class Breaker {
  readonly #limits: BreakerLimits;
  #failures = 0;
  #openedAt: number | undefined;
  /** The attempt that decides over the open breaker. */
  #probe: Attempt | undefined;

  constructor(limits: BreakerLimits) {
    this.#limits = limits;
  }

  /** Failures in a row so far. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether it is closed, so that anybody may use the worker. */
  get isClosed(): boolean {
    return this.#openedAt === undefined;
  }

  /**
   * Begins a use of the worker, or returns undefined where it is to be left alone: while the breaker is open and the time is
   * not over, or another attempt decides over it.
   *
   * @param insists whether a person asks, who may try at any time
   */
  begin(now: number, insists = false): Attempt | undefined {
    const isDue = this.#openedAt !== undefined && now - this.#openedAt >= this.#limits.cooldownMs;
    const probes = isDue && this.#probe === undefined;
    if (this.#openedAt !== undefined && !probes && !insists) return undefined;
    const attempt: Attempt = {
      succeeded: () => {
        this.#failures = 0;
        this.#openedAt = undefined;
        this.#probe = undefined;
      },
      failed: (at) => {
        const isProbe = this.#end(attempt);
        this.#failures++;
        const opens = this.#openedAt === undefined ? this.#failures >= this.#limits.failures : isProbe;
        if (opens) this.#openedAt = at;
        return opens;
      },
      released: () => void this.#end(attempt),
    };
    if (probes) this.#probe = attempt;
    return attempt;
  }

  #end(attempt: Attempt): boolean {
    if (this.#probe !== attempt) return false;
    this.#probe = undefined;
    return true;
  }
}
