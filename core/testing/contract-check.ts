/** What the contracts of the kit have in common: each is a list of checks that need no test runner. */
import assert from 'node:assert/strict';
import { PithError } from '../errors';
import type { ErrorCode } from '../errors';
import { SOON } from './bus-channel';

/** One check of a contract, ready to run: `test.each` of any runner takes a list of them. */
export interface ContractCheck {
  /** A sentence that holds for every implementation. */
  readonly name: string;
  /** Rejects where the implementation is not as it must be; most often with an `AssertionError` that says how. */
  run(): Promise<void>;
}

/** Whether work is refused by a code; throws where it is not. */
export async function isRefused(work: Promise<unknown>, code: ErrorCode): Promise<PithError> {
  const outcome: unknown = await work.then(
    () => 'nothing was refused',
    (error: unknown) => error,
  );
  assert.ok(PithError.is(outcome, code), `expected ${code}, got ${String(outcome)}`);
  return outcome;
}

/** The outcome of work that must end within {@link SOON}; rejects with what was to happen where it does not. */
export async function soon<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: `${what} within ${SOON} ms` })), SOON);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
