/** A JSON value in a file that several processes keep together. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, PithError } from '../errors';
import { takeLock } from './file-lock';
import type { StoredDocument } from './store';

/** How often and how long an update waits for another one, which takes a millisecond or two. */
const TRIES = 50;
const WAIT_MS = 20;

/** The value in the file at `path`. Updates exclude each other by the lock file at `lockPath`; `prepare` makes its folder. */
export function jsonDocument(path: string, lockPath: string, prepare: () => void): StoredDocument {
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch((cause: unknown) => absent(path, cause));
      return text === undefined ? undefined : parse(path, text);
    },
    async update(merge) {
      for (let tries = 1; ; tries++) {
        if (wasUpdated(path, lockPath, prepare, merge)) return;
        if (tries === TRIES) throw unwritable(path, `others have been writing to it for ${(TRIES * WAIT_MS) / 1000} s`);
        await delay(WAIT_MS);
      }
    },
  };
}

/** Updates in one go, or says that somebody else is at it. */
function wasUpdated(path: string, lockPath: string, prepare: () => void, merge: (kept: unknown) => unknown): boolean {
  const draft = `${path}.${process.pid}.new`;
  try {
    prepare();
    const lock = takeLock(lockPath);
    if ('owner' in lock) return false;
    try {
      writeFileSync(draft, `${JSON.stringify(merge(keptIn(path)))}\n`, { mode: 0o600 });
      renameSync(draft, path);
      return true;
    } finally {
      rmSync(draft, { force: true });
      lock.release();
    }
  } catch (cause) {
    throw PithError.is(cause) ? cause : unwritable(path, messageOf(cause), cause);
  }
}

/** What is kept; undefined also where it cannot be read. */
function keptIn(path: string): unknown {
  try {
    return parse(path, readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new PithError('PITH_SESSION_CORRUPT', `${path} is no JSON; remove it.`, { cause, details: { path } });
  }
}

function absent(path: string, cause: unknown): undefined {
  if ((cause as { readonly code?: unknown }).code === 'ENOENT') return undefined;
  throw new PithError('PITH_SESSION_CORRUPT', `${path} cannot be read: ${messageOf(cause)}`, {
    cause,
    details: { path },
  });
}

function unwritable(path: string, fault: string, cause?: unknown): PithError {
  return new PithError('PITH_SESSION_WRITE', `${path} could not be written: ${fault}`, { cause, details: { path } });
}
