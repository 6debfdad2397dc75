/**
 * A lock that is a file (S5.5): it names its owner, and whoever finds the owner gone takes it over at once.
 *
 * A lock file appears with its contents, by a hard link, so that nobody ever reads half of one. It is never taken away from
 * under somebody: the heir of a dead owner is a second file that is named by the owner's own token, so that of all who want to
 * inherit exactly one succeeds; only then does that file take the place of the lock.
 */
import { createHash, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRunning, ownStart } from './process-start';
import type { LogOwner } from './store';

/** What a lock file holds. */
interface Owner extends LogOwner {
  /** Start of its process as the system tells it. */
  readonly start: string;
  /** One for each time that a lock is taken. */
  readonly token: string;
}

export interface FileLock {
  /** Lets others take it. */
  release(): void;
}

/** Takes the lock at a path, or says who has it. Throws what the file system throws. */
export function takeLock(path: string): FileLock | { readonly owner: LogOwner } {
  const mine = thisOwner();
  const draft = `${path}.${mine.token}.new`;
  writeFileSync(draft, `${JSON.stringify(mine)}\n`, { flag: 'wx', mode: 0o600 });
  try {
    for (;;) {
      if (isLinked(draft, path)) return lockOf(path, mine);
      const first = readOwner(path);
      if (first === undefined) continue;
      const heir = heirOf(path, first);
      if ('owner' in heir) return heir;
      if (!isLinked(draft, heir.place)) continue;
      if (readOwner(path)?.token === first.token) {
        renameSync(heir.place, path);
        heir.passed.forEach(remove);
        return lockOf(path, mine);
      }
      // Somebody else inherited, and has cleared up, before the place was taken.
      remove(heir.place);
    }
  } finally {
    remove(draft);
  }
}

/** Who has the lock at a path; undefined where nobody does who still lives. */
export function ownerOf(path: string): LogOwner | undefined {
  const first = readOwner(path);
  const heir = first && heirOf(path, first);
  if (heir === undefined || !('owner' in heir)) return undefined;
  const { pid, since, host } = heir.owner;
  return { pid, since, host };
}

/** Goes from heir to heir: to the owner that lives, or to the place where the heir of the last dead one is to stand. */
function heirOf(
  path: string,
  first: Owner,
): { readonly owner: Owner } | { readonly place: string; readonly passed: readonly string[] } {
  const passed: string[] = [];
  for (let owner = first; ;) {
    if (isAlive(owner)) return { owner };
    const place = `${path}.${owner.token}`;
    const heir = readOwner(place);
    if (heir === undefined) return { place, passed };
    passed.push(place);
    owner = heir;
  }
}

/** What runs on another host cannot be looked at, and is taken to live. */
function isAlive({ pid, start, host }: Owner): boolean {
  return host !== hostname() || isRunning(pid, start);
}

function lockOf(path: string, { token }: Owner): FileLock {
  return {
    release: () => {
      if (readOwner(path)?.token === token) remove(path);
    },
  };
}

function thisOwner(): Owner {
  const since = new Date(performance.timeOrigin).toISOString();
  const token = randomBytes(8).toString('hex');
  return { pid: process.pid, since, host: hostname(), start: ownStart(), token };
}

/** A pid that no process has. */
const NOBODY = Number.MAX_SAFE_INTEGER;

/** The owner that a file names. A file that names none was damaged when the machine went down, and its owner is gone. */
function readOwner(path: string): Owner | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const owner = JSON.parse(text) as Owner;
    if (Number.isSafeInteger(owner.pid) && owner.pid > 0 && /^[0-9a-f]{16}$/.test(owner.token)) return owner;
  } catch {
    // damaged
  }
  const token = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { pid: NOBODY, since: '', host: hostname(), start: '', token };
}

function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'EEXIST') return false;
    throw error;
  }
}

/** Others may have done so already. */
function remove(path: string): void {
  rmSync(path, { force: true });
}
