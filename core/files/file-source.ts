/**
 * Where file contents come from (S7.1, S9.7). A path is opaque to the tracker and to compaction; the file source owns its
 * form and its scope.
 */
import { createToken } from '../kernel/token';

/** Why a file cannot be shown. */
export type Unreadable =
  'not-found' | 'outside-scope' | 'not-a-file' | 'binary' | 'not-utf8' | 'ignored' | 'denied' | 'too-large';

/** Lines of a file: 1-based, both ends included. */
export interface LineRange {
  readonly fromLine: number;
  readonly toLine: number;
}

/** A file's text, or why there is none. Text has no byte-order mark and keeps its line endings. */
export type FileRead =
  | {
      readonly ok: true;
      readonly path: string;
      readonly text: string;
      readonly source: 'disk' | 'session' | (string & {});
      /**
       * Absent: the whole file is here. Present: only these lines are known (ascending, apart from each other); every
       * other line of `text` is an empty placeholder that keeps the line numbers right and must not be shown, and what
       * comes after the last line is unknown.
       */
      readonly known?: readonly LineRange[];
    }
  | { readonly ok: false; readonly path: string; readonly reason: Unreadable };

/** The files that the agent works on; it owns the form of paths and their scope (S7.1). */
export interface FileSource {
  /** One canonical spelling per file: symlinks resolved, case and Unicode form as the file system folds them. */
  canonical(path: string): string;
  /** How a path is shown to model and user: relative to the root when inside. */
  display(path: string): string;
  /** The current text of a file. Never throws for a bad path; never follows a link out of the scope. */
  read(path: string): Promise<FileRead>;
}

/** The file source of the kernel; by default the files under the working folder. */
export const FILE_SOURCE = createToken<FileSource>('pith/file-source');
