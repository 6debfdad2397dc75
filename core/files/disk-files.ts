/** The files under a folder on disk, and nothing beyond it (S7.1, S9.7). */
import { constants, type Stats } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { createDiskPaths, type Folding } from './disk-paths';
import type { FileRead, FileSource, Unreadable } from './file-source';
import { createGitIgnore } from './git-ignore';
import { decodeText } from './text-file';

/** The largest file that is read, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Reading follows no link in the last place, and opening a pipe does not wait for a writer. Windows knows neither flag. */
const OPEN =
  constants.O_RDONLY |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0) |
  ((constants.O_NONBLOCK as number | undefined) ?? 0);

export interface DiskFilesOptions extends Partial<Folding> {
  /** The folder that files may be read from; may itself be a symlink. The working folder by default. */
  readonly root?: string;
}

/**
 * A file source on the file system, scoped to a root. Paths are relative to the root or absolute; whatever a path or a link
 * leads out of the root with, the file is not read. Files that git ignores, special files, binary files and files that are
 * not UTF-8 or above 4 MB are refused with their reason. How the file system folds names is probed once, unless it is given.
 */
export function createDiskFiles({ root = process.cwd(), ...folding }: DiskFilesOptions = {}): FileSource {
  const paths = createDiskPaths(root, folding);
  const git = createGitIgnore(paths.root, paths.folding.caseInsensitive);

  const read = async (given: string): Promise<FileRead> => {
    const path = paths.canonical(given);
    const refuse = (reason: Unreadable): FileRead => ({ ok: false, path, reason });
    if (given.includes('\0')) return refuse('not-found');
    if (!paths.inside(path)) return refuse('outside-scope');
    const before = await stat(path).catch(reasonOf);
    if (typeof before === 'string') return refuse(before);
    if (!before.isFile()) return refuse('not-a-file');
    if (git.ignores(path)) return refuse('ignored');
    if (before.size > MOST_BYTES) return refuse('too-large');
    const bytes = await readInside(path);
    if (typeof bytes === 'string') return refuse(bytes);
    const text = decodeText(bytes);
    return text.ok ? { ok: true, path, text: text.text, source: 'disk' } : refuse(text.reason);
  };
  return { canonical: paths.canonical, display: paths.display, read };
}

/** The bytes of a file whose path has no link in it any more, or why there are none. */
async function readInside(path: string): Promise<Buffer | Unreadable> {
  try {
    const file = await open(path, OPEN);
    try {
      const opened = await file.stat();
      if (!opened.isFile()) return 'not-a-file';
      // A folder or file that became a link after its path was resolved shows here: the path leads elsewhere now.
      if ((await realpath(path)) !== path || !isSame(opened, await lstat(path))) return 'outside-scope';
      const bytes = await file.readFile();
      return bytes.length > MOST_BYTES ? 'too-large' : bytes;
    } finally {
      await file.close();
    }
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

function reasonOf(thrown: unknown): Unreadable {
  switch ((thrown as { readonly code?: unknown }).code) {
    case 'EACCES':
    case 'EPERM':
      return 'denied';
    case 'ELOOP':
    case 'EISDIR':
    case 'ENXIO':
    case 'EOPNOTSUPP':
      return 'not-a-file';
    default:
      return 'not-found';
  }
}
