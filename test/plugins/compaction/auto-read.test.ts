import type { Mark } from '../../../core/index';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createDiskFiles } from '../../../core';
import {
  blockOf,
  mergeRanges,
  openFile,
  rangesOf,
  readMarks,
  type ShownFile,
} from '../../../plugins/compaction/auto-read';
import { folderWith, put } from '../../files/folder';
import { tokenizer } from '../../support/context';

const lines = (count: number): string =>
  `${Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')}\n`;
const mark = (path: string, fromLine: number, toLine: number): Mark => ({
  path,
  fromLine,
  toLine,
  tokens: 0,
  source: 'disk',
});
const countText = (text: string): number => tokenizer.countText(text);
const opened = async (root: string, path: string): Promise<ShownFile> => {
  const file = await openFile(path, { files: createDiskFiles({ root }) });
  if (typeof file === 'string') throw new Error(file);
  return file;
};

describe('file ranges', () => {
  test('that overlap or touch are one', () => {
    expect(
      mergeRanges([
        { fromLine: 5, toLine: 9 },
        { fromLine: 1, toLine: 4 },
        { fromLine: 20, toLine: 30 },
        { fromLine: 25, toLine: 26 },
      ]),
    ).toEqual([
      { fromLine: 1, toLine: 9 },
      { fromLine: 20, toLine: 30 },
    ]);
  });

  test('cover the same lines merged as unmerged, in order and apart from each other', () => {
    const range = fc
      .tuple(fc.integer({ min: 1, max: 50 }), fc.nat(10))
      .map(([fromLine, length]) => ({ fromLine, toLine: fromLine + length }));
    const covered = (ranges: readonly { fromLine: number; toLine: number }[]): number[] =>
      Array.from({ length: 70 }, (_, line) => line).filter((line) =>
        ranges.some(({ fromLine, toLine }) => fromLine <= line && line <= toLine),
      );
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), (ranges) => {
        const merged = mergeRanges(ranges);
        expect(covered(merged)).toEqual(covered(ranges));
        for (const [index, { fromLine }] of merged.entries())
          expect(fromLine).toBeGreaterThan((merged[index - 1]?.toLine ?? -1) + 1);
      }),
    );
  });

  test('are those of the file that may be shown', () => {
    const file: ShownFile = { key: 'a', path: 'a', source: 'disk', lines: Array.from({ length: 10 }, String) };
    expect(rangesOf(file)).toEqual([{ fromLine: 1, toLine: 10 }]);
    expect(rangesOf(file, 8, 100)).toEqual([{ fromLine: 8, toLine: 10 }]);
    expect(rangesOf(file, 11)).toEqual([]);
    const known = {
      ...file,
      known: [
        { fromLine: 2, toLine: 3 },
        { fromLine: 6, toLine: 8 },
      ],
    };
    expect(rangesOf(known, 3, 4)).toEqual([
      { fromLine: 3, toLine: 3 },
      { fromLine: 6, toLine: 6 },
    ]);
    expect(rangesOf(known, 4, 2)).toEqual([]);
  });

  test('are headed by their lines unless they are all of the file', async () => {
    const root = folderWith({ 'src/a.ts': lines(3) });
    const file = await opened(root, 'src/a.ts');
    expect(blockOf(file, { fromLine: 1, toLine: 3 }).text).toBe('[Auto-read file: src/a.ts]\nline 1\nline 2\nline 3');
    expect(blockOf(file, { fromLine: 2, toLine: 3 }).text).toBe('[Auto-read file: src/a.ts:2-3]\nline 2\nline 3');
    expect(blockOf({ ...file, known: [{ fromLine: 1, toLine: 3 }] }, { fromLine: 1, toLine: 3 }).text).toContain(
      'src/a.ts:1-3]',
    );
  });
});

describe('marks that are read for the new context', () => {
  test('X31: keep their line endings, lose their byte-order mark, and what cannot be decoded becomes a reference', async () => {
    const root = folderWith({
      'bom.ts': '\ufeffone\r\ntwo\r\n',
      'mixed.ts': 'one\r\ntwo\nthree\rstill three',
      'utf16.ts': Buffer.from('\ufeffone\n', 'utf16le'),
      'latin1.ts': Buffer.from('caf\u00e9\n', 'latin1'),
    });
    const marks = ['bom.ts', 'mixed.ts', 'utf16.ts', 'latin1.ts'].map((path) => mark(path, 1, 2));
    const { blocks, references } = await readMarks({ files: createDiskFiles({ root }), marks, countText });
    expect(blocks.map(({ text }) => text)).toEqual([
      '[Auto-read file: bom.ts]\none\r\ntwo\r',
      '[Auto-read file: mixed.ts:1-2]\none\r\ntwo',
    ]);
    expect(references.map(({ path, note }) => [path, note])).toEqual([
      ['utf16.ts', expect.stringMatching(/binary|UTF-8/)],
      ['latin1.ts', 'is not UTF-8 text'],
    ]);
  });

  test('C44: show what is on disk now; what vanished or shrank is named with a note', async () => {
    const root = folderWith({ 'a.ts': lines(5), 'gone.ts': lines(5), 'short.ts': lines(5), 'cut.ts': lines(5) });
    put(root, 'a.ts', 'NEW\n');
    put(root, 'short.ts', 'x\n');
    put(root, 'cut.ts', lines(3));
    rmSync(join(root, 'gone.ts'));
    const marks = [mark('a.ts', 1, 5), mark('gone.ts', 1, 5), mark('short.ts', 3, 5), mark('cut.ts', 2, 5)];
    const { blocks, references } = await readMarks({ files: createDiskFiles({ root }), marks, countText });
    expect(blocks.map(({ text }) => text)).toEqual([
      '[Auto-read file: a.ts]\nNEW',
      '[Auto-read file: cut.ts:2-3]\nline 2\nline 3',
    ]);
    expect(references).toEqual([
      { path: 'gone.ts', note: 'does not exist' },
      { path: 'short.ts', note: 'is shorter now than when it was marked' },
    ]);
  });

  test('that grew beyond the budget become references, and the others still fit', async () => {
    const root = folderWith({ 'a.ts': lines(20), 'grown.ts': 'x\n', 'b.ts': lines(20) });
    put(root, 'grown.ts', lines(3000));
    const marks = [mark('a.ts', 1, 20), mark('grown.ts', 1, 3000), mark('b.ts', 1, 20)];
    const { blocks, references } = await readMarks({ files: createDiskFiles({ root }), marks, budget: 500, countText });
    expect(blocks.map(({ path }) => path)).toEqual(['a.ts', 'b.ts']);
    expect(blocks.reduce((sum, { text }) => sum + countText(text), 0)).toBeLessThanOrEqual(500);
    expect(references).toEqual([{ path: 'grown.ts', note: 'has grown beyond the auto-read budget' }]);
  });

  test('that may not be shown any more become references', async () => {
    const root = folderWith({ 'a.ts': 'x\n' });
    const guard = { neverAutoRead: () => 'configured', mask: (text: string) => text };
    const { blocks, references } = await readMarks({
      files: createDiskFiles({ root }),
      guard,
      marks: [mark('a.ts', 1, 1)],
      countText,
    });
    expect(blocks).toEqual([]);
    expect(references).toEqual([{ path: 'a.ts', note: 'is never read automatically: configured' }]);
  });
});
