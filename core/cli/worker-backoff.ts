/**
 * One back-off for all that this process asks of its provider (S11): what limits one request limits them all, as they go by
 * one key. Meanwhile the process takes no job, and the requests of jobs under way share the wait.
 */
import { PithError } from '../errors';
import { sleep } from '../kernel/clock';
import type { Clock } from '../kernel/clock';
import { cancelled } from '../llm/attempt';
import type { LlmClient, LlmRequest, LlmStreamPart } from '../llm/client';

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** What a provider asks for counts up to an hour; by then it is worth another try. */
const LONGEST_ASKED_MS = 3_600_000;
/** A request of a job under way waits no longer than this; its agent is better served by somebody else. */
const LONGEST_SHARED_MS = 60_000;

export interface BackoffOptions {
  readonly clock: Clock;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** Hears that a wait has begun, and that it is over. */
  changed(): void;
}

export class SharedBackoff {
  readonly #options: BackoffOptions;
  #until = 0;
  /** Waits in a row, without a request that was answered in between. */
  #row = 0;
  #cancelTimer: () => void = () => undefined;
  /** Waits that were begun. */
  waits = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Milliseconds until requests are made again; 0 while nothing limits them. */
  get leftMs(): number {
    return Math.max(0, this.#until - this.#options.clock.now());
  }

  /**
   * Begins a wait, or prolongs the one that is on: as long as the provider asks, else 1 s, doubled for each wait in a row up
   * to 60 s, half of it at random.
   */
  limited(askedMs = 0): void {
    const { clock, random, changed } = this.#options;
    const isNew = this.leftMs === 0;
    if (isNew) this.#row++;
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#row - 1));
    const asked = Math.ceil(Math.min(askedMs, LONGEST_ASKED_MS));
    const waitMs = Math.max(asked, Math.round(longest * (0.5 + random() / 2)));
    if (waitMs <= this.leftMs) return;
    this.#until = clock.now() + waitMs;
    this.#cancelTimer();
    this.#cancelTimer = clock.after(waitMs, () => {
      this.#until = 0; // a timer may be early by a moment
      changed();
    });
    if (!isNew) return;
    this.waits++;
    changed();
  }

  /** A request was answered: the next wait is a short one. */
  served(): void {
    if (this.leftMs === 0) this.#row = 0;
  }

  /**
   * Resolves when requests may be made. Rejects with `PITH_LLM_RATE_LIMITED` where that takes longer than a minute, with
   * `PITH_CANCELLED` when the signal aborts.
   */
  async passed(signal: AbortSignal | undefined): Promise<void> {
    while (this.leftMs > 0) {
      if (this.leftMs > LONGEST_SHARED_MS) throw this.refusal();
      await sleep(this.#options.clock, this.leftMs, signal).catch(() => {
        throw cancelled();
      });
    }
  }

  /** How a job is answered that must not be begun: `details.reason` is `rate-limited`, `retryAfterMs` when to come back (S11). */
  refusal(message = 'The provider of this worker limits the rate of its requests.'): PithError {
    return new PithError('PITH_LLM_RATE_LIMITED', message, {
      details: { reason: 'rate-limited', retryAfterMs: this.leftMs },
    });
  }

  /** Ends the wait and tells nobody. */
  stop(): void {
    this.#cancelTimer();
    this.#until = 0;
  }
}

/** A model all of whose requests wait for the back-off, and begin it where the provider limits their rate. */
export function behindBackoff(model: LlmClient, backoff: SharedBackoff): LlmClient {
  const failed = (thrown: unknown): unknown => {
    if (!PithError.is(thrown, 'PITH_LLM_RATE_LIMITED') || thrown.details?.['transient'] !== true) return thrown;
    const { retryAfterMs } = thrown.details;
    backoff.limited(typeof retryAfterMs === 'number' ? retryAfterMs : undefined);
    return backoff.refusal(thrown.message);
  };
  return {
    model: model.model,
    profile: model.profile,
    tokenizer: () => model.tokenizer(),
    limits: () => model.limits(),
    async generate(request) {
      await backoff.passed(request.signal);
      try {
        const reply = await model.generate(request);
        backoff.served();
        return reply;
      } catch (thrown) {
        throw failed(thrown);
      }
    },
    async *stream(request: LlmRequest): AsyncGenerator<LlmStreamPart> {
      await backoff.passed(request.signal);
      try {
        yield* model.stream(request);
        backoff.served();
      } catch (thrown) {
        throw failed(thrown);
      }
    },
  };
}
