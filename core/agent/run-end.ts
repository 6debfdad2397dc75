/** What ends a run before the agent is done. */
import { messageOf, PithError } from '../errors';
import type { RunEnd } from './run-events';
import type { RunAbort } from './tool-calls';

/** The error that a handler's abort ends the run with: its own, or `PITH_RUN_ABORTED`. */
export function endOfRun({ reason, plugin, error }: RunAbort): PithError {
  return error ?? new PithError('PITH_RUN_ABORTED', reason, plugin === undefined ? {} : { plugin });
}

/** How a run ends that met this: aborted where somebody asked for that, else failed. */
export function failedEnd(thrown: unknown, signal: AbortSignal): RunEnd {
  if (signal.aborted) return { outcome: 'aborted', text: '', reason: messageOf(signal.reason) };
  if (PithError.is(thrown, 'PITH_RUN_ABORTED')) return { outcome: 'aborted', text: '', reason: thrown.message };
  return { outcome: 'failed', text: '', error: PithError.is(thrown) ? thrown : unexpected(thrown) };
}

function unexpected(cause: unknown): PithError {
  return new PithError('PITH_RUN_FAILED', `The run failed: ${messageOf(cause)}`, { cause });
}
