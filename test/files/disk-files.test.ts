import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createDiskFiles } from '../../core/files/disk-files';
import type { FileSource } from '../../core/index';
import { folderWith, put } from './folder';

async function textOf(files: FileSource, path: string): Promise<string> {
  const read = await files.read(path);
  return read.ok ? read.text : `<${read.reason}>`;
}

describe('the disk file source', () => {
  test('reads a file by relative, absolute and untidy paths', async () => {
    const root = folderWith({ 'src/app.ts': 'export {};\n' });
    const files = createDiskFiles({ root });
    for (const path of ['src/app.ts', join(root, 'src/app.ts'), './src/../src/app.ts', 'src//app.ts', 'src\\app.ts']) {
      expect(await files.read(path)).toEqual({
        ok: true,
        path: join(root, 'src/app.ts'),
        text: 'export {};\n',
        source: 'disk',
      });
      expect(files.display(path)).toBe('src/app.ts');
    }
  });

  test('has one name for a file and the links to it, also where the root is a link itself', async () => {
    const root = folderWith({ 'real/src/app.ts': 'x' });
    symlinkSync(join(root, 'real'), join(root, 'linked'));
    symlinkSync('app.ts', join(root, 'real/src/same.ts'));
    symlinkSync('src', join(root, 'real/lib'));
    const files = createDiskFiles({ root: join(root, 'linked') });
    const name = join(root, 'real/src/app.ts');
    for (const path of ['src/app.ts', 'src/same.ts', 'lib/same.ts', join(root, 'linked/lib/app.ts')]) {
      expect(files.canonical(path)).toBe(name);
      expect(await textOf(files, path)).toBe('x');
    }
  });

  test('spells what does not exist as it is written, below the folders that do exist', () => {
    const root = folderWith({ 'src/app.ts': 'x' });
    symlinkSync('src', join(root, 'lib'));
    const files = createDiskFiles({ root });
    expect(files.canonical('lib/./new/../New.ts')).toBe(join(root, 'src/New.ts'));
    expect(files.display('nowhere\\at\\all.ts')).toBe('nowhere/at/all.ts');
    expect(files.display('/elsewhere/x.ts')).toBe('/elsewhere/x.ts');
  });

  test('keeps a name with a backslash where such a file exists', async () => {
    const root = folderWith({ 'a\\b.ts': 'literal' });
    expect(await textOf(createDiskFiles({ root }), 'a\\b.ts')).toBe('literal');
  });

  test('says why it shows nothing', async () => {
    const root = folderWith({
      '.gitignore': 'dist/\n',
      'dist/out.js': 'x',
      'binary.bin': Uint8Array.of(0x7f, 0x45, 0, 1),
      'latin1.txt': Uint8Array.of(0x63, 0xe9, 0x0a),
      'huge.txt': Buffer.alloc(4 * 1024 * 1024 + 1, 'x'),
      'large.txt': Buffer.alloc(4 * 1024 * 1024, 'x'),
      'empty.txt': '',
    });
    mkdirSync(join(root, 'folder.ts'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const files = createDiskFiles({ root });
    const reasons: Record<string, string> = {};
    for (const path of [
      'missing.ts',
      'binary.bin/below.ts',
      'folder.ts',
      'pipe',
      '.',
      '',
      'dist/out.js',
      'binary.bin',
      'latin1.txt',
      'huge.txt',
      '../outside.ts',
      'nul\0byte',
      'x'.repeat(5000),
    ]) {
      reasons[path.slice(0, 20)] = await textOf(files, path);
    }
    expect(reasons).toEqual({
      'missing.ts': '<not-found>',
      'binary.bin/below.ts': '<not-found>',
      'folder.ts': '<not-a-file>',
      pipe: '<not-a-file>',
      '.': '<outside-scope>',
      '': '<outside-scope>',
      'dist/out.js': '<ignored>',
      'binary.bin': '<binary>',
      'latin1.txt': '<not-utf8>',
      'huge.txt': '<too-large>',
      '../outside.ts': '<outside-scope>',
      'nul\0byte': '<not-found>',
      [`${'x'.repeat(20)}`]: '<not-found>',
    });
    expect(await textOf(files, 'empty.txt')).toBe('');
    expect(await textOf(files, 'large.txt')).toHaveLength(4 * 1024 * 1024);
  });

  test('says that a file is denied', async () => {
    if (process.getuid?.() === 0) return;
    const root = folderWith({ 'secret.txt': 'x' });
    chmodSync(join(root, 'secret.txt'), 0);
    expect(await textOf(createDiskFiles({ root }), 'secret.txt')).toBe('<denied>');
  });

  test('works with a root that does not exist yet', async () => {
    const root = join(folderWith(), 'later');
    const files = createDiskFiles({ root });
    expect(await textOf(files, 'a.txt')).toBe('<not-found>');
    put(root, 'a.txt', 'now');
    expect(await textOf(files, 'a.txt')).toBe('now');
  });

  test('merges hard links only as long as they are one file', () => {
    const root = folderWith({ 'a.ts': 'x', 'c.ts': 'x' });
    linkSync(join(root, 'a.ts'), join(root, 'b.ts'));
    const files = createDiskFiles({ root });
    expect(files.display('b.ts')).toBe('b.ts');
    expect(files.display('a.ts')).toBe('b.ts');
    expect(files.display('c.ts')).toBe('c.ts');
    unlinkSync(join(root, 'b.ts'));
    writeFileSync(join(root, 'b.ts'), 'another');
    expect(files.display('a.ts')).toBe('a.ts');
    expect(files.display('b.ts')).toBe('b.ts');
  });

  test('a name is kept after the file vanished, on a file system that folds names', () => {
    const root = folderWith({ 'src/App.ts': 'x' });
    const files = createDiskFiles({ root, caseInsensitive: true });
    expect(files.display('SRC/app.TS')).toBe('src/App.ts');
    rmSync(join(root, 'src'), { recursive: true });
    expect(files.display('Src/APP.ts')).toBe('src/App.ts');
    expect(files.display('SRC/New.ts')).toBe('SRC/New.ts');
    expect(files.display('src/new.ts')).toBe('SRC/New.ts');
  });

  test('never throws and never leaves the root, whatever the path', async () => {
    const outside = folderWith({ 'canary.txt': 'CANARY' });
    const root = folderWith({ 'in.txt': 'inside', 'sub/in.txt': 'inside' });
    symlinkSync(outside, join(root, 'out'));
    symlinkSync(join(outside, 'canary.txt'), join(root, 'sub/link'));
    symlinkSync('loop', join(root, 'loop'));
    const files = createDiskFiles({ root });
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'sub',
      'out',
      'link',
      'loop',
      'in.txt',
      'canary.txt',
      outside,
      root,
      '~',
      '\\',
    );
    const path = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/')),
    );
    await fc.assert(
      fc.asyncProperty(path, async (given) => {
        const text = await textOf(files, given);
        expect(text).toMatch(/^(?:inside|<[a-z0-9-]+>)$/);
        const name = files.canonical(given);
        expect(files.canonical(name)).toBe(name);
        expect(files.canonical(files.display(name))).toBe(name);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what git ignores', () => {
  const ignored = async (files: FileSource, path: string): Promise<boolean> =>
    (await textOf(files, path)) === '<ignored>';

  test('follows rules as they change', async () => {
    const root = folderWith({ 'a.log': 'x' });
    const files = createDiskFiles({ root });
    expect(await ignored(files, 'a.log')).toBe(false);
    put(root, '.gitignore', '*.log\n');
    expect(await ignored(files, 'a.log')).toBe(true);
    put(root, '.gitignore', '# nothing here\n');
    expect(await ignored(files, 'a.log')).toBe(false);
  });

  test('holds also for rules above the root, up to the repository', async () => {
    const top = folderWith({
      '.git/info/exclude': 'notes.txt\n',
      '.gitignore': 'build/\n',
      'app/build/x.js': 'x',
      'app/notes.txt': 'x',
      'app/a.js': 'x',
    });
    const files = createDiskFiles({ root: join(top, 'app') });
    expect(await ignored(files, 'build/x.js')).toBe(true);
    expect(await ignored(files, 'notes.txt')).toBe(true);
    expect(await ignored(files, 'a.js')).toBe(false);
  });

  test('covers what git keeps for itself', async () => {
    const root = folderWith({ '.git/config': '[remote]' });
    expect(await ignored(createDiskFiles({ root }), '.git/config')).toBe(true);
  });

  test('agrees with git itself on nested rules; a folder that a nearer file takes back in stays out', async () => {
    const root = folderWith();
    execFileSync('git', ['init', '--quiet', root]);
    const paths = [
      'a.log',
      'keep.log',
      'sub/a.log',
      'sub/keep.log',
      'sub/deep/a.txt',
      'dist/a.txt',
      'sub/dist/a.txt',
      'Sub.LOG',
    ];
    for (const path of paths) put(root, path, 'x');
    const rule = fc.constantFrom(
      '*.log',
      '!keep.log',
      'dist/',
      '/dist',
      'sub/*',
      '!sub/deep/',
      '**/a.txt',
      'deep',
      '# note',
      '',
      '!a.log',
      '\\!x',
      'sub/dist/**',
    );
    const rules = fc.array(rule, { maxLength: 5 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(rules, rules, rules, async (upper, lower, exclude) => {
        put(root, '.gitignore', upper);
        put(root, 'sub/.gitignore', lower);
        put(root, '.git/info/exclude', exclude);
        const files = createDiskFiles({ root });
        let told = '';
        try {
          told = execFileSync('git', ['-C', root, 'check-ignore', '--no-index', ...paths], { encoding: 'utf8' });
        } catch {
          // git says by its exit code that it ignores none
        }
        const expected = new Set(told.split('\n'));
        const takesBack = [upper, lower].some((text) => text.includes('!sub/deep/'));
        for (const path of paths) {
          const ours = await ignored(files, path);
          if (ours !== expected.has(path)) expect([path, ours, takesBack]).toEqual([path, true, true]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('reading leaves the file as it is', async () => {
    const bytes = Buffer.from('\uFEFFa\r\nb\rc\n');
    const root = folderWith({ 'mixed.txt': bytes });
    expect(await textOf(createDiskFiles({ root }), 'mixed.txt')).toBe('a\r\nb\rc\n');
    expect(readFileSync(join(root, 'mixed.txt'))).toEqual(bytes);
  });
});
