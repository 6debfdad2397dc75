/**
 * A conversation: prompts in, runs out, one turn at a time (S2). Prompts that arrive meanwhile wait in the log and are never
 * lost; compaction on request waits its turn like a prompt.
 */
import type { NewItem } from '../session/items';
import type { Session } from '../session/session';
import type { CompactionReport } from './compaction';
import type { Run } from './run';

/** How a prompt is sent. */
export interface SendOptions {
  /** While a turn runs: wait for its end (default), or join it at its next request. */
  readonly whenBusy?: 'queue' | 'steer';
  /** Aborts the run. */
  readonly signal?: AbortSignal;
}

/** One session of an agent, as a host talks to it. */
export interface Conversation extends AsyncDisposable {
  readonly session: Session;
  /** Whether a turn or a requested compaction runs, or prompts wait. */
  readonly busy: boolean;
  /** The runs of prompts that wait for a turn of their own, oldest first; after a restore those that waited before. */
  readonly waiting: readonly Run[];
  /** Sends a prompt. Never throws; {@link Run.outcome} tells all that goes wrong. */
  send(prompt: string | NewItem, options?: SendOptions): Run;
  /**
   * Goes on after a restore: with the turn that was interrupted, else with the first prompt that waits. Undefined where
   * there is neither. Prompts that wait are also taken before the next one that is sent.
   */
  resume(): Run | undefined;
  /**
   * Compacts now, or as soon as the turn that runs has ended; prompts wait meanwhile. Throws `PITH_SERVICE_MISSING` without
   * the plugin `compaction`, `PITH_SESSION_CLOSED`.
   */
  compact(options?: { readonly focus?: string; readonly signal?: AbortSignal }): Promise<CompactionReport>;
  /**
   * Makes the context of before the newest compaction current again. Returns whether there was one. Throws
   * `PITH_CONVERSATION_BUSY` while a turn runs.
   */
  undoCompaction(): boolean;
  /** Resolves when no turn and no background work runs and nothing waits. */
  idle(): Promise<void>;
  /** Aborts what runs, keeps what waits for the next time, and closes the session. */
  close(): Promise<void>;
}
