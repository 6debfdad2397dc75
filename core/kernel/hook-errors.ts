/** What goes wrong in a dispatch, in words (S3.6). */
import { messageOf, PithError } from '../errors';
import type { HookDefinition } from './hooks';

interface Asked {
  readonly plugin: string;
  readonly deadlineMs: number | null;
}

/** A handler threw or rejected, or its result could not be applied. */
export function handlerThrew({ plugin }: Asked, hook: string, cause: unknown): PithError {
  const message = `Plugin "${plugin}" failed in hook "${hook}": ${messageOf(cause)}`;
  return new PithError('PITH_HOOK_FAILED', message, { plugin, hook, cause });
}

/** A handler returned what its hook does not know. */
export function outcomeUnknown({ plugin }: Asked, hook: string, problem: string): PithError {
  const message = `Plugin "${plugin}" gave hook "${hook}" an outcome it does not know: ${problem}.`;
  return new PithError('PITH_HOOK_FAILED', message, { plugin, hook });
}

/** A handler did not end in time. */
export function handlerLate({ plugin, deadlineMs }: Asked, hook: string): PithError {
  const message =
    `Plugin "${plugin}" did not end hook "${hook}" within ${String(deadlineMs)} ms and is left behind; ` +
    'give its handler another deadlineMs if it may take longer.';
  return new PithError('PITH_HOOK_DEADLINE', message, { plugin, hook });
}

/** The error of a dispatch whose signal aborted. */
export function dispatchCancelled(hook: string, signal: AbortSignal): PithError {
  return new PithError('PITH_CANCELLED', `Hook "${hook}" was cancelled.`, { hook, cause: signal.reason });
}

/** What is wrong with what a handler returned, or undefined. */
export function outcomeProblem(outcome: unknown, { may, check }: HookDefinition): string | undefined {
  const known = may.length === 0 ? 'it takes none' : `it takes nothing or { do: ${may.join(' | ')} }`;
  if (typeof outcome !== 'object' || outcome === null) return `${typeof outcome} where ${known}`;
  const { do: what } = outcome as { readonly do?: unknown };
  if (typeof what !== 'string' || !may.includes(what)) return `{ do: ${String(what)} } where ${known}`;
  return check?.(outcome as never);
}
