/** The files under a folder on disk, and nothing beyond it (S7.1, S9.7). */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { messageOf, PithError } from '../errors';
import { readInside, reasonOf, refusalOf } from './disk-bytes';
import { createDiskPaths, type Folding } from './disk-paths';
import { writeInside } from './disk-write';
import type { FileRead, Unreadable } from './file-source';
import { createGitIgnore } from './git-ignore';
import { holdFolder } from './held-folder';
import { decodeText } from './text-file';
import type { BytesRead, FileWritten, FolderEntry, FolderRead, Workspace } from './workspace';

/** The largest file that is read for a context, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024;
/** The largest file that somebody who named it may read or change, in bytes. */
const MOST_NAMED_BYTES = 10 * 1024 * 1024;

/** Which folder is read, and how its file system folds names. */
export interface DiskFilesOptions extends Partial<Folding> {
  /** The folder that files may be read from; may itself be a symlink. The working folder by default. */
  readonly root?: string;
}

/**
 * The file system as a workspace, scoped to a root. Paths are relative to the root or absolute; whatever a path or a link
 * leads out of the root with, the file is neither read nor written. `read` refuses, with their reason, files that git
 * ignores, special files, binary files and files that are not UTF-8 or above 4 MB; `readBytes` and `write` take files up
 * to 10 MB and none in a `.git`. How the file system folds names is probed once, unless it is given.
 */
export function createDiskFiles({ root = process.cwd(), ...folding }: DiskFilesOptions = {}): Workspace {
  const paths = createDiskPaths(root, folding);
  const git = createGitIgnore(paths.root, paths.folding.caseInsensitive);

  const read = async (given: string): Promise<FileRead> => {
    const path = paths.canonical(given);
    const refuse = (reason: Unreadable): FileRead => ({ ok: false, path, reason });
    if (given.includes('\0')) return refuse('not-found');
    if (!paths.inside(path)) return refuse('outside-scope');
    const refusal = await refusalOf(path, Infinity);
    if (refusal !== undefined) return refuse(refusal);
    if (git.ignores(path)) return refuse('ignored');
    const opened = await readInside(path, MOST_BYTES);
    if (typeof opened === 'string') return refuse(opened);
    const text = decodeText(opened.bytes);
    return text.ok ? { ok: true, path, text: text.text, source: 'disk' } : refuse(text.reason);
  };

  /** Why nobody works on a path. */
  const offLimits = (given: string, path: string): Unreadable | undefined => {
    if (given.includes('\0')) return 'not-found';
    if (path !== paths.root && !paths.inside(path)) return 'outside-scope';
    const parts = relative(paths.root, path).split(sep);
    return parts.some((part) => part.toLowerCase() === '.git') ? 'ignored' : undefined;
  };

  const readBytes = async (given: string): Promise<BytesRead> => {
    const path = paths.located(given);
    const opened = offLimits(given, path) ?? (await readInside(path, MOST_NAMED_BYTES));
    return typeof opened === 'string' ? { ok: false, path, reason: opened } : { ok: true, path, bytes: opened.bytes };
  };

  const write = async (given: string, bytes: Uint8Array, expected: Uint8Array | undefined): Promise<FileWritten> => {
    const path = paths.located(given);
    const reason =
      offLimits(given, path) ??
      (path === paths.root ? 'not-a-file' : undefined) ??
      (bytes.length > MOST_NAMED_BYTES
        ? 'too-large'
        : await writeInside(paths.root, path, bytes, expected).catch((thrown: unknown) => {
            throw diskFailed(paths.display(path), thrown);
          }));
    return reason === undefined ? { ok: true, path } : { ok: false, path, reason };
  };

  const list = async (given: string): Promise<FolderRead> => {
    const path = paths.located(given);
    const found = offLimits(given, path) ?? (await entriesOf(paths.root, path));
    if (typeof found === 'string') return { ok: false, path, reason: found };
    const ignores = git.ignores(path, true) ? () => false : git.within(path);
    const entries = found.map((entry): FolderEntry => {
      const { name } = entry;
      return { name, kind: kindOf(entry), ignored: name === '.git' || ignores(name, entry.isDirectory()) };
    });
    return { ok: true, path, entries };
  };
  return { canonical: paths.canonical, display: paths.display, read, readBytes, write, list };
}

async function entriesOf(root: string, folder: string): Promise<readonly Dirent[] | Unreadable> {
  try {
    const held = await holdFolder(root, folder, false);
    const entries = await readdir(held.at(''), { withFileTypes: true }).finally(held.close);
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (thrown) {
    return codeOf(thrown) === 'ENOTDIR' ? 'not-a-file' : reasonOf(thrown);
  }
}

/** The error of the disk, in the words of the path that was given. */
function diskFailed(path: string, cause: unknown): PithError {
  const [why = ''] = messageOf(cause)
    .replace(/^Error: /, '')
    .split(',', 1);
  return new PithError('PITH_OUTPUT_UNWRITABLE', `${path} cannot be written: ${why}. What stood there is untouched.`, {
    cause,
  });
}

function codeOf(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown }).code;
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}
