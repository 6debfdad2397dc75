/** Which manifest is used (S10): the one that is named, else the nearest `pith.toml` up to the top of the repository. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, PithError } from '../errors';

/** The name of a manifest that is looked for. */
export const MANIFEST_NAME = 'pith.toml';

/** Bytes that no manifest has. */
const MOST_BYTES = 1024 * 1024;

/** How a manifest was found: named by an option or by `PITH_MANIFEST`, by search, or not at all. */
export type FoundBy = 'option' | 'environment' | 'search' | 'none';

/** Which manifest is used, and how it was found. */
export interface FoundManifest {
  /** The absolute path; undefined where there is none. */
  readonly path: string | undefined;
  readonly foundBy: FoundBy;
}

/**
 * Finds the manifest. The search goes from the working folder up to the folder with `.git`; outside of a repository only the
 * working folder is looked at. What is named is not looked at here.
 */
export function findManifest(options: {
  readonly path?: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): FoundManifest {
  const { path, cwd, env } = options;
  if (path !== undefined) return { path: resolve(cwd, path), foundBy: 'option' };
  if (env.PITH_MANIFEST) return { path: resolve(cwd, env.PITH_MANIFEST), foundBy: 'environment' };
  const found = foldersUpTo(cwd)
    .map((folder) => join(folder, MANIFEST_NAME))
    .find((file) => existsSync(file));
  return found === undefined ? { path: undefined, foundBy: 'none' } : { path: found, foundBy: 'search' };
}

/** The text of a manifest, without a byte-order mark. Throws `PITH_MANIFEST_NOT_FOUND`. */
export function readManifest({ path, foundBy }: FoundManifest & { readonly path: string }): string {
  const by = foundBy === 'environment' ? ' that PITH_MANIFEST names' : '';
  const refuse = (problem: string, cause?: unknown): PithError =>
    new PithError('PITH_MANIFEST_NOT_FOUND', `The manifest${by}, ${path}, ${problem}.`, { cause, details: { path } });
  try {
    const found = statSync(path);
    if (!found.isFile()) throw refuse('is not a file');
    if (found.size > MOST_BYTES) throw refuse('is larger than 1 MB, which no manifest is');
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    if (PithError.is(thrown)) throw thrown;
    if ((thrown as { code?: unknown }).code === 'ENOENT')
      throw refuse('does not exist; create one by `pith init`', thrown);
    if ((thrown as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw refuse('is not UTF-8 text', thrown);
    throw refuse(`cannot be read: ${messageOf(thrown)}`, thrown);
  }
}

function foldersUpTo(cwd: string): readonly string[] {
  const folders = [resolve(cwd)];
  for (;;) {
    const folder = folders.at(-1) as string;
    if (existsSync(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return folders.slice(0, 1);
    folders.push(dirname(folder));
  }
}
