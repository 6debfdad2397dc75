/** The tracker service (S7): which files the agent touched, newest first. */
import { createSessionToken } from '../../core/index';

/** What the agent has touched in one session, by path (S7). */
export interface Tracker {
  /** Moves a file to the front; with bytes its content hash is kept. */
  record(path: string, bytes?: Uint8Array | string): void;
  /** Up to `n` files, newest first. */
  recentFiles(n: number): readonly string[];
  /** Last content hash that the agent saw, or undefined. */
  observed(path: string): string | undefined;
  /** Whether the file changed under the agent; true where the agent never saw it. */
  changedSince(path: string, bytes: Uint8Array | string): boolean;
  /** Marks the contents of all files as no longer in the context: they must be read before an edit. */
  forgetContents(except?: Iterable<string>): void;
}

/** The tracker of a session (S7.3). */
export const TRACKER = createSessionToken<Tracker>('pith/tracker');
