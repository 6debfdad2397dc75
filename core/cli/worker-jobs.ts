/** Jobs as a worker process does them: counted, told to its log, refused while the provider limits it, handed back when it ends. */
import type { CompactJob, CompactWorker, Desk, WorkerReport } from '../../plugins/compaction';
import type { WorkOptions } from '../../plugins/compaction/worker';
import { unlessAborted } from '../bus/unless-aborted';
import { messageOf, PithError } from '../errors';
import type { Logger } from '../kernel/logger';
import type { WorkUsage } from '../session/records';
import type { SharedBackoff } from './worker-backoff';
import { NO_USAGE } from './worker-counts';
import type { JobOutcome, WorkerCounts } from './worker-counts';
import type { WorkerLog } from './worker-log';

export interface JobsParts {
  readonly counts: WorkerCounts;
  readonly backoff: SharedBackoff;
  readonly log: WorkerLog;
  /** Aborts when the process can wait for its jobs no longer. */
  readonly handBack: AbortSignal;
}

/** The worker as this process serves it. */
export function watchedWorker(worker: CompactWorker, parts: JobsParts): CompactWorker {
  const { backoff, handBack, log } = parts;
  return {
    name: worker.name,
    run: (job, desk, options) =>
      log.within({ job: job.id, session: job.sessionId, attempt: options.attempt ?? 1 }, async () => {
        if (handBack.aborted) throw handedBack();
        if (backoff.leftMs > 0) throw backoff.refusal();
        return watched(worker, parts, job, desk, options);
      }),
  };
}

async function watched(
  worker: CompactWorker,
  { counts, handBack, log: { log } }: JobsParts,
  job: CompactJob,
  desk: Desk,
  { signal: asked, progress, ...options }: WorkOptions,
): Promise<WorkerReport> {
  const tally = new Tally(counts, log);
  // Aborts with the process, and is forgotten with the job, as a signal that derives from that of the process would not be.
  const ending = new AbortController();
  const end = (): void => ending.abort(handBack.reason);
  handBack.addEventListener('abort', end);
  try {
    const report = await unlessAborted(ending.signal, () =>
      worker.run(job, tally.watched(desk), {
        ...options,
        signal: AbortSignal.any([asked, ending.signal]),
        progress(step) {
          if (step.spent !== undefined) tally.spent(step.spent);
          progress(step);
        },
      }),
    );
    tally.spent(report);
    tally.ended('done');
    return report;
  } catch (thrown) {
    tally.ended(outcomeOf(thrown, asked, handBack), thrown);
    throw handBack.aborted && !asked.aborted ? handedBack() : thrown;
  } finally {
    handBack.removeEventListener('abort', end);
  }
}

/** What one job has cost so far, for counts and log. */
class Tally {
  readonly #counts: WorkerCounts;
  readonly #log: Logger;
  readonly #begunAt = performance.now();
  #asks = 0;
  #usage: WorkUsage = NO_USAGE;

  /** The job begins. */
  constructor(counts: WorkerCounts, log: Logger) {
    this.#counts = counts;
    this.#log = log;
    counts.started++;
    log.info('A job began.', { inflight: counts.inflight });
  }

  /** The desk, whose calls are counted. */
  watched(desk: Desk): Desk {
    return {
      call: (tool, args, signal) => {
        this.#asks++;
        this.#counts.asks++;
        return desk.call(tool, args, signal);
      },
    };
  }

  spent({ usage }: WorkerReport): void {
    this.#counts.spent(this.#usage, usage);
    this.#usage = usage;
  }

  ended(outcome: JobOutcome, thrown?: unknown): void {
    const ms = Math.round(performance.now() - this.#begunAt);
    const code = PithError.is(thrown) ? thrown.code : undefined;
    const { requests, inputTokens, outputTokens } = this.#usage;
    const facts = { outcome, ms, asks: this.#asks, requests, inputTokens, outputTokens };
    const level = outcome === 'failed' ? 'warn' : 'info';
    this.#log[level](`A job ended: ${outcome}.`, { ...facts, ...(code !== undefined && { code }) });
    // What a provider or a desk says may hold words of the session.
    if (thrown !== undefined) this.#log.debug(`It ended so because: ${messageOf(thrown)}`);
    this.#counts.endedAs(outcome, ms, code ?? 'PITH_RUN_FAILED');
  }
}

function outcomeOf(thrown: unknown, asked: AbortSignal, handBack: AbortSignal): JobOutcome {
  if (asked.aborted) return 'cancelled';
  if (handBack.aborted) return 'handed-back';
  return PithError.is(thrown, 'PITH_LLM_RATE_LIMITED') ? 'rate-limited' : 'failed';
}

/** How a job is answered that is to be given to another worker. */
function handedBack(): PithError {
  return new PithError('PITH_KERNEL_STOPPED', 'The worker ends before the job is done; another one can do it.', {
    details: { retryable: true },
  });
}
