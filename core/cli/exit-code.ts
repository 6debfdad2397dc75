/** What an error means for the exit code (S12): 1 the work failed, 2 the call or the manifest is wrong. */
import { PithError } from '../errors';
import type { ErrorCode } from '../errors';

/** The exit codes of every command. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130, terminated: 143, hungUp: 129 } as const;

const USAGE_CODES: ReadonlySet<ErrorCode> = new Set([
  'PITH_USAGE',
  'PITH_NOT_AVAILABLE',
  'PITH_MANIFEST_NOT_FOUND',
  'PITH_MANIFEST_INVALID',
  'PITH_PLUGIN_GRAPH',
  'PITH_PLUGIN_CONFIG',
  'PITH_MODEL_MISSING',
  'PITH_BUS_SETTINGS',
]);

/** The exit code of a command that ended with this error. */
export function exitCodeOf(error: unknown): number {
  return PithError.is(error) && USAGE_CODES.has(error.code) ? EXIT.usage : EXIT.failed;
}
