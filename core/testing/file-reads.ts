/** The checks of the contract of file sources about what a read gives (S7.1). */
import assert from 'node:assert/strict';
import type { FileRead, FileSource, Unreadable } from '../files/file-source';
import type { FileSourceCheck } from './file-source-contract';

const REASONS: Readonly<Record<Unreadable, true>> = {
  'not-found': true,
  'outside-scope': true,
  'not-a-file': true,
  binary: true,
  'not-utf8': true,
  ignored: true,
  denied: true,
  'too-large': true,
};

/** Reads a file; throws where the answer is not of the form of one. */
export async function readOf(source: FileSource, path: string): Promise<FileRead> {
  const read = await source.read(path);
  const about = JSON.stringify(path).slice(0, 80);
  if (read.ok) {
    assert.equal(typeof read.text, 'string', about);
    assert.equal(read.path, source.canonical(path), `the path of ${about} is not its one spelling`);
    assert.ok(read.source !== '', `${about} has no source`);
    checkKnown(read, about);
  } else assert.ok(Object.hasOwn(REASONS, read.reason), `${about} cannot be shown for "${read.reason}"`);
  return read;
}

/** The lines that are known: ascending, apart from each other, within the text; all others are empty. */
function checkKnown({ text, known }: Extract<FileRead, { readonly ok: true }>, about: string): void {
  if (known === undefined) return;
  const lines = text.split('\n');
  let before = -1;
  for (const { fromLine, toLine } of known) {
    assert.ok(fromLine > before + 1 || before === -1, `${about}: its known lines touch or go back at line ${fromLine}`);
    assert.ok(fromLine >= 1 && fromLine <= toLine, `${about}: there are no lines ${fromLine} to ${toLine}`);
    assert.ok(toLine <= lines.length, `${about}: line ${toLine} is known, and there are ${lines.length}`);
    before = toLine;
  }
  const isKnown = (line: number): boolean => known.some(({ fromLine, toLine }) => line >= fromLine && line <= toLine);
  for (const [at, line] of lines.entries())
    assert.ok(line === '' || isKnown(at + 1), `${about}: line ${at + 1} is not known, and has text`);
}

/** The text of a file, or in angle brackets why there is none. */
export async function textOf(source: FileSource, path: string): Promise<string> {
  const read = await readOf(source, path);
  return read.ok ? read.text : `<${read.reason}>`;
}

const TEXTS: Readonly<Record<string, string>> = {
  'src/app.ts': 'export const app = 1;\nexport {};\n',
  'no-line-end.txt': 'one\ntwo',
  'windows.txt': 'one\r\ntwo\r\n',
  'docs/deep/日本 é.md': '# Ünï\n\n日本語 😀\n',
  'long.txt': `${'x'.repeat(5000)}\n`.repeat(20),
};

export const readChecks: readonly FileSourceCheck[] = [
  {
    name: 'a file is read as it is: every line, its line ends, its characters',
    async check(under) {
      const source = await under.create(TEXTS);
      for (const [path, text] of Object.entries(TEXTS)) assert.equal(await textOf(source, path), text, path);
    },
  },
  {
    name: 'an empty file is a file',
    async check(under) {
      assert.equal(await textOf(await under.create({ 'empty.txt': '' }), 'empty.txt'), '');
    },
  },
  {
    name: 'a byte-order mark is no part of the text',
    async check(under) {
      const source = await under.create({ 'marked.txt': '\ufeffone\n' });
      assert.equal(await textOf(source, 'marked.txt'), 'one\n');
    },
  },
  {
    name: 'what is not there is not found, also below a file, and under the names that every object has',
    async check(under) {
      const source = await under.create(TEXTS);
      for (const path of [
        'missing.ts',
        'src/missing.ts',
        'src/app.ts/below.ts',
        'constructor',
        '__proto__',
        'toString',
      ])
        assert.equal(await textOf(source, path), '<not-found>', path);
    },
  },
  {
    name: 'what is no text is not shown',
    async check(under) {
      const source = await under.create({
        'image.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2),
        'latin1.txt': Uint8Array.of(0x63, 0xe9, 0x0a),
        'src/app.ts': 'x',
      });
      assert.match(await textOf(source, 'image.png'), /^<(?:binary|not-utf8|not-found)>$/);
      assert.match(await textOf(source, 'latin1.txt'), /^<(?:binary|not-utf8|not-found)>$/);
      assert.equal(await textOf(source, 'src/app.ts'), 'x');
    },
  },
  {
    name: 'a folder is no file',
    async check(under) {
      const source = await under.create(TEXTS);
      for (const path of ['src', 'src/', 'docs/deep', '.', ''])
        assert.equal((await readOf(source, path)).ok, false, JSON.stringify(path));
    },
  },
  {
    name: 'many reads at the same time give each its own file',
    async check(under) {
      const files = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`many/${n}.txt`, `text ${n}\n`]));
      const source = await under.create(files);
      const read = await Promise.all(Object.keys(files).map((path) => textOf(source, path)));
      assert.deepEqual(read, Object.values(files));
    },
  },
];
