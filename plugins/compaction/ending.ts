/** How a compaction comes to an end that is not `done` (S9.10). */
import { messageOf, PithError } from '../../core/index';
import type { CompactionOutcome, CompactionReport } from '../../core/index';

/** Thrown to end a compaction with an outcome; the message is its reason. */
export class Ending extends Error {
  readonly outcome: Exclude<CompactionOutcome, 'done'>;
  /** The plugin that said no. */
  readonly veto: CompactionReport['veto'];

  constructor(
    outcome: Exclude<CompactionOutcome, 'done'>,
    reason: string,
    options: { readonly cause?: unknown; readonly veto?: CompactionReport['veto'] } = {},
  ) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.outcome = outcome;
    this.veto = options.veto;
  }
}

/** The ending that anything thrown stands for. */
export function endingOf(thrown: unknown, signal: AbortSignal): Ending {
  if (thrown instanceof Ending) return thrown;
  if (signal.aborted) return cancelled(signal);
  if (PithError.is(thrown, 'PITH_SESSION_CLOSED')) return new Ending('cancelled', 'The session was closed meanwhile.');
  if (PithError.is(thrown, 'PITH_KERNEL_STOPPED'))
    return new Ending('cancelled', 'The plugins were stopped meanwhile.');
  return new Ending('worker-failed', messageOf(thrown), { cause: thrown });
}

/** The ending of work whose signal has aborted. */
export function cancelled(signal: AbortSignal): Ending {
  const { reason } = signal;
  const why = PithError.is(reason) ? ` ${reason.message}` : '';
  return new Ending('cancelled', `It was cancelled.${why}`);
}

/** The ending that an error of a worker stands for. */
export function failureOf(worker: string, thrown: unknown): Ending {
  const reason = `The worker "${worker}" failed: ${messageOf(thrown)}`;
  if (isUnavailable(thrown)) return new Ending('worker-unavailable', reason, { cause: thrown });
  if (PithError.is(thrown, 'PITH_LLM_REFUSED')) return new Ending('refused', reason, { cause: thrown });
  if (PithError.is(thrown, 'PITH_LLM_OUTPUT_LIMIT')) return new Ending('truncated-summary', reason, { cause: thrown });
  return new Ending('worker-failed', reason, { cause: thrown });
}

/** Whether nobody was there to take the job. */
function isUnavailable(thrown: unknown): boolean {
  if (PithError.is(thrown, 'PITH_BUS_RESPONDER_LOST')) return thrown.details?.['stage'] === 'offered';
  return PithError.is(thrown, 'PITH_BUS_NO_RESPONDER');
}

/** Whether an ending says something about the worker (S9.7): a cancellation and a rate limit do not. */
export function countsAgainstWorker({ outcome, cause }: Ending): boolean {
  return outcome !== 'cancelled' && !PithError.is(cause, 'PITH_LLM_RATE_LIMITED');
}
