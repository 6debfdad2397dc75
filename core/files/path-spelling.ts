/** How paths are spelled, without asking a file system: POSIX and Windows paths, whichever system this runs on. */
import { posix } from 'node:path';

/**
 * One spelling of a path: `/` between the parts, no `.`, `..` or doubled separators, the drive letter in upper case, and
 * absolute where a root is given. `src\App.ts` and `./src/../src/App.ts` are `src/App.ts`.
 */
export function lexicalPath(path: string, root?: string): string {
  const slashed = path.replace(/\\/g, '/');
  const absolute = root === undefined || isAbsolute(slashed) ? slashed : `${root.replace(/\\/g, '/')}/${slashed}`;
  const [, start = '', rest = ''] = /^([a-z]:|~(?=\/|$))?([^]*)$/i.exec(absolute) ?? [];
  // Where home lies is not known, so nothing leads out of it.
  const normal = posix.normalize(start === '~' && rest === '' ? '/' : rest);
  const end = start === '~' || normal.length > 1 ? normal.replace(/\/$/, '') : normal;
  return `${start.toUpperCase()}${end}`;
}

/**
 * The path below the root, or the path itself where it lies outside or is the root. What would read as another place, such as
 * a folder that is named `~`, begins with `./`.
 */
export function relativeTo(root: string | undefined, path: string): string {
  if (root === undefined) return path;
  const base = lexicalPath(root);
  const folder = base.endsWith('/') ? base : `${base}/`;
  if (!path.startsWith(folder) || path.length === folder.length) return path;
  const below = path.slice(folder.length);
  return isAbsolute(below) ? `./${below}` : below;
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^~(?:\/|$)/.test(path) || /^[a-z]:\//i.test(path);
}
