/** One sending of a request: it ends when the caller aborts, or when the provider is silent for too long. */
import { PithError } from '../errors';
import type { Clock } from '../kernel/clock';

export interface AttemptOptions {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds without a sign of life. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Who is silent, for the message. */
  readonly provider: string;
}

export class Attempt {
  readonly #controller = new AbortController();
  readonly #options: AttemptOptions;
  readonly #aborted: Promise<never>;
  readonly #onAbort: () => void;
  #cancelTimer: () => void;
  #lastSign: number;

  /** Throws `PITH_CANCELLED` where the signal has aborted already. */
  constructor(options: AttemptOptions) {
    const { signal, timeoutMs, clock } = options;
    if (signal?.aborted === true) throw cancelled();
    this.#options = options;
    this.#aborted = new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason as Error), { once: true });
    });
    this.#aborted.catch(() => undefined);
    this.#onAbort = () => this.#controller.abort(cancelled());
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#lastSign = clock.now();
    this.#cancelTimer = clock.after(timeoutMs, () => this.#checkSilence());
  }

  /** For the provider; aborts when the attempt ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * The result of a piece of work, or the reason of the end if that comes first, also where the work does not listen to the
   * signal: `PITH_CANCELLED`, or `PITH_LLM_TRANSPORT` when nothing came for too long.
   */
  async race<T>(work: PromiseLike<T>): Promise<T> {
    try {
      const result = await Promise.race([work, this.#aborted]);
      this.#lastSign = this.#options.clock.now();
      return result;
    } catch (thrown) {
      throw this.signal.aborted ? this.signal.reason : thrown;
    }
  }

  /** Ends the attempt: what the provider still does is aborted, and nothing is listened to any more. */
  end(): void {
    this.#cancelTimer();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort(cancelled());
  }

  /** One timer for a whole reply: it is set anew only where there was a sign of life since. */
  #checkSilence(): void {
    const { clock, timeoutMs, provider } = this.#options;
    const left = this.#lastSign + timeoutMs - clock.now();
    if (left > 0) {
      this.#cancelTimer = clock.after(left, () => this.#checkSilence());
      return;
    }
    const message = `${provider} sent nothing for ${timeoutMs / 1000} seconds. Try again, or allow more (timeout_seconds).`;
    this.#controller.abort(new PithError('PITH_LLM_TRANSPORT', message, { details: { provider, transient: true } }));
  }
}

/** The error of a request that its caller gave up. */
export function cancelled(): PithError {
  return new PithError('PITH_CANCELLED', 'The request to the model was cancelled by its signal.');
}
