/** Which files git leaves out: `.gitignore` files from the top of the repository down, and `.git/info/exclude`. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

export interface GitIgnore {
  /** Whether git ignores an entry or a folder that it lies in; the repository's own `.git` counts. Takes an absolute path. */
  ignores(path: string, isFolder?: boolean): boolean;
  /** Tells what git ignores of the entries of a folder, which is not ignored itself. For one look at the folder. */
  within(folder: string): (name: string, isFolder: boolean) => boolean;
}

/** The rules of one `.gitignore`. */
interface Level {
  readonly folder: string;
  readonly rules: Ignore;
}

interface Rules {
  readonly stamp: string;
  readonly rules: Ignore | undefined;
}

/**
 * The rules that hold below a folder. Without a repository the `.gitignore` files from the folder down hold. Rule files are
 * read again when they changed.
 */
export function createGitIgnore(root: string, caseInsensitive: boolean): GitIgnore {
  const top = repositoryOf(root) ?? root;
  const cache = new Map<string, Rules>();

  const rulesOf = (file: string): Ignore | undefined => {
    const stamp = stampOf(file);
    const cached = cache.get(file);
    if (cached?.stamp === stamp) return cached.rules;
    const rules = stamp === '' ? undefined : ignore({ ignorecase: caseInsensitive }).add(textOf(file));
    cache.set(file, { stamp, rules });
    return rules;
  };

  const levelOf = (folder: string): readonly Level[] => {
    const rules = rulesOf(join(folder, '.gitignore'));
    return rules === undefined ? [] : [{ folder, rules }];
  };

  /** The word of the rules nearest to an entry. */
  const isIgnored = (levels: readonly Level[], folder: string, name: string, isFolder: boolean): boolean => {
    if (name === '.git') return true;
    const path = join(folder, name) + (isFolder ? '/' : '');
    for (const level of levels.toReversed()) {
      const verdict = level.rules.test(below(level.folder, path));
      if (verdict.ignored) return true;
      if (verdict.unignored) return false;
    }
    return rulesOf(join(top, '.git', 'info', 'exclude'))?.ignores(below(top, path)) === true;
  };

  /** The parts of a path below the top; undefined for what lies elsewhere. */
  const partsOf = (path: string): readonly string[] | undefined => {
    const parts = relative(top, path).split(sep);
    return parts[0] === '..' || parts[0] === '' ? undefined : parts;
  };

  return {
    ignores: (path, isFolder = false) => {
      const parts = partsOf(path) ?? [];
      const levels: Level[] = [];
      let folder = top;
      for (const [at, part] of parts.entries()) {
        levels.push(...levelOf(folder));
        if (isIgnored(levels, folder, part, isFolder || at < parts.length - 1)) return true;
        folder = join(folder, part);
      }
      return false;
    },
    within: (folder) => {
      const levels = [...levelOf(top)];
      let above = top;
      for (const part of partsOf(folder) ?? []) levels.push(...levelOf((above = join(above, part))));
      return (name, isFolder) => isIgnored(levels, folder, name, isFolder);
    },
  };
}

function below(level: string, path: string): string {
  return relative(level, path).split(sep).join('/') + (path.endsWith('/') ? '/' : '');
}

function repositoryOf(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Changes with the file; empty where there is none. */
function stampOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() === true ? `${String(found.mtimeMs)} ${String(found.size)} ${String(found.ino)}` : '';
  } catch {
    return '';
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
