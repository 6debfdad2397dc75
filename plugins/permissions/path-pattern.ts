/** Patterns of paths: `*` is any text within a part of a path, `**` any number of parts. */
import { wildcard } from '../../core/index';

/** Any number of parts, also none. */
const ANY = '**';

/**
 * Whether a path fits a pattern. Relative patterns are of paths inside of the root, absolute ones of those outside. A pattern
 * that ends with a slash is of all that lies below.
 */
export function pathPattern(pattern: string): (path: string) => boolean {
  const wanted = pattern.replace(/^(?:\.\/)+/, '').replace(/\/$/, `/${ANY}`);
  const parts = wanted.split('/').map((part) => (part === ANY ? ANY : wildcard(part)));
  return (path) => isAbsolute(wanted) === isAbsolute(path) && fits(parts, path.split('/'));
}

/** Whether a path is not of the inside of the root. */
export function isAbsolute(path: string): boolean {
  return /^(?:\/|[a-z]:\/)/i.test(path);
}

function fits(pattern: readonly (typeof ANY | ((part: string) => boolean))[], path: readonly string[]): boolean {
  let at = 0;
  /** The last `**`, and the first part of the path that it does not take yet. */
  let any = -1;
  let taken = 0;
  for (let part = 0; part < path.length;) {
    const wanted = pattern[at];
    if (wanted === ANY) {
      any = at++;
      taken = part;
    } else if (wanted?.(path[part] ?? '') === true) {
      at++;
      part++;
    } else if (any >= 0) {
      at = any + 1;
      part = ++taken;
    } else return false;
  }
  return pattern.slice(at).every((rest) => rest === ANY);
}
