/** Foreign session formats (S12.3), both ways. */
import type { ContextView } from '../context/view';
import type { RecordDraft } from '../session/records';

/** A conversation read from a file of another agent, as records of a log. */
export interface ImportedSession {
  readonly format: string;
  readonly id?: string;
  /** The working folder that the session names. */
  readonly root?: string;
  /**
   * Settings, items, usage, turns and checkpoints in the order they happened. Usage follows the items of its reply: `on`
   * is left out, it is derived from the place (the prompt of a reply is all before its first item).
   */
  readonly records: readonly RecordDraft[];
  /** Sub-agent records that were left out. */
  readonly sidechains: number;
  /** Malformed lines or entries that were left out. */
  readonly malformed: number;
  /** What else a person should know, one sentence each. */
  readonly warnings: readonly string[];
}

/** Input that has been looked at once, so that each format can judge it without parsing it again. */
export interface Source {
  readonly path: string;
  readonly text: string;
  /** The text as one JSON value, or undefined where it is not. Parsed once, on first use. */
  readonly json: unknown;
  /** The text as JSON lines (comment lines `//` skipped); malformed lines are counted. Parsed once, on first use. */
  readonly lines: { readonly values: readonly unknown[]; readonly malformed: number };
}

/** A session format: how a file of it is known, and how it is read (S12.3). */
export interface SessionFormat {
  readonly name: string;
  /** One line for `--help` and errors. */
  readonly title: string;
  /**
   * Field names that every source in this format has on its top object, its first records or its first messages. They are
   * how the nearest format to an unknown input is found, and what is said to be missing.
   */
  readonly marks: readonly string[];
  /** How surely the source is in this format: 0 (not) to 1 (certain). Cheap; never throws. */
  detect(source: Source): number;
  /** Every conversation that the source holds. Skips what it cannot read and says so; never throws on foreign content. */
  read(source: Source): readonly ImportedSession[];
}

/** Writes a context in the shape of a provider or host. */
export interface ContextWriter {
  readonly name: 'openai-chat' | 'anthropic' | 'ai-sdk' | 'pith';
  write(context: ContextView): unknown;
}
