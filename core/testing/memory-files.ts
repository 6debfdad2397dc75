/** Files in memory, for plugins that read files and for workers that mark them. */
import type { FileRead, FileSource } from '../files/file-source';
import { lexicalPath, relativeTo } from '../files/path-spelling';
import { decodeText } from '../files/text-file';

/** A file source of which a test decides what it holds. */
export interface MemoryFiles extends FileSource {
  /** Puts a file in place, or with `undefined` removes it. */
  put(path: string, content: string | Uint8Array | undefined): void;
  /** Every path that was read so far, in its one spelling, in order. */
  readonly reads: readonly string[];
}

/** Makes a file source with these files, by their path from its root, which is `/project` by default. */
export function createMemoryFiles(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  root = '/project',
): MemoryFiles {
  const contents = new Map<string, Uint8Array>();
  const reads: string[] = [];
  const canonical = (path: string): string => lexicalPath(path, root);

  function put(path: string, content: string | Uint8Array | undefined): void {
    if (content === undefined) contents.delete(canonical(path));
    else contents.set(canonical(path), typeof content === 'string' ? Buffer.from(content) : content);
  }

  function read(path: string): FileRead {
    reads.push(path);
    if (relativeTo(root, path) === path) return { ok: false, path, reason: 'outside-scope' };
    const bytes = contents.get(path);
    if (bytes === undefined) {
      const isFolder = [...contents.keys()].some((file) => file.startsWith(`${path}/`));
      return { ok: false, path, reason: isFolder ? 'not-a-file' : 'not-found' };
    }
    const text = decodeText(bytes);
    return text.ok ? { ok: true, path, text: text.text, source: 'memory' } : { ok: false, path, reason: text.reason };
  }

  for (const [path, content] of Object.entries(files)) put(path, content);
  return {
    canonical,
    display: (path) => relativeTo(root, canonical(path)),
    read: (path) => Promise.resolve(read(canonical(path))),
    put,
    reads,
  };
}
