/** Entries of a todo list: their schema, their bounds, and how they are shown (pure). */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { TodoEntry } from './token';

/** Entries of a list, and characters of one, at most. */
export const MOST_ENTRIES = 50;
export const MOST_CHARACTERS = 300;
export const STATUSES = ['pending', 'in_progress', 'completed'] as const;

/** The list as the session keeps it. */
export const TODO_STATE: StandardSchemaV1<unknown, readonly TodoEntry[]> = {
  '~standard': {
    version: 1,
    vendor: 'pith',
    validate: (value) =>
      Array.isArray(value) && value.every(isEntry)
        ? { value: value.map(({ content, status }) => ({ content, status })) }
        : { issues: [{ message: 'expected a list of entries with content and status' }] },
  },
};

function isEntry(value: unknown): value is TodoEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { content, status } = value as Partial<TodoEntry>;
  return typeof content === 'string' && STATUSES.some((known) => known === status);
}

/** Entries with each content on one line. */
export function tidy(entries: readonly TodoEntry[]): readonly TodoEntry[] {
  return entries.map(({ content, status }) => ({
    content: content.toWellFormed().replace(/\s+/g, ' ').trim(),
    status,
  }));
}

/** What is wrong with tidy entries, in a sentence; undefined where nothing is. */
export function problemOf(entries: readonly TodoEntry[]): string | undefined {
  const active = entries.filter(({ status }) => status === 'in_progress').length;
  if (active > 1) return `${String(active)} entries are in_progress; only one may be at a time.`;
  const empty = entries.findIndex(({ content }) => content === '');
  return empty === -1 ? undefined : `entry ${String(empty + 1)} says nothing.`;
}

/** One line an entry; the same list gives the same text. */
export function render(entries: readonly TodoEntry[]): string {
  return entries.map(({ content, status }) => `- [${status}] ${content}`).join('\n');
}

/** The list in one line. */
export function summarise(entries: readonly TodoEntry[]): string {
  if (entries.length === 0) return 'The todo list is empty';
  const done = entries.filter(({ status }) => status === 'completed').length;
  const active = entries.find(({ status }) => status === 'in_progress');
  const now = active === undefined ? '' : `; in progress: ${active.content}`;
  return `Todo list: ${String(done)} of ${String(entries.length)} done${now}`;
}
