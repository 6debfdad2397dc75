/** Files that tools work on (S7.1): a file source whose folders can be listed and whose files can be written. */
import type { FileRead, FileSource, Unreadable } from './file-source';
import { decodeText } from './text-file';

/** Why a file cannot be written: it can never be, it is write-protected, or it is not what the writer took it for. */
export type Unwritable = Unreadable | 'read-only' | 'changed';

/** The bytes of a file, or why there are none. */
export type BytesRead =
  | { readonly ok: true; readonly path: string; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly path: string; readonly reason: Unreadable };

/** Whether a file was written. */
export type FileWritten =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly path: string; readonly reason: Unwritable };

/** What stands in a folder. A link is named, never followed. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Whether git leaves it out; `.git` itself counts. */
  readonly ignored: boolean;
}

/** The entries of a folder in the order of their names, or why there are none. */
export type FolderRead =
  | { readonly ok: true; readonly path: string; readonly entries: readonly FolderEntry[] }
  | { readonly ok: false; readonly path: string; readonly reason: Unreadable };

/** A file source with folders and writing. Nothing in it throws for a bad path or leaves the scope. */
export interface Workspace extends FileSource {
  /** The bytes of a file as they are now: also of one that git ignores, which somebody named, but of none in `.git`. */
  readBytes(path: string): Promise<BytesRead>;
  /**
   * Puts bytes in the place of a file, all or none of them; folders that are missing are made. `expected` is what the file
   * must hold, undefined where there must be none; else the reason is `changed`. Rejects where the disk fails.
   */
  write(path: string, bytes: Uint8Array, expected: Uint8Array | undefined): Promise<FileWritten>;
  /** The entries of a folder. In a folder that git ignores, which somebody named, none counts as ignored. */
  list(path: string): Promise<FolderRead>;
}

/** Whether a file source can do more than read. */
export function isWorkspace(files: FileSource): files is Workspace {
  const { readBytes, write, list } = files as Partial<Workspace>;
  return [readBytes, write, list].every((method) => typeof method === 'function');
}

/** The text of a file that somebody named, with its bytes where the source has them. Git may ignore it. */
export async function readNamedFile(
  files: FileSource,
  path: string,
): Promise<FileRead & { readonly bytes?: Uint8Array }> {
  if (!isWorkspace(files)) return files.read(path);
  const read = await files.readBytes(path);
  if (!read.ok) return read;
  const text = decodeText(read.bytes);
  if (!text.ok) return { ok: false, path: read.path, reason: text.reason };
  return { ok: true, path: read.path, text: text.text, source: 'disk', bytes: read.bytes };
}
