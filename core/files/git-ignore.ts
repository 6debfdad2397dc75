/** Which files git leaves out: `.gitignore` files from the top of the repository down, and `.git/info/exclude`. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

export interface GitIgnore {
  /** Whether git ignores the file or a folder that it lies in; the repository's own `.git` counts. Takes an absolute path. */
  ignores(path: string): boolean;
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
    const found = statSync(file, { throwIfNoEntry: false });
    const stamp = found?.isFile() === true ? `${String(found.mtimeMs)} ${String(found.size)} ${String(found.ino)}` : '';
    const cached = cache.get(file);
    if (cached?.stamp === stamp) return cached.rules;
    const rules = stamp === '' ? undefined : ignore({ ignorecase: caseInsensitive }).add(textOf(file));
    cache.set(file, { stamp, rules });
    return rules;
  };

  /** The word of the rules nearest to an entry; a folder's path ends with a slash. */
  const isIgnored = (levels: readonly string[], path: string): boolean => {
    for (const level of levels.toReversed()) {
      const verdict = rulesOf(join(level, '.gitignore'))?.test(below(level, path));
      if (verdict?.ignored === true) return true;
      if (verdict?.unignored === true) return false;
    }
    return rulesOf(join(top, '.git', 'info', 'exclude'))?.ignores(below(top, path)) === true;
  };

  return {
    ignores: (path) => {
      const parts = relative(top, path).split(sep);
      if (parts[0] === '..' || parts[0] === '') return false;
      const levels = [top];
      for (const [at, part] of parts.entries()) {
        if (part === '.git') return true;
        const entry = join(levels.at(-1) ?? top, part);
        const isLast = at === parts.length - 1;
        if (isIgnored(levels, isLast ? entry : `${entry}/`)) return true;
        levels.push(entry);
      }
      return false;
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

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
