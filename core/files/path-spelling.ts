/** How paths are spelled, without asking a file system: POSIX and Windows paths, whichever system this runs on. */
import { posix } from 'node:path';

/**
 * One spelling of a path: `/` between the parts, no `.`, `..` or doubled separators, the drive letter in upper case, and
 * absolute where a root is given. `src\App.ts` and `./src/../src/App.ts` are `src/App.ts`.
 */
export function lexicalPath(path: string, root?: string): string {
  const slashed = path.replace(/\\/g, '/');
  const absolute = root === undefined || isAbsolute(slashed) ? slashed : `${root.replace(/\\/g, '/')}/${slashed}`;
  const [, drive = '', rest = ''] = /^([a-z]:)?([^]*)$/i.exec(absolute) ?? [];
  const normal = posix.normalize(rest);
  const trimmed = normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
  return `${drive.toUpperCase()}${trimmed}`;
}

/** The path below the root, or the path itself where it lies outside or is the root. */
export function relativeTo(root: string | undefined, path: string): string {
  if (root === undefined) return path;
  const base = lexicalPath(root);
  const folder = base.endsWith('/') ? base : `${base}/`;
  return path.startsWith(folder) && path.length > folder.length ? path.slice(folder.length) : path;
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('~/') || /^[a-z]:\//i.test(path);
}
