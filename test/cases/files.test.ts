/** Faults with files that users of similar tools reported, by the ids of `cases.json`. */
import { COMPACTION } from '../../core/index';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CONTEXT, createDiskFiles, type FileSource, type NewItem } from '../../core';
import { createTracker } from '../../plugins/tracker/recency';
import { folderWith, put } from '../files/folder';
import { assistant, call, prose, result, tokenizer, user } from '../support/context';
import { start } from '../support/kernel';

/** A session whose agent read these files, with enough behind it to be compacted. */
function touching(paths: readonly string[]): readonly NewItem[] {
  return [
    user('please port it'),
    ...paths.flatMap((path, at) => [
      { kind: 'tool_call' as const, callId: `f${String(at)}`, name: 'read', arguments: { path } },
      result(`f${String(at)}`, prose(50)),
    ]),
    ...Array.from({ length: 20 }, (_, at) => [call(`c${String(at)}`), result(`c${String(at)}`, prose(1000))]).flat(),
    assistant('half done'),
    user('go on'),
  ];
}

/** Compacts such a session, with everything that came of it as one text. */
async function compacted(files: FileSource, paths: readonly string[], between: () => void = () => undefined) {
  await using host = await start({ files });
  const session = host.open(touching(paths));
  between();
  const report = await host.kernel.get(COMPACTION).compact(session, { trigger: 'manual' });
  const blocks = [...session.records()].flatMap((record) => (record.t === 'checkpoint' ? record.blocks : []));
  const written = [...session.records(session.itemCount)].map((record) => JSON.stringify(record));
  return {
    report,
    autoRead: blocks.filter(({ kind }) => kind === 'auto-read').map(({ text }) => text),
    everything: JSON.stringify([host.log, host.heard, blocks, written], (key, value: unknown) =>
      key === 'session' ? '' : value,
    ),
  };
}

describe('C43: files that are read again must not fill the freed space', () => {
  test('newest first within the budget, large ones in part, every other one named once', async () => {
    const sizes = [100, 200, 300, 400, 500, 700, 1000, 1500, 2000, 4000, 8000, 50_000];
    const paths = sizes.map((_, at) => `f${String(at)}.ts`);
    const text = (tokens: number): string => prose(tokens).replaceAll('. ', '.\n');
    const root = folderWith(Object.fromEntries(paths.map((path, at) => [path, text(sizes[at] ?? 0)])));
    const { report, autoRead } = await compacted(createDiskFiles({ root }), paths);
    expect(report.outcome).toBe('done');
    const read = autoRead.map((block) => /^\[Auto-read file: f(\d+)\.ts/.exec(block)?.[1]).map(Number);
    expect(autoRead.reduce((sum, block) => sum + tokenizer.countText(block), 0)).toBeLessThanOrEqual(8000);
    expect(read).toEqual([...read].sort((a, b) => b - a));
    const named = report.references.map(({ path }) => path);
    expect([...new Set(read.map((at) => `f${String(at)}.ts`)), ...named].sort()).toEqual([...paths].sort());
  });
});

describe('C43: many small files', () => {
  test.each([20, 60, 200])('the budget is spent on those that the tail of %d reads does not show', async (kept) => {
    const text = Array.from(
      { length: 20 },
      (_, at) => `${String(at + 1)}\tconst line${String(at)} = ${String(at)};`,
    ).join('\n');
    const reads = (name: string, count: number): readonly NewItem[] =>
      Array.from({ length: count }, (_, at) => [
        {
          kind: 'tool_call' as const,
          callId: `${name}${String(at)}`,
          name: 'read_file',
          arguments: { path: `src/${name}${String(at)}.ts` },
        },
        result(`${name}${String(at)}`, text),
      ]).flat();
    await using host = await start();
    const session = host.open([user('look at all of them'), ...reads('old', 100), ...reads('kept', kept)]);
    const retainedTokens = Math.ceil(session.get(CONTEXT).view().tokens(201));
    const report = await host.kernel.get(COMPACTION).compact(session, { trigger: 'manual', retainedTokens });
    expect(report.outcome).toBe('done');
    expect(report.marks.length).toBeGreaterThan(20);
    expect(report.marks.filter(({ path }) => path.includes('kept'))).toEqual([]);
  });
});

describe('C44: files change between touch and compaction', () => {
  test('what is on disk now is read; the rest is named with a note, and the compaction succeeds', async () => {
    const root = folderWith(
      Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}.ts`, `old text of ${name}\n`])),
    );
    const files = createDiskFiles({ root });
    const paths = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts'];
    const { report, autoRead, everything } = await compacted(files, paths, () => {
      put(root, 'a.ts', 'new text of a\n');
      rmSync(join(root, 'b.ts'));
      rmSync(join(root, 'c.ts'));
      mkdirSync(join(root, 'c.ts'));
      chmodSync(join(root, 'd.ts'), 0);
      renameSync(join(root, 'e.ts'), join(root, 'renamed.ts'));
      utimesSync(join(root, 'f.ts'), new Date(), new Date());
    });
    expect(report.outcome).toBe('done');
    expect(autoRead).toContain('[Auto-read file: a.ts]\nnew text of a');
    expect(everything).not.toContain('old text of a');
    expect(autoRead.filter((text) => text.includes('f.ts'))).toEqual(['[Auto-read file: f.ts]\nold text of f']);
    const gone = ['b.ts', 'c.ts', 'e.ts', ...(process.getuid?.() === 0 ? [] : ['d.ts'])];
    expect(report.references.map(({ path }) => path)).toEqual(expect.arrayContaining(gone));
    for (const path of gone) expect(autoRead.join('\n')).not.toContain(path);
  });
});

describe('C45: a tracked path leaves the workspace', () => {
  test('only what lies inside is read, whatever way a path takes', async () => {
    const outside = folderWith({ 'canary.txt': 'CANARY-1234', 'folder/canary.txt': 'CANARY-1234' });
    const workspace = folderWith({
      'real/in/file.ts': 'legitimate\n',
      'real/swapped.ts': 'harmless\n',
      'canary.txt': 'CANARY-1234',
    });
    symlinkSync(join(workspace, 'real'), join(workspace, 'root'));
    const real = join(workspace, 'real');
    symlinkSync(join(outside, 'canary.txt'), join(real, 'link.ts'));
    symlinkSync(join(outside, 'folder'), join(real, 'dirlink'));
    symlinkSync(join(real, 'nothing'), join(real, 'dangling.ts'));
    symlinkSync('loop-b', join(real, 'loop-a'));
    symlinkSync('loop-a', join(real, 'loop-b'));
    symlinkSync('in/file.ts', join(real, 'inner.ts'));
    const paths = [
      '../canary.txt',
      join(outside, 'canary.txt'),
      'link.ts',
      'dirlink/canary.txt',
      'dangling.ts',
      'loop-a',
      'in/file.ts',
      'inner.ts',
      'swapped.ts',
      `in/../../../${outside}/canary.txt`,
    ];
    const files = createDiskFiles({ root: join(workspace, 'root') });
    const { report, autoRead, everything } = await compacted(files, paths, () => {
      rmSync(join(real, 'swapped.ts'));
      symlinkSync(join(outside, 'canary.txt'), join(real, 'swapped.ts'));
    });
    expect(report.outcome).toBe('done');
    expect(everything).not.toContain('CANARY-1234');
    expect(autoRead.filter((text) => text.includes('legitimate'))).toHaveLength(1);
  });

  test('a file or a folder that becomes a link while it is read shows nothing of what lies outside', async () => {
    const outside = folderWith({ 'a.ts': 'CANARY-1234' });
    const root = folderWith({ 'dir/a.ts': 'inside' });
    const files = createDiskFiles({ root });
    const swap = (folder: boolean): void => {
      rmSync(join(root, 'dir'), { recursive: true });
      if (folder) symlinkSync(outside, join(root, 'dir'));
      else {
        mkdirSync(join(root, 'dir'));
        symlinkSync(join(outside, 'a.ts'), join(root, 'dir/a.ts'));
      }
    };
    const restore = (): void => {
      rmSync(join(root, 'dir'), { recursive: true, force: true });
      put(root, 'dir/a.ts', 'inside');
    };
    for (let round = 0; round < 60; round++) {
      restore();
      const reading = files.read('dir/a.ts');
      for (let turn = 0; turn < round % 12; turn++) await new Promise(setImmediate);
      swap(round % 2 === 0);
      const read = await reading;
      expect(read.ok ? read.text : read.reason).not.toContain('CANARY');
    }
  });
});

describe('X28: one file under several spellings', () => {
  const spellings = ['src/App.ts', 'SRC/app.ts', './src/../src/App.ts', 'src\\App.ts', 'linked.ts', 'hard.ts'];
  const names = (root: string, caseInsensitive: boolean, normalizing: boolean, paths: readonly string[]): string[] => {
    const files = createDiskFiles({ root, caseInsensitive, normalizing });
    const tracker = createTracker(20, (path) => files.canonical(path));
    for (const path of paths) tracker.record(path);
    return tracker.recentFiles(20).map((path) => files.display(path));
  };
  const workspace = (): string => {
    const root = folderWith({ 'src/App.ts': 'x', 'src/Other.ts': 'x' });
    symlinkSync('src/App.ts', join(root, 'linked.ts'));
    linkSync(join(root, 'src/App.ts'), join(root, 'hard.ts'));
    return root;
  };

  test('is one entry where the file system folds case, and two where it does not', () => {
    expect(names(workspace(), true, false, spellings)).toEqual(['src/App.ts']);
    expect(names(workspace(), false, false, spellings)).toEqual(['src/App.ts', 'SRC/app.ts']);
  });

  test('composed and decomposed names are one file where the file system folds them', () => {
    const [composed, decomposed] = ['caf\u00e9.ts', 'cafe\u0301.ts'] as const;
    const root = folderWith({ [composed]: 'x' });
    expect(names(root, false, true, [decomposed, composed])).toEqual([composed]);
    expect(names(root, false, false, [decomposed, composed])).toEqual([composed, decomposed]);
    expect(names(folderWith({ [composed]: 'x', [decomposed]: 'y' }), false, false, [decomposed, composed])).toEqual([
      composed,
      decomposed,
    ]);
  });

  test('files that differ stay apart', () => {
    expect(names(workspace(), true, true, ['src/App.ts', 'src/Other.ts', 'src/App.tsx'])).toEqual([
      'src/App.tsx',
      'src/Other.ts',
      'src/App.ts',
    ]);
  });

  test('its content is in the new context once', async () => {
    const root = folderWith({ 'src/App.ts': 'the one content\n' });
    symlinkSync('src/App.ts', join(root, 'linked.ts'));
    const { autoRead } = await compacted(createDiskFiles({ root, caseInsensitive: true }), [
      'src/App.ts',
      'SRC/app.ts',
      './src/../src/App.ts',
      'src\\App.ts',
      'linked.ts',
    ]);
    expect(autoRead).toEqual(['[Auto-read file: src/App.ts]\nthe one content']);
  });
});

describe('X31: line endings, byte-order marks and legacy encodings', () => {
  const source = 'const s = "é";\nconst t = 1;\n';
  const encoded: Readonly<Record<string, readonly [Uint8Array, string]>> = {
    'bom-crlf': [Buffer.from(`\uFEFF${source.replace(/\n/g, '\r\n')}`), source.replace(/\n/g, '\r\n')],
    mixed: [Buffer.from('a\r\nb\nc\r\n'), 'a\r\nb\nc\r\n'],
    'lone-cr': [Buffer.from('a\rb\r'), 'a\rb\r'],
    utf16le: [Buffer.from(`\uFEFF${source}`, 'utf16le'), '<not-utf8>'],
    gbk: [Uint8Array.of(0xc4, 0xe3, 0xba, 0xc3, 0x0a), '<not-utf8>'],
    latin1: [Buffer.from(source, 'latin1'), '<not-utf8>'],
  };

  test.each(Object.entries(encoded))(
    '%s is shown as the agent reads it, or not at all; nothing is written',
    async (name, [bytes, expected]) => {
      const root = folderWith({ [name]: bytes });
      const read = await createDiskFiles({ root }).read(name);
      expect(read.ok ? read.text : `<${read.reason}>`).toBe(expected);
      expect(readFileSync(join(root, name))).toEqual(Buffer.from(bytes));
    },
  );

  test('what cannot be decoded becomes a reference, no mark reaches the prompt', async () => {
    const root = folderWith(Object.fromEntries(Object.entries(encoded).map(([name, [bytes]]) => [name, bytes])));
    const { report, autoRead } = await compacted(createDiskFiles({ root }), Object.keys(encoded));
    expect(autoRead.join('')).not.toMatch(/\uFEFF|\uFFFD/);
    expect(autoRead).toContain(`[Auto-read file: mixed]\na\r\nb\nc\r`);
    const named = report.references.map(({ path }) => path);
    expect(named.filter((path) => ['utf16le', 'gbk', 'latin1'].includes(path))).toHaveLength(3);
  });
});

describe('X52: sensitive files that were touched', () => {
  test('are named at most, never read; the list can be added to', async () => {
    const sensitive = ['.env', '.env.example', 'id_rsa', 'cert.pem', 'ignored.txt', 'own/list.txt'];
    const root = folderWith({
      ...Object.fromEntries(sensitive.map((path) => [path, `canary in ${path}\n`])),
      '.gitignore': 'ignored.txt\n',
      'normal.ts': 'a normal file\n',
    });
    execFileSync('git', ['init', '--quiet', root]);
    const files = createDiskFiles({ root });
    await using host = await start({ files, config: { compaction: { neverAutoRead: ['/own/'] } } });
    const session = host.open(touching([...sensitive, 'normal.ts']));
    const report = await host.kernel.get(COMPACTION).compact(session, { trigger: 'manual' });
    expect(report.outcome).toBe('done');
    expect(report.marks.map(({ path }) => path)).toEqual(['normal.ts']);
    const log = [...session.records()].map((record) => JSON.stringify(record)).join('\n');
    expect(log).toContain('a normal file');
    expect(log).not.toContain('canary in');
    writeFileSync(join(root, '.gitignore'), '');
    expect((await files.read('ignored.txt')).ok).toBe(true);
  });
});
