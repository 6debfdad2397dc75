/** The files below a folder, in the order of their paths, without what git ignores. Links are not followed. */
import type * as minimatch from 'minimatch';
import type { Unreadable, Workspace } from '../../core/index';

/** Entries of a walk at most: a bound for folders that nobody meant to walk. */
const MOST_ENTRIES = 200_000;
/** Alternatives of a glob at most. */
const MOST_ALTERNATIVES = 256;

export interface Walk {
  /** The files by the path that other tools take; those that a glob names, matched from the start folder on. */
  readonly files: AsyncIterable<string>;
  /** Whether the walk ended at its bound. */
  isCutShort(): boolean;
}

/** Begins a walk, or says why there is none. `not-a-file` means that the path is no folder. */
export async function walkFrom(files: Workspace, folder: string, glob: string | undefined): Promise<Walk | Unreadable> {
  const matches = matcherOf(glob);
  const first = await files.list(folder);
  if (!first.ok) return first.reason;
  const prefix = prefixOf(files, first.path);
  let entries = 0;

  /** `at` is the path below the start folder, which a glob is matched against. */
  async function* below(path: string, at: string): AsyncGenerator<string> {
    const read = at === '' ? first : await files.list(path);
    if (!read.ok) return;
    for (const { name, kind, ignored } of read.entries) {
      if (++entries > MOST_ENTRIES) return;
      if (ignored) continue;
      const own = at + name;
      if (kind === 'folder') yield* below(prefix + own, `${own}/`);
      else if (kind === 'file' && matches(own)) yield prefix + own;
    }
  }
  return { files: below(folder, ''), isCutShort: () => entries > MOST_ENTRIES };
}

/** What stands before the names in a folder to make them paths that the tools take; empty for the root. */
export function prefixOf(files: Workspace, folder: string): string {
  return folder === files.canonical('.') ? '' : `${files.display(folder)}/`;
}

/** Tells whether a path matches; a pattern without `/` is matched against names. Without a pattern all do. */
export function matcherOf(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true;
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded at the first glob, not with the plugin
  const { Minimatch } = require('minimatch') as typeof minimatch;
  const pattern = new Minimatch(glob.replace(/^\.?\//, ''), {
    dot: true,
    matchBase: true,
    nonegate: true,
    nocomment: true,
    braceExpandMax: MOST_ALTERNATIVES,
  });
  return (path) => pattern.match(path);
}
