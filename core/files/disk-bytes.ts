/** The bytes of one file on disk, read so that no link can lead the reading elsewhere (S9.7). */
import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import type { Unreadable } from './file-source';

/** Reading follows no link in the last place, and opening a pipe does not wait for a writer. Windows knows neither flag. */
const OPEN =
  constants.O_RDONLY |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0) |
  ((constants.O_NONBLOCK as number | undefined) ?? 0);

/** What a file held, and which file it was. */
export interface OpenedFile {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

/** Why a path, without links in it, is no file that can be opened; undefined where it is one. Opens nothing. */
export async function refusalOf(path: string, mostBytes: number): Promise<Unreadable | undefined> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) return 'not-a-file';
    return found.size > mostBytes ? 'too-large' : undefined;
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

/** The bytes of a file whose path has no link in it, or why there are none. */
export function readInside(path: string, mostBytes: number): Promise<OpenedFile | Unreadable> {
  return readRegular(path, mostBytes, path);
}

/**
 * The bytes of a regular file that is no link itself. With `place` the file must be there: a folder or file that became a
 * link after its path was resolved has led elsewhere.
 */
export async function readRegular(path: string, mostBytes: number, place?: string): Promise<OpenedFile | Unreadable> {
  const refusal = await refusalOf(path, mostBytes);
  if (refusal !== undefined) return refusal;
  try {
    const file = await open(path, OPEN);
    try {
      const stats = await file.stat({ bigint: true });
      if (!stats.isFile()) return 'not-a-file';
      if (place !== undefined && !(await isAt(file, stats, place))) return 'outside-scope';
      const bytes = await file.readFile();
      return bytes.length > mostBytes ? 'too-large' : { bytes, stats };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

/** Whether an open file is the one at a path without links. Linux tells where it is; elsewhere the path is asked twice. */
async function isAt(file: FileHandle, stats: BigIntStats, path: string): Promise<boolean> {
  const told = await readlink(`/proc/self/fd/${String(file.fd)}`).catch(() => undefined);
  if (told !== undefined) return told === path || spelled(told) === spelled(path);
  return (await realpath(path)) === path && isSame(stats, await lstat(path, { bigint: true }));
}

/** A path as a file system that folds names may take it. */
function spelled(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Whether two looks are at the same file, whatever it holds. */
export function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** What an error of the file system means for who wants to read. */
export function reasonOf(thrown: unknown): Unreadable {
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
