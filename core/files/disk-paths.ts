/** One spelling per file on disk (S7.1): links resolved, names as the file system spells them, hard links under one name. */
import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** How a file system folds names. */
export interface Folding {
  /** Whether `App.ts` and `app.ts` are one file. */
  readonly caseInsensitive: boolean;
  /** Whether composed and decomposed forms of one letter are one file. */
  readonly normalizing: boolean;
}

export interface DiskPaths {
  /** The root without links. */
  readonly root: string;
  readonly folding: Folding;
  /** The absolute path of a file in its one spelling. What does not exist is spelled as it is written. Never throws. */
  canonical(path: string): string;
  /** As `canonical`, but of the names of a file with several hard links the one that was meant. */
  located(path: string): string;
  /** Relative to the root when inside, with `/` between the parts. */
  display(path: string): string;
  /** Whether a canonical path lies below the root. */
  inside(path: string): boolean;
}

export function createDiskPaths(givenRoot: string, given: Partial<Folding>): DiskPaths {
  const root = real(resolve(givenRoot)) ?? resolve(givenRoot);
  const folding: Folding = {
    caseInsensitive: given.caseInsensitive ?? foldsCase(root),
    normalizing: given.normalizing ?? process.platform === 'darwin',
  };
  const folds = folding.caseInsensitive || folding.normalizing;
  const fold = (name: string): string => {
    const form = folding.normalizing ? name.normalize('NFC') : name;
    return folding.caseInsensitive ? form.toLowerCase() : form;
  };
  /** Spellings of folded paths, so that a file keeps its name after it vanished. */
  const spellings = new Map<string, string>();
  /** The first name of files that have several. */
  const hardLinks = new Map<string, string>();

  const folder = root.endsWith(sep) ? root : root + sep;
  const inside = (path: string): boolean => path.startsWith(folder);

  /** The path with each existing part below the root in the spelling of its folder's list. */
  const asOnDisk = (path: string): string => {
    if (!folds || !fold(path).startsWith(fold(folder))) return path;
    const parts = path.slice(folder.length).split(sep);
    let spelled = root;
    for (const [at, part] of parts.entries()) {
      const names = namesIn(spelled);
      const name = names.includes(part) ? part : names.find((candidate) => fold(candidate) === fold(part));
      if (name === undefined) return join(spelled, ...parts.slice(at));
      spelled = join(spelled, name);
    }
    return spelled;
  };

  const located = (path: string): string => asOnDisk(resolveLinks(asOnDisk(resolve(root, withSlashes(root, path)))));

  const canonical = (path: string): string => {
    const name = located(path);
    if (!inside(name)) return name;
    const first = firstName(name);
    if (!folds) return first;
    const known = spellings.get(fold(first)) ?? first;
    spellings.set(fold(first), known);
    return known;
  };

  const firstName = (path: string): string => {
    const found = statOf(path);
    if (found === undefined || found.nlink < 2 || !found.isFile()) return path;
    const key = `${String(found.dev)}:${String(found.ino)}`;
    const first = hardLinks.get(key);
    const still = first === undefined ? undefined : statOf(first);
    if (first !== undefined && still?.ino === found.ino && still.dev === found.dev) return first;
    hardLinks.set(key, path);
    return path;
  };

  const display = (path: string): string => {
    const name = canonical(path);
    return (inside(name) ? relative(root, name) : name).split(sep).join('/');
  };
  return { root, folding, canonical, located, display, inside };
}

/** A path with backslashes, as Windows agents write it, is meant literally only where such a file exists. */
function withSlashes(root: string, path: string): string {
  if (sep === '\\' || !path.includes('\\') || statOf(resolve(root, path)) !== undefined) return path;
  return path.replace(/\\/g, '/');
}

/** The path without links: all of it where it exists, else its longest part that does. */
function resolveLinks(path: string): string {
  const missing: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    const found = real(folder);
    if (found !== undefined) return join(found, ...missing);
    if (dirname(folder) === folder) return path;
    missing.unshift(basename(folder));
  }
}

/** Whether the file system below a folder folds case, told by a name that it has. */
function foldsCase(root: string): boolean {
  const named = [...namesIn(root).map((name) => join(root, name)), root].find((path) => flipped(path) !== path);
  if (named === undefined) return process.platform === 'win32' || process.platform === 'darwin';
  const one = statOf(named);
  const other = statOf(flipped(named));
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

/** The path with the case of its last part turned around. */
function flipped(path: string): string {
  const name = basename(path).replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  return join(dirname(path), name);
}

function real(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
