/** A run as its caller sees it: events while it goes on, and its end. */
import type { PithError } from '../errors';
import type { AgentEvent, RunEnd } from './run-events';

/** One prompt on its way through the agent. Iterating gives its events, from the first on; one iterator at a time. */
export interface Run extends AsyncIterable<AgentEvent> {
  /**
   * Resolves when the prompt is in the log, in the conversation or in the queue: from then on it is not lost. Rejects where
   * it will never be, with `PITH_RUN_ABORTED`, `PITH_SESSION_CLOSED`, or `PITH_SESSION_WRITE`.
   */
  readonly accepted: Promise<void>;
  /** How the run ended. Never rejects. */
  readonly outcome: Promise<RunEnd>;
  /** Ends the run: a prompt that waits is dropped, a turn that runs is aborted. The session goes on. */
  abort(reason?: string): void;
}

/** The side of a run that the conversation holds. */
export class OpenRun implements Run {
  readonly accepted: Promise<void>;
  readonly outcome: Promise<RunEnd>;
  readonly #onAbort: (reason: string) => void;
  readonly #events: AgentEvent[] = [];
  #accept!: () => void;
  #refuse!: (error: unknown) => void;
  #finish!: (end: RunEnd) => void;
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(onAbort: (run: OpenRun, reason: string) => void) {
    this.#onAbort = (reason) => onAbort(this, reason);
    this.accepted = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#refuse = reject;
    });
    // Whoever does not ask hears of it by the outcome.
    this.accepted.catch(() => undefined);
    this.outcome = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get ended(): boolean {
    return this.#ended;
  }

  accept(): void {
    this.#accept();
  }

  /** Ends a run whose prompt will never be in the log. */
  refuse(error: PithError, end: RunEnd): void {
    this.#refuse(error);
    this.emit({ type: 'end', end });
  }

  emit(event: AgentEvent): void {
    if (this.#ended) return;
    this.#events.push(event);
    if (event.type === 'end') {
      this.#ended = true;
      this.#finish(event.end);
    }
    this.#wake?.();
  }

  abort(reason = 'It was cancelled.'): void {
    if (!this.#ended) this.#onAbort(reason);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    for (;;) {
      for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) yield event;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
