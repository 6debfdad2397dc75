/**
 * The safety net between requests (S9.1, S9.2): what is too large is not sent. The run is parked while the context shrinks,
 * at most twice for one request; what then still does not fit ends the run with a typed error, never in a loop.
 */
import { sleep } from '../../core/index';
import type { Abort, CompactionReport, PithError, PreLlmRequestEvent, Session, Yield } from '../../core/index';
import type { Prune } from '../prune/token';
import type { Automatic, Measures } from './automatic';
import type { CompactionRun } from './compaction-run';
import { cutDownResults } from './cut-down';
import { doesNotFit, vetoed } from './overflow';
import { SESSION_COMPACTOR } from './session-compactor';
import { atMost } from './thresholds';

/** Yields for one request: a compaction, then a smaller one. */
const MOST_YIELDS = 2;

/** A request that is too large. */
export interface TooLarge {
  readonly session: Session;
  readonly measures: Measures;
  readonly yields: number;
  readonly overflow: PithError | undefined;
  /** Whether it cannot be sent as it is: it does not fit into the window, or the provider has said so. */
  readonly isPressing: boolean;
}

export class SafetyNet {
  readonly #automatic: Automatic;
  readonly #prune: Prune | undefined;
  /** Who said no to compacting for the request that is being prepared. */
  readonly #vetoes = new WeakMap<Session, NonNullable<CompactionReport['veto']>>();

  constructor(automatic: Automatic, prune: Prune | undefined) {
    this.#automatic = automatic;
    this.#prune = prune;
  }

  /** Judges what is about to be sent, the edits of earlier handlers included. */
  check({ session, context, yields, overflow }: PreLlmRequestEvent): Yield | Abort | undefined {
    if (yields === 0) this.#vetoes.delete(session);
    const measures = this.#automatic.measures(session);
    const occupancy = context.occupancy();
    if (overflow === undefined && !measures.exceedsRequest(atMost(occupancy))) return undefined;
    const trigger = overflow === undefined ? 'request' : 'overflow';
    if (this.#automatic.isObserving) {
      this.#automatic.observe(session, trigger);
      return undefined;
    }
    const veto = this.#vetoes.get(session);
    const { tokens } = occupancy;
    if (veto !== undefined) return ending(vetoed(veto, tokens, measures, overflow));
    const isPressing = overflow !== undefined || tokens > measures.window;
    const isResting = session.get(SESSION_COMPACTOR).rest(measures.window) === 'no-gain';
    if (!isPressing && (isResting || yields >= MOST_YIELDS)) return undefined;
    if (yields >= MOST_YIELDS) return ending(doesNotFit(tokens, measures, overflow));
    return {
      do: 'yield',
      reason: `The next request would have about ${atMost(occupancy)} tokens; the context is compacted first.`,
      run: (signal) => this.#shrink({ session, measures, yields, overflow, isPressing }, signal),
    };
  }

  async #shrink(request: TooLarge, signal: AbortSignal): Promise<void> {
    const { session, isPressing, yields } = request;
    const report = await this.#compact(request, signal);
    if (report.outcome === 'done' || signal.aborted) return;
    if (report.veto !== undefined) {
      this.#vetoes.set(session, report.veto);
      this.#prune?.prune(session);
    } else if (report.outcome === 'nothing-to-do' || (isPressing && yields > 0)) {
      cutDownResults(this.#automatic.parts, request);
    }
  }

  /**
   * Waits for the compaction that is under way, else begins one. The second time it keeps only what the next request answers,
   * and anything that clearly fits the window will do.
   */
  async #compact({ session, measures, yields, overflow }: TooLarge, signal: AbortSignal): Promise<CompactionReport> {
    const compactor = session.get(SESSION_COMPACTOR);
    const { running } = compactor;
    const awaited = running === undefined ? undefined : await this.#await(running, signal);
    if (awaited?.outcome === 'done') return awaited;
    const { requestThreshold, window } = measures;
    const isLast = yields > 0;
    const threshold = isLast ? Math.max(requestThreshold ?? 0, window) : requestThreshold;
    const options = {
      trigger: overflow === undefined ? 'request' : 'overflow',
      signal,
      inHaste: running !== undefined && awaited === undefined,
      ...(threshold !== undefined && { threshold }),
      ...(isLast && { retainedTokens: 0 }),
    } as const;
    return compactor.begin(options, true).end;
  }

  /**
   * Has a compaction end that is under way, for as long as a request may wait (S9.11). Returns undefined where that was too
   * long for it and it was cancelled; it is not cancelled where nobody could serve in its place.
   */
  async #await(run: CompactionRun, signal: AbortSignal): Promise<CompactionReport | undefined> {
    const { clock, settings } = this.#automatic.parts;
    const over = new AbortController();
    // Where nobody may serve in its place, it has the time of both its plans.
    const seconds = settings.fallback === 'none' ? 2 * settings.workerTimeoutSeconds : settings.netWaitSeconds;
    const waited = sleep(clock, seconds * 1000, AbortSignal.any([signal, over.signal])).catch(() => undefined);
    run.urge();
    const report = await Promise.race([run.end, waited]);
    over.abort();
    signal.throwIfAborted();
    if (report !== undefined) return report;
    run.cancel('The next request could not wait any longer.');
    await run.end;
    return undefined;
  }
}

function ending(error: PithError): Abort {
  return { do: 'abort', reason: error.message, error };
}
