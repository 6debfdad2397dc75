/**
 * What plugins on the model side of a compact worker go by (S3.5): the task that its loop writes into its own session, and
 * the words by which the desk says what became of a summary. The desk itself is out of reach there.
 */
import type { Session, SessionState } from '../../core/index';

/** What a worker's session says of its job. */
export interface WorkerTask {
  /** Input tokens of all requests together. */
  readonly maxInputTokens: number;
  /** Whether files were touched that the worker is to judge, and marks are possible. */
  readonly judgesFiles: boolean;
}

/** The task of a worker's session; undefined in any other session. */
export function workerTask(session: Session): SessionState<WorkerTask> {
  return session.state('compact-worker', {
    '~standard': {
      version: 1,
      vendor: 'pith',
      validate: (value) =>
        isTask(value) ? { value } : { issues: [{ message: 'expected maxInputTokens and judgesFiles' }] },
    },
  });
}

/** How the result of `write_summary` begins where a summary lies at the desk now, whatever may be wrong with it. */
export const SUMMARY_TAKEN = 'Summary taken';
/** How it ends where that summary cannot be used and no other is asked for. */
export const SUMMARY_FINAL = 'No further summary is asked for.';

function isTask(value: unknown): value is WorkerTask {
  if (typeof value !== 'object' || value === null) return false;
  const { maxInputTokens, judgesFiles } = value as Partial<WorkerTask>;
  return typeof maxInputTokens === 'number' && maxInputTokens > 0 && typeof judgesFiles === 'boolean';
}
