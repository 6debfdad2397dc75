/**
 * Subjects and their tokens. The library writes whatever it is given into its line of protocol, where a line break or a space
 * begins a command of its own: so every subject, queue and name is checked here, those that are built and those that others sent.
 */
import { randomFillSync } from 'node:crypto';
import { PithError } from '../../errors';

/** Characters of a subject. Two of them and the rest of a command fit into the 4096 bytes that a server reads as one. */
const LONGEST = 1024;
/** What a subject token of Pith is. */
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
/** Tokens of printable ASCII without wildcards, as others may use them in a reply. */
const SUBJECT = /^[!-)+,\-/-=?-~]+(?:\.[!-)+,\-/-=?-~]+)*$/;
/** The same with `*` and a last `>` in place of tokens. */
const PATTERN = /^(?:>|(?:\*|[!-)+,\-/-=?-~]+)(?:\.(?:\*|[!-)+,\-/-=?-~]+))*(?:\.>)?)$/;
const RANDOM_BYTES = 16;
const pool = Buffer.alloc(256 * RANDOM_BYTES);
let used = pool.length;

/** Whether a text is one token of letters, digits, `_` and `-`, at most 64. */
export function isToken(text: unknown): text is string {
  return typeof text === 'string' && TOKEN.test(text);
}

/** Joins tokens to a subject; a part may be several tokens parted by dots. Throws `PITH_BUS_BAD_MESSAGE`. */
export function subjectOf(...parts: readonly string[]): string {
  const subject = parts.join('.');
  if (subject.length <= LONGEST && parts.every((part) => part.split('.').every(isToken))) return subject;
  throw badSubject('subject', subject, 'its tokens are 1 to 64 letters, digits, _ and -');
}

/** Where the requests of a channel go. */
export function channelSubject(namespace: string, channel: string): string {
  return subjectOf(namespace, 'v1', channel);
}

/** Where requesters reach the one worker of this name. */
export function controlSubject(namespace: string, worker: string, verb: 'cancel' | 'probe'): string {
  return subjectOf(namespace, 'v1', 'ctl', worker, verb);
}

/** Throws `PITH_BUS_BAD_MESSAGE` unless something can be published to a subject, or answered there. */
export function checkSubject(what: 'subject' | 'reply', subject: string): void {
  if (subject.length <= LONGEST && SUBJECT.test(subject)) return;
  throw badSubject(what, subject, 'no token may be empty or hold a space, a wildcard or what is not printable ASCII');
}

/** Throws `PITH_BUS_BAD_MESSAGE` unless a subject, perhaps with wildcards, can be subscribed to. */
export function checkPattern(subject: string): void {
  if (subject.length <= LONGEST && PATTERN.test(subject)) return;
  throw badSubject('subject', subject, 'tokens are printable ASCII, or one * each, or a > at the end');
}

/** Throws `PITH_BUS_BAD_MESSAGE` unless a text is one token. */
export function checkToken(what: string, text: string): void {
  if (!isToken(text)) throw badSubject(what, text, 'it is 1 to 64 letters, digits, _ and -');
}

/** A token that nobody guesses, of 128 random bits. */
export function randomToken(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.toString('base64url', used, (used += RANDOM_BYTES));
}

function badSubject(what: string, text: string, rule: string): PithError {
  const shown = JSON.stringify(text.slice(0, 80));
  return new PithError('PITH_BUS_BAD_MESSAGE', `${shown} cannot be a ${what} of a message: ${rule}.`, {
    details: { [what]: text.slice(0, 80), length: text.length },
  });
}
