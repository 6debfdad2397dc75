/** Writes one file on disk, whole or not at all, and never through a link. */
import { randomUUID } from 'node:crypto';
import { constants, lstatSync, renameSync, type BigIntStats } from 'node:fs';
import { access, open, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isSame, readRegular, reasonOf, type OpenedFile } from './disk-bytes';
import { holdFolder, type HeldFolder } from './held-folder';
import type { Unwritable } from './workspace';

/**
 * Puts bytes in the place of the file at a path without links in it, below `root`; folders that are missing are made. The
 * file keeps its mode and, where that is allowed, its owner; other hard links keep the old contents. On disk before it
 * resolves. Rejects where the disk fails; then the old file is untouched, and nothing else is left.
 *
 * @param expected what the file must hold, or undefined where there must be none
 */
export async function writeInside(
  root: string,
  path: string,
  bytes: Uint8Array,
  expected: Uint8Array | undefined,
): Promise<Unwritable | undefined> {
  const folder = await heldFor(root, dirname(path));
  if (typeof folder === 'string') return folder;
  try {
    const target = folder.at(basename(path));
    const before = await readRegular(target, Infinity);
    if (typeof before === 'string' && before !== 'not-found') return before;
    const old = typeof before === 'string' ? undefined : before;
    if (old === undefined ? expected !== undefined : expected === undefined || !old.bytes.equals(expected)) {
      return 'changed';
    }
    if (old !== undefined && !(await isWritable(target, old))) return 'read-only';
    return await replace(folder, target, bytes, old?.stats);
  } finally {
    await folder.close();
  }
}

async function heldFor(root: string, folder: string): Promise<HeldFolder | Unwritable> {
  try {
    return await holdFolder(root, folder, true);
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown };
    if (code === 'EEXIST' || code === 'ENOTDIR') return 'not-a-file';
    const reason = reasonOf(thrown);
    if (reason === 'not-found') throw thrown;
    return reason;
  }
}

/** A file that nobody may write is left alone, also by who could. */
async function isWritable(path: string, { stats }: OpenedFile): Promise<boolean> {
  if ((stats.mode & 0o222n) === 0n) return false;
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Writes a file beside the old one, which then takes its name, unless that changed. */
async function replace(
  folder: HeldFolder,
  target: string,
  bytes: Uint8Array,
  old: BigIntStats | undefined,
): Promise<Unwritable | undefined> {
  const temporary = folder.at(`.pith-${randomUUID()}.tmp`);
  const file = await open(temporary, 'wx', old === undefined ? 0o666 : 0o600);
  let left = true;
  try {
    try {
      await file.writeFile(bytes);
      if (old !== undefined) await takeAfter(file, old);
      await file.sync();
    } finally {
      await file.close();
    }
    // Both at once: nobody in this process comes between.
    if (!isStill(target, old)) return 'changed';
    renameSync(temporary, target);
    left = false;
    await folder.sync();
    return undefined;
  } finally {
    if (left) await rm(temporary, { force: true });
  }
}

async function takeAfter(file: FileHandle, { mode, uid, gid }: BigIntStats): Promise<void> {
  const own = await file.stat({ bigint: true });
  if (own.uid !== uid || own.gid !== gid) await file.chown(Number(uid), Number(gid)).catch(() => undefined);
  await file.chmod(Number(mode & 0o777n));
}

/** Whether at the path still stands what was read there, unchanged; or still nothing. */
function isStill(path: string, before: BigIntStats | undefined): boolean {
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (now === undefined || before === undefined) return now === before;
  return isSame(now, before) && now.mtimeNs === before.mtimeNs && now.ctimeNs === before.ctimeNs;
}
