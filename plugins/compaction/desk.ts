/** The desk (S9.5): the agent's side of a compaction. */
import type { Mark, Reference, Session, Tool } from '../../core/index';
import type { SummaryProblem } from './summary';
import type { Desk } from './worker';

/** A desk as plugins on the agent's side see it. */
export interface OpenDesk extends Desk {
  readonly compaction: string;
  readonly session: Session;
  /** The tools of S9.5, as a worker's loop offers them. */
  readonly tools: readonly Tool[];
  /** Marks so far, overlapping ranges of one file merged. */
  readonly marks: readonly Mark[];
  /** Named files without those that have a mark. */
  readonly references: readonly Reference[];
  /** The summary that was handed in last. */
  readonly summary: string | undefined;
  /** What the format finds wrong with it; the worker was told. */
  readonly problems: readonly SummaryProblem[];
  /** Tokens of all marks as they will be injected. */
  readonly markedTokens: number;
  /** Tokens that all marks would take with this one added; those of now where the file cannot be marked. */
  tokensWith(mark: { readonly path: string; readonly offset?: number; readonly limit?: number }): Promise<number>;
}

/** Finds the desk of a running compaction by the session it works for. */
export interface Desks {
  of(session: Session): OpenDesk | undefined;
  /** The auto-read budget in tokens; undefined where nobody keeps one (S9). */
  readonly budget: number | undefined;
  /** Declares the budget that the caller keeps, so that jobs tell it and checkpoints hold to it. */
  declareBudget(tokens: number): void;
}
