import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { createDiskFiles, createMovedFiles, createSessionFiles } from '../../core';
import type { FileRead, FileSource } from '../../core';
import { createMemoryFiles, fileSourceContract, parallelCalls, withIds } from '../../core/testing';
import type { FileSourceUnderTest, MemoryFiles } from '../../core/testing';
import { folderWith, put } from '../files/folder';
import { expectEachToFail } from './contract-can-fail';

const roots = new WeakMap<FileSource, string>();
const rootOf = (source: FileSource): string => roots.get(source) ?? '';

/** Files on disk, shown by whatever source is made of their folder. */
function onDisk(make: (root: string) => FileSource): Required<FileSourceUnderTest> {
  return {
    create(files) {
      const root = folderWith(files);
      const source = make(root);
      roots.set(source, root);
      return source;
    },
    put(source, path, content) {
      if (content === undefined) rmSync(join(rootOf(source), path));
      else put(rootOf(source), path, content);
    },
    link: (source, path, to) => symlinkSync(isAbsolute(to) ? to : join(rootOf(source), to), join(rootOf(source), path)),
  };
}

const disk = onDisk((root) => createDiskFiles({ root }));

const memory = {
  create: (files) => createMemoryFiles(files),
  put: (source, path, content) => (source as MemoryFiles).put(path, content),
} satisfies FileSourceUnderTest;

/** Files as a session saw them: each was written by a call. */
const session: FileSourceUnderTest = {
  create(files) {
    const texts = Object.entries(files).filter(([, content]) => typeof content === 'string');
    const calls = texts.map(([path, content]) => ({
      name: 'write_file',
      arguments: { path, content: (content as string).replace(/^\ufeff/, '') },
    }));
    return createSessionFiles(withIds(parallelCalls('w', ...calls)), '/project');
  },
};

describe('the contract of file sources holds for', () => {
  describe('files on disk', () => {
    test.each(fileSourceContract(disk))('$name', ({ run }) => run());
  });
  describe('files that were moved', () => {
    const moved = onDisk((root) => createMovedFiles(createDiskFiles({ root }), '/where/they/were'));
    test.each(fileSourceContract(moved))('$name', ({ run }) => run());
  });
  describe('files of a session', () => {
    test.each(fileSourceContract(session))('$name', ({ run }) => run());
  });
  describe('files in memory', () => {
    test.each(fileSourceContract(memory))('$name', ({ run }) => run());
  });
});

/** Files in memory with something else in place of what the source does. */
const but = (broken: (good: MemoryFiles, files: object) => Partial<FileSource>): FileSourceUnderTest => ({
  ...memory,
  create(files) {
    const good = createMemoryFiles(files);
    return { ...good, ...broken(good, files) };
  },
});

/** The same for what is read. */
const reading = (change: (read: FileRead, path: string) => FileRead): FileSourceUnderTest =>
  but(({ read }) => ({ read: async (path) => change(await read(path), path) }));

const changed = (change: (text: string) => string): FileSourceUnderTest =>
  reading((read) => (read.ok ? { ...read, text: change(read.text) } : read));

/** Reads whatever the system finds under a path, links and all. */
const trusting = onDisk((root) => {
  const good = createDiskFiles({ root });
  return {
    ...good,
    canonical: (path) => resolve(root, path),
    read(path) {
      const name = resolve(root, path);
      return Promise.resolve({ ok: true, path: name, text: readFileSync(name, 'utf8'), source: 'disk' });
    },
  };
});

describe('the contract of file sources', () => {
  expectEachToFail<FileSourceUnderTest>((under) => fileSourceContract({ ...disk, ...under }), {
    'a file is read as it is: every line, its line ends, its characters': changed((text) => text.replace(/\r/g, '')),
    'an empty file is a file': reading((read) =>
      read.ok && read.text === '' ? { ok: false, path: read.path, reason: 'not-found' } : read,
    ),
    'a byte-order mark is no part of the text': changed((text) => `\ufeff${text}`),
    'what is not there is not found, also below a file, and under the names that every object has': but(
      ({ canonical, read }, files) => ({
        read: (path) =>
          path in files && !Object.hasOwn(files, path)
            ? Promise.resolve({ ok: true, path: canonical(path), text: 'object', source: 'memory' })
            : read(path),
      }),
    ),
    'what is no text is not shown': but(({ canonical, read }) => ({
      read: (path) =>
        path.endsWith('.png')
          ? Promise.resolve({ ok: true, path: canonical(path), text: '\ufffdPNG', source: 'memory' })
          : read(path),
    })),
    'a folder is no file': reading((read) =>
      !read.ok && read.reason === 'not-a-file' ? { ok: true, path: read.path, text: '', source: 'memory' } : read,
    ),
    'many reads at the same time give each its own file': but(({ canonical, read }) => {
      let last = '';
      return {
        async read(path) {
          last = path;
          await Promise.resolve();
          return { ...(await read(last)), path: canonical(path) };
        },
      };
    }),
    'an untidy path means the same file as the tidy one, and has the same one spelling': but(() => ({
      canonical: (path) => (path.startsWith('/') ? path : `/project/${path}`),
    })),
    'a path inside is shown from the root on': but(({ canonical }) => ({ display: canonical })),
    'a spelling is its own spelling, and what is shown leads back to it, whatever the path': but(({ canonical }) => ({
      canonical: (path) => `/project${canonical(path)}`,
    })),
    'no path throws, and none leads out of the scope': trusting,
    'a read gives what the file holds now, not what it held before': but(({ read }) => {
      const cache = new Map<string, Promise<FileRead>>();
      return {
        read(path) {
          const known = cache.get(path) ?? read(path);
          cache.set(path, known);
          return known;
        },
      };
    }),
    'a file that vanished is not found, and keeps its one spelling': {
      ...memory,
      put: (source, path, content) => (source as MemoryFiles).put(path, content ?? ''),
    },
    'a file and the links to it have one spelling, and are one file': trusting,
    'a link out of the scope is not followed, to a file or through a folder': trusting,
    'links that lead in a circle end': trusting,
  });

  test('finds lines that are told as known and are not', async () => {
    const known = (...ranges: readonly (readonly [number, number])[]): FileSourceUnderTest =>
      reading((read) =>
        read.ok ? { ...read, known: ranges.map(([fromLine, toLine]) => ({ fromLine, toLine })) } : read,
      );
    for (const ranges of [
      [[1, 1]],
      [
        [1, 1],
        [2, 3],
      ],
      [
        [2, 3],
        [1, 1],
      ],
      [[0, 3]],
      [[1, 999]],
    ] as const) {
      const [check] = fileSourceContract(known(...ranges));
      await expect(check?.run()).rejects.toThrow(/line/);
    }
  });

  test('asks nothing of links or changes where there are none', () => {
    expect(fileSourceContract({ create: memory.create })).toHaveLength(fileSourceContract(disk).length - 5);
  });
});
