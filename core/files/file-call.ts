/** What one tool call does to one file, as far as its arguments tell. Lines are 1-based. */

/** One text put in the place of another; `all` for every occurrence. */
export interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

/** A block of lines put in the place of another, in the part of the file behind the line `after` where that is given. */
export interface Hunk {
  readonly after?: string;
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** The block is the end of the file. */
  readonly atEnd: boolean;
}

/** A tool call that reads, writes or edits a file. */
export type FileCall =
  | {
      readonly op: 'read';
      readonly path: string;
      readonly fromLine?: number;
      /** Number of lines that were asked for. */
      readonly lines?: number;
      /** The tool puts a number before each line. */
      readonly numbered?: true;
      /** The tool answers with listings of its own form. */
      readonly listed?: true;
      /** The output is that of a shell command. */
      readonly shell?: true;
      /** The output holds more than this file, so it is not its text. */
      readonly mixed?: boolean;
    }
  /** The whole text, where the call tells it. */
  | { readonly op: 'write'; readonly path: string; readonly text?: string }
  /** The replacements in order, where the call tells them. */
  | { readonly op: 'edit'; readonly path: string; readonly edits?: readonly Replacement[] }
  | { readonly op: 'insert'; readonly path: string; readonly afterLine: number; readonly text: string }
  | { readonly op: 'patch'; readonly path: string; readonly hunks: readonly Hunk[] }
  | { readonly op: 'delete'; readonly path: string }
  | { readonly op: 'move'; readonly path: string; readonly to: string };
