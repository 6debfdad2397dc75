/** The todo list of a session (S3.8), for tools that keep it and hosts that show it. */
import { createSessionToken } from '../../core/index';

/** A task of the list. */
export interface TodoEntry {
  /** What is to be done, one line. */
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** The list of tasks of one session. */
export interface TodoList {
  /** The entries as they were written last, in order; it follows restore. */
  entries(): readonly TodoEntry[];
  /** Replaces the list, durably. */
  write(entries: readonly TodoEntry[]): void;
}

/** The list of tasks of a session; served by `todo`. */
export const TODO_LIST = createSessionToken<TodoList>('pith/todo-list');
