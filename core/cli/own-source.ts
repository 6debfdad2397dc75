/** Where the Pith that runs came from, so that a new plugin is developed against the same. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/**
 * What stands for Pith among the dependencies of a package in a folder: the tarball or the folder that this one came from, by
 * a path relative to that folder; a range from its version on where it came from a registry.
 */
export function ownSource(folder: string, version: string, own = dirname(dirname(dirname(__dirname)))): string {
  const modules = dirname(own);
  if (basename(modules) !== 'node_modules') return fileFrom(folder, own);
  const resolved = resolvedIn(modules);
  const file = resolved?.startsWith('file:') === true ? resolved.slice('file:'.length) : undefined;
  return file === undefined ? `^${version}` : fileFrom(folder, resolve(dirname(modules), file));
}

/** What npm says that it installed. */
function resolvedIn(modules: string): string | undefined {
  try {
    const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
      readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
    };
    return lock.packages?.['node_modules/pith']?.resolved;
  } catch {
    return undefined; // another package manager, or none
  }
}

function fileFrom(folder: string, target: string): string {
  return `file:${relative(folder, target).split(sep).join('/')}`;
}
