/** How the checks of session stores look at what is refused. */
import assert from 'node:assert/strict';
import { PithError } from '../errors';
import type { ErrorCode } from '../errors';

/** Whether work is refused by a code; throws where it is not. */
export async function isRefused(work: Promise<unknown>, code: ErrorCode): Promise<PithError> {
  const outcome: unknown = await work.then(
    () => 'nothing was refused',
    (error: unknown) => error,
  );
  assert.ok(PithError.is(outcome, code), `expected ${code}, got ${String(outcome)}`);
  return outcome;
}
