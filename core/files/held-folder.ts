/**
 * A folder that is held open, so that the names in it mean this folder, whatever becomes of its path (S9.7). Where the system
 * has `/proc`, every folder on the way is opened in the one before and none may be a link; elsewhere the path is
 * resolved once more after it was opened.
 */
import { constants, existsSync } from 'node:fs';
import { mkdir, open, realpath, type FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

export interface HeldFolder {
  /** A path that leads to a name in this folder. */
  at(name: string): string;
  /** Makes the names in it last. Some systems cannot. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const HAS_PROC = existsSync('/proc/self/fd');
const OPEN =
  constants.O_RDONLY |
  ((constants.O_DIRECTORY as number | undefined) ?? 0) |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0);

/**
 * Holds a folder at or below `root`, whose path has no link in it. With `make` folders that are missing are made. Rejects
 * with the error of the system where there is none, or a link or a file is in the place of one.
 */
export async function holdFolder(root: string, folder: string, make: boolean): Promise<HeldFolder> {
  return HAS_PROC ? holdByHandle(root, folder, make) : holdByPath(folder, make);
}

async function holdByHandle(root: string, folder: string, make: boolean): Promise<HeldFolder> {
  if (make) await mkdir(root, { recursive: true });
  let handle = await open(root, OPEN);
  for (const name of relative(root, folder).split(sep)) {
    if (name === '') continue;
    const outer = handle;
    try {
      handle = await openIn(outer, name, make);
    } finally {
      await outer.close();
    }
  }
  const held = handle;
  return {
    at: (name) => inHandle(held, name),
    sync: () => held.sync().catch(() => undefined),
    close: () => held.close(),
  };
}

async function openIn(outer: FileHandle, name: string, make: boolean): Promise<FileHandle> {
  const path = inHandle(outer, name);
  try {
    return await open(path, OPEN);
  } catch (thrown) {
    if (!make || codeOf(thrown) !== 'ENOENT') throw thrown;
    await mkdir(path).catch((failed: unknown) => {
      if (codeOf(failed) !== 'EEXIST') throw failed;
    });
    return open(path, OPEN);
  }
}

async function holdByPath(folder: string, make: boolean): Promise<HeldFolder> {
  if (make) await mkdir(folder, { recursive: true });
  if ((await realpath(folder)) !== folder) throw Object.assign(new Error('became a link'), { code: 'ELOOP' });
  const syncByPath = async (): Promise<void> => {
    const handle = await open(folder, OPEN);
    await handle.sync().finally(() => handle.close());
  };
  return {
    at: (name) => join(folder, name),
    sync: () => syncByPath().catch(() => undefined),
    close: () => Promise.resolve(),
  };
}

function inHandle({ fd }: FileHandle, name: string): string {
  return `/proc/self/fd/${String(fd)}/${name}`;
}

function codeOf(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown }).code;
}
