/** The files of a session that lie in another folder now: on another machine, or in another clone (S12.1). */
import type { FileSource } from './file-source';
import { lexicalPath, relativeTo } from './path-spelling';

/**
 * A file source that finds what lay in the folder `from` in the root of `files`. All other paths, relative ones too, mean
 * what they mean to `files`.
 */
export function createMovedFiles(files: FileSource, from: string): FileSource {
  const folder = lexicalPath(from);
  const moved = (path: string): string => {
    const spelling = lexicalPath(path);
    if (spelling === folder) return '.';
    const inside = relativeTo(folder, spelling);
    return inside === spelling ? path : inside;
  };
  return {
    canonical: (path) => files.canonical(moved(path)),
    display: (path) => files.display(moved(path)),
    read: (path) => files.read(moved(path)),
  };
}
