/** Why a request, or an ask, ends without its reply: the errors that every transport uses. */
import { messageOf, PithError } from '../errors';

/** Nobody serves the channel, or nobody who has room for more; `facts` say more of it. */
export function noResponder(subject: string, facts: Readonly<Record<string, unknown>> = {}): PithError {
  return new PithError(
    'PITH_BUS_NO_RESPONDER',
    `Nobody serves "${subject}"; start what answers it, or check its name.`,
    { details: { subject, ...facts } },
  );
}

/** The channel is served, but not in this major (S4.2). */
export function otherMajors(subject: string, major: number, majors: readonly number[]): PithError {
  const served = majors.map(String).join(', ');
  return new PithError(
    'PITH_BUS_BAD_MESSAGE',
    `"${subject}" is served in major ${served}, not in ${String(major)}; update the older side.`,
    { details: { subject, major, majors } },
  );
}

export function transportClosed(subject: string): PithError {
  return new PithError(
    'PITH_BUS_TRANSPORT_CLOSED',
    `The bus is closed; "${subject}" can neither be asked nor served.`,
    { details: { subject } },
  );
}

/** The other side threw, or said that it did. */
export function rejected(subject: string, thrown: unknown): PithError {
  const said = PithError.is(thrown) ? { code: thrown.code, details: thrown.details } : {};
  return new PithError('PITH_BUS_REJECTED', `The other side of "${subject}" refused: ${messageOf(thrown)}`, {
    cause: thrown,
    details: { subject, ...said },
  });
}

/** The signal of the request aborted. */
export function cancelled(subject: string, reason: unknown): PithError {
  return new PithError('PITH_BUS_CANCELLED', `The request to "${subject}" was cancelled.`, {
    cause: reason,
    details: { subject },
  });
}

/** No reply came within so many milliseconds. */
export function timedOut(subject: string, deadlineMs: number): PithError {
  return new PithError(
    'PITH_BUS_TIMEOUT',
    `No reply came from "${subject}" within ${String(deadlineMs)} ms; its work was told to stop.`,
    { details: { subject, deadlineMs } },
  );
}
