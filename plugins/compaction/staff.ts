/** Who works (S9.12): a plugin's own result, the configured worker while its breaker admits it, else the fallback. */
import { PithError, sleep } from '../../core/index';
import { countsAgainstWorker, Ending, endingOf } from './ending';
import type { Attempt } from './breaker';
import type { OpenDesk } from './desk';
import type { CompactorParts } from './parts';
import type { Advice, ReplacedResult } from './pre-compact';
import { workAtDesk } from './work';
import type { Work } from './work';
import type { CompactWorker } from './worker';
import { offlineWorker } from './workers/offline/offline-worker';

/** Milliseconds before a job is given out again after a rate limit, at least. */
const SHORTEST_PAUSE_MS = 250;

/** Who is wanted. */
export interface Wanted {
  /** Whether a person asks; the breaker stops automatic use alone. */
  readonly insists: boolean;
  /** Whether there is no time for anybody but the offline worker. */
  readonly inHaste: boolean;
}

/**
 * Has the plan worked on and returns the desk with what came of it. Throws an {@link Ending}, `breaker-open` without a start
 * where nobody may work.
 */
export async function staff(parts: CompactorParts, work: Work, wanted: Wanted): Promise<OpenDesk> {
  const { breaker, clock, isOffline, settings, worker } = parts;
  const { advice, told } = work;
  if (advice.replacement !== undefined) return begin(parts, work, replacementWorker(advice.replacement));
  if (isOffline || wanted.inHaste) return begin(parts, work, isOffline ? worker : offlineWorker);
  const attempt = breaker.begin(clock.now(), wanted.insists);
  if (attempt !== undefined) return attemptWith(parts, work, attempt);
  const why = `The worker "${worker.name}" rests after ${String(breaker.failures)} failures in a row.`;
  if (settings.fallback === 'none') throw new Ending('breaker-open', why);
  told.note(`${why} The offline worker served.`);
  return begin(parts, work, offlineWorker);
}

/** Uses the configured worker, and the fallback where it fails (S9.12). */
async function attemptWith(parts: CompactorParts, work: Work, attempt: Attempt): Promise<OpenDesk> {
  const { settings, worker } = parts;
  try {
    const desk = await persist(parts, work, worker);
    attempt.succeeded();
    return desk;
  } catch (thrown) {
    const ending = endingOf(thrown, work.signal);
    if (countsAgainstWorker(ending)) countFailure(parts, attempt);
    else attempt.released();
    if (ending.outcome === 'cancelled' || settings.fallback === 'none') throw ending;
    work.told.note(`${ending.message} The offline worker served.`);
    return begin(parts, work, offlineWorker);
  }
}

/**
 * Has a worker work, each time at a fresh desk and in its own time: once more where the one that had taken the job is lost
 * (S11), and after a rate limit that is over while there is still time to wait for a worker.
 */
async function persist(parts: CompactorParts, work: Work, worker: CompactWorker): Promise<OpenDesk> {
  const { clock, settings } = parts;
  const until = clock.now() + settings.workerWaitSeconds * 1000;
  let wasLost = false;
  for (;;) {
    try {
      return await begin(parts, work, worker);
    } catch (thrown) {
      if (!(thrown instanceof Ending)) throw thrown;
      const { cause, message } = thrown;
      if (PithError.is(cause, 'PITH_BUS_RESPONDER_LOST') && !wasLost) {
        wasLost = true;
        work.told.note(`${message} The job was given out once more.`);
        continue;
      }
      const pauseMs = pauseAfter(cause);
      if (pauseMs === undefined || clock.now() + pauseMs > until) throw thrown;
      await sleep(clock, pauseMs, work.signal);
    }
  }
}

/** Milliseconds after which a provider may be asked again, where it limits the rate and says so. */
function pauseAfter(cause: unknown): number | undefined {
  if (!PithError.is(cause, 'PITH_LLM_RATE_LIMITED')) return undefined;
  const asked = cause.details?.['retryAfterMs'];
  return typeof asked === 'number' && asked >= 0 ? Math.max(asked, SHORTEST_PAUSE_MS) : undefined;
}

function begin(parts: CompactorParts, work: Work, worker: CompactWorker): Promise<OpenDesk> {
  work.told.start(worker.name);
  return work.told.timed('worker', () => workAtDesk(parts, work, worker));
}

/** Reported once per opening (S9.7). */
function countFailure({ breaker, bus, clock, log, settings, worker }: CompactorParts, attempt: Attempt): void {
  if (!attempt.failed(clock.now())) return;
  const cooldownMs = settings.breakerCooldownSeconds * 1000;
  const facts = { worker: worker.name, failures: breaker.failures, cooldownMs };
  log.warn(`The compact worker "${worker.name}" is left alone for a while: it failed several times in a row.`, facts);
  bus.publish('breaker.opened', facts);
}

/** Hands in what a plugin brought, as a worker would have done. */
function replacementWorker({ plugin, result }: NonNullable<Advice['replacement']>): CompactWorker {
  return {
    name: plugin,
    async run(_job, desk, { signal }) {
      for (const [tool, args] of callsOf(result)) await desk.call(tool, args, signal);
      return { usage: { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 } };
    },
  };
}

function callsOf({ summary, marks = [], references = [] }: ReplacedResult): readonly (readonly [string, unknown])[] {
  return [
    ...marks.map((mark) => ['mark_read_required', mark] as const),
    ...references.map((reference) => ['add_reference', reference] as const),
    ['write_summary', { text: summary }] as const,
  ];
}
