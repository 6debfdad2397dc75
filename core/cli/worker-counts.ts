/** What a worker process has done since it started, for metrics, for discovery and for its log. */
import type { WorkUsage } from '../session/records';

/**
 * How a job ended for the worker: `done`; `failed`; `cancelled` by its agent, its deadline or the loss of the agent;
 * `rate-limited` by the provider; `handed-back` because the process ends.
 */
export const JOB_OUTCOMES = ['done', 'failed', 'cancelled', 'rate-limited', 'handed-back'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/** Upper bounds of the histogram of durations, in seconds. */
export const DURATION_BOUNDS = [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 180, 300, 600] as const;

export const NO_USAGE: WorkUsage = {
  requests: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};

export class WorkerCounts {
  /** Jobs that were begun. */
  started = 0;
  readonly outcomes: Record<JobOutcome, number> = {
    done: 0,
    failed: 0,
    cancelled: 0,
    'rate-limited': 0,
    'handed-back': 0,
  };
  /** Calls at the desks of agents. */
  asks = 0;
  /** What the requests to the model took in all. */
  usage: WorkUsage = NO_USAGE;
  /** Milliseconds of all jobs that ended. */
  processingMs = 0;
  /** Jobs that ended within each of {@link DURATION_BOUNDS}, and in the last place those that took longer. */
  readonly durations: number[] = [...DURATION_BOUNDS, Infinity].map(() => 0);
  /** The code of the error that the last failed job ended with. */
  lastError: string | undefined;
  readonly #waiting: (() => void)[] = [];

  /** Jobs that ended, however. */
  get ended(): number {
    return JOB_OUTCOMES.reduce((sum, outcome) => sum + this.outcomes[outcome], 0);
  }

  /** Jobs under way. */
  get inflight(): number {
    return this.started - this.ended;
  }

  /** Resolves when no job is under way. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.inflight === 0) resolve();
      else this.#waiting.push(resolve);
    });
  }

  /** A job that was begun ended. */
  endedAs(outcome: JobOutcome, ms: number, error?: string): void {
    this.outcomes[outcome]++;
    if (this.inflight === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    this.processingMs += ms;
    const place = DURATION_BOUNDS.findIndex((bound) => ms <= bound * 1000);
    const at = place === -1 ? DURATION_BOUNDS.length : place;
    this.durations[at] = (this.durations[at] ?? 0) + 1;
    if (outcome === 'failed') this.lastError = error;
  }

  /** A job that was told to have used `before` has used `now`. */
  spent(before: WorkUsage, now: WorkUsage): void {
    const sum = (key: keyof WorkUsage): number => this.usage[key] + Math.max(0, now[key] - before[key]);
    this.usage = {
      requests: sum('requests'),
      inputTokens: sum('inputTokens'),
      cacheReadTokens: sum('cacheReadTokens'),
      cacheWriteTokens: sum('cacheWriteTokens'),
      outputTokens: sum('outputTokens'),
    };
  }
}
