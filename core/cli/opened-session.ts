/** Opening a session file for a command: reading, choosing one session of several, and saying what was found. */
import { basename } from 'node:path';
import { PithError } from '../errors';
import { createImportedSession, FORMATS, readSessions, readSource } from '../formats';
import type { ImportedSession } from '../formats';
import { nearest } from '../kernel/nearest';
import type { SessionServices } from '../session/log-session';
import type { Session } from '../session/session';
import { countConversation } from '../agent/inspect';
import { counted } from './layout';
import type { Terminal } from './terminal';

/** `source` of both JSON forms (S12.1). */
export interface SourceFacts {
  readonly format: string;
  readonly path: string;
  readonly sessionId: string;
  readonly items: number;
  readonly turns: number;
  readonly requests: number;
}

export interface OpenedSession {
  readonly session: Session;
  readonly facts: SourceFacts;
  /** 1-based number of the session in the file, and how many the file holds. */
  readonly number: number;
  readonly of: number;
}

/** Which session of which file. */
export interface SessionChoice {
  /** The file, or `-` for standard input. */
  readonly file: string;
  readonly format?: string | undefined;
  /** A 1-based number or an id; the first session where left out. */
  readonly session?: string | undefined;
}

export interface OpenOptions extends SessionChoice {
  services(session: Session): SessionServices;
}

/**
 * Opens a session and tells on the terminal what was left out of it. Throws `PITH_USAGE` for a format or session that is not
 * there, and what reading a source throws.
 */
export async function openSession(
  { file, format, session: wanted, services }: OpenOptions,
  terminal: Terminal,
): Promise<OpenedSession> {
  if (format !== undefined) requireFormat(format);
  const sessions = readSessions(await readSource(file), format);
  const number = wanted === undefined ? 1 : numberOf(wanted, sessions, file);
  const imported = sessions[number - 1] as ImportedSession;
  tellLeftOut(imported, terminal);
  const id = idOf(imported, number, sessions.length, file);
  const session = createImportedSession(imported, { id, services });
  const facts = { format: imported.format, path: file, sessionId: id, ...countConversation(session) };
  return { session, facts, number, of: sessions.length };
}

function requireFormat(name: string): void {
  const names = FORMATS.map((known) => known.name);
  if (names.includes(name)) return;
  const meant = nearest(name, names);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  throw new PithError('PITH_USAGE', `there is no format "${name}".${hint} Known formats: ${names.join(', ')}`);
}

/** The 1-based number of the session that is asked for by number or id. */
function numberOf(wanted: string, sessions: readonly ImportedSession[], file: string): number {
  const byId = sessions.findIndex((session, at) => idOf(session, at + 1, sessions.length, file) === wanted);
  if (byId >= 0) return byId + 1;
  const number = /^\d+$/.test(wanted) ? Number(wanted) : 0;
  if (number >= 1 && number <= sessions.length) return number;
  const shown = sessions
    .slice(0, 10)
    .map((session, at) => `${String(at + 1)} (${idOf(session, at + 1, sessions.length, file)})`);
  const more = sessions.length > shown.length ? ', …' : '';
  throw new PithError(
    'PITH_USAGE',
    `${file} has no session "${wanted}"; it holds ${counted(sessions.length, 'session')}: ${shown.join(', ')}${more}`,
  );
}

/** The id of a session; where the file gives none, its name, with the number where it holds several. */
function idOf({ id }: ImportedSession, number: number, of: number, file: string): string {
  if (id !== undefined) return id;
  const name = file === '-' ? 'stdin' : basename(file).replace(/\.[^.]*$/, '');
  return of === 1 ? name : `${name}#${String(number)}`;
}

function tellLeftOut({ malformed, sidechains, warnings }: ImportedSession, terminal: Terminal): void {
  if (malformed > 0) terminal.warn(`${counted(malformed, 'malformed line')} left out`);
  if (sidechains > 0) terminal.warn(`${counted(sidechains, 'record')} of sub-agents left out`);
  for (const warning of warnings) terminal.warn(warning);
}
