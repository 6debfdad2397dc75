import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createDiskFiles, createSessionFiles, isWorkspace, readNamedFile, type Workspace } from '../../core';
import { folderWith, put } from './folder';

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function written(files: Workspace, path: string, text: string, expected?: string): Promise<string> {
  const result = await files.write(path, bytes(text), expected === undefined ? undefined : bytes(expected));
  return result.ok ? 'written' : result.reason;
}

describe('writing', () => {
  test('makes a new file and the folders that it needs, with the mode that new files get', async () => {
    const root = folderWith();
    const files = createDiskFiles({ root });
    expect(await files.write('a/b/c.txt', bytes('x'), undefined)).toEqual({ ok: true, path: join(root, 'a/b/c.txt') });
    put(root, 'plain.txt', 'x');
    expect(statSync(join(root, 'a/b/c.txt')).mode).toBe(statSync(join(root, 'plain.txt')).mode);
    expect(readdirSync(join(root, 'a/b'))).toEqual(['c.txt']);
  });

  test('works with a root that does not exist yet', async () => {
    const root = join(folderWith(), 'later/still');
    expect(await written(createDiskFiles({ root }), 'a.txt', 'x')).toBe('written');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('x');
  });

  test('replaces only what was expected', async () => {
    const root = folderWith({ 'a.txt': 'old' });
    const files = createDiskFiles({ root });
    expect(await written(files, 'a.txt', 'new')).toBe('changed');
    expect(await written(files, 'a.txt', 'new', 'other')).toBe('changed');
    expect(await written(files, 'b.txt', 'new', 'old')).toBe('changed');
    expect(await written(files, 'a.txt', 'new', 'old')).toBe('written');
    expect(readdirSync(root)).toEqual(['a.txt']);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('new');
  });

  test('of several that expect the same one succeeds, and the file is whole', async () => {
    const root = folderWith({ 'a.txt': 'old' });
    const files = createDiskFiles({ root });
    const texts = Array.from({ length: 8 }, (_, at) => String(at).repeat(100_000));
    const results = await Promise.all(texts.map((text) => written(files, 'a.txt', text, 'old')));
    expect(results.filter((result) => result !== 'changed')).toEqual(['written']);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(texts[results.indexOf('written')]);
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  test('keeps mode and owner of the file', async () => {
    const root = folderWith({ 'a.sh': 'old' });
    chmodSync(join(root, 'a.sh'), 0o640);
    if (process.getuid?.() === 0) execFileSync('chown', ['12345:23456', join(root, 'a.sh')]);
    const before = statSync(join(root, 'a.sh'));
    await written(createDiskFiles({ root }), 'a.sh', 'new', 'old');
    const { mode, uid, gid } = statSync(join(root, 'a.sh'));
    expect([mode, uid, gid]).toEqual([before.mode, before.uid, before.gid]);
  });

  test('changes the file behind a link and leaves the link; of hard links only the named one', async () => {
    const root = folderWith({ 'a.txt': 'old', 'one.txt': 'same' });
    symlinkSync('a.txt', join(root, 'link'));
    linkSync(join(root, 'one.txt'), join(root, 'two.txt'));
    const files = createDiskFiles({ root });
    expect(files.canonical('one.txt')).toBe(files.canonical('two.txt'));
    expect(await written(files, 'link', 'new', 'old')).toBe('written');
    expect(await written(files, 'two.txt', 'new', 'same')).toBe('written');
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true);
    expect(['a.txt', 'one.txt', 'two.txt'].map((name) => readFileSync(join(root, name), 'utf8'))).toEqual([
      'new',
      'same',
      'new',
    ]);
  });

  test('says why it does not write', async () => {
    const root = folderWith({ 'a.txt': 'x', 'protected.txt': 'x' });
    chmodSync(join(root, 'protected.txt'), 0o444);
    mkdirSync(join(root, 'folder'));
    symlinkSync('nowhere', join(root, 'dangling'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const files = createDiskFiles({ root });
    const reasons = await Promise.all(
      ['folder', 'pipe', 'dangling', 'a.txt/b.txt', '.git/hooks/x', '../x', '.', 'nul\0'].map((path) =>
        written(files, path, 'y'),
      ),
    );
    expect(reasons).toEqual([
      ...[
        'not-a-file',
        'not-a-file',
        'not-a-file',
        'not-a-file',
        'ignored',
        'outside-scope',
        'not-a-file',
        'not-found',
      ],
    ]);
    expect(await written(files, 'protected.txt', 'y', 'x')).toBe('read-only');
    expect((await files.write('big', Buffer.alloc(10 * 1024 * 1024 + 1), undefined)).ok).toBe(false);
    const failed = files.write('n'.repeat(300), bytes('x'), undefined);
    await expect(failed).rejects.toMatchObject({ code: 'PITH_OUTPUT_UNWRITABLE' });
    await expect(failed).rejects.toThrow(
      'cannot be written: ENAMETOOLONG: name too long. What stood there is untouched.',
    );
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'dangling', 'folder', 'pipe', 'protected.txt']);
  });

  test('any bytes come back as they were written', async () => {
    const root = folderWith();
    const files = createDiskFiles({ root });
    let last: Uint8Array | undefined;
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (given) => {
        expect((await files.write('a.bin', given, last)).ok).toBe(true);
        last = given;
        const read = await files.readBytes('a.bin');
        expect(read.ok && Buffer.compare(read.bytes, given)).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});

describe('listing', () => {
  test('names what stands in a folder, by kind, and what git ignores', async () => {
    const root = folderWith({ '.gitignore': 'out/\n', 'b.ts': '', 'a/x.ts': '', 'out/x.js': '' });
    symlinkSync('b.ts', join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const read = await createDiskFiles({ root }).list('.');
    expect(
      read.ok && read.entries.map(({ name, kind, ignored }) => `${name} ${kind}${ignored ? ' ignored' : ''}`),
    ).toEqual(['.gitignore file', 'a folder', 'b.ts file', 'link link', 'out folder ignored', 'pipe other']);
  });

  test('agrees with reading about what git ignores', async () => {
    const root = folderWith();
    for (const path of ['a.log', 'keep.log', 'sub/a.log', 'sub/keep.log', 'sub/deep/a.txt', 'dist/a.txt'])
      put(root, path, 'x');
    const rule = fc.constantFrom('*.log', '!keep.log', 'dist/', 'sub/*', '**/a.txt', 'deep', '/sub', '!a.log');
    const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(rules, rules, async (upper, lower) => {
        put(root, '.gitignore', upper);
        put(root, 'sub/.gitignore', lower);
        const files = createDiskFiles({ root });
        const visit = async (folder: string): Promise<void> => {
          const list = await files.list(folder);
          for (const { name, kind, ignored } of list.ok ? list.entries : []) {
            const path = `${folder}/${name}`;
            if (kind === 'folder' && !ignored) await visit(path);
            const read = await files.read(path);
            if (kind === 'file')
              expect([path, read.ok ? undefined : read.reason]).toEqual([path, ignored ? 'ignored' : undefined]);
          }
        };
        await visit('.');
      }),
      { numRuns: 60 },
    );
  });
});

describe('a file that somebody named', () => {
  test('is read though git ignores it, unlike by the file source itself', async () => {
    const files = createDiskFiles({ root: folderWith({ '.gitignore': 'x', x: '\uFEFFtext', '.git/HEAD': 'x' }) });
    expect(await files.read('x')).toMatchObject({ ok: false, reason: 'ignored' });
    expect(await readNamedFile(files, 'x')).toMatchObject({ ok: true, text: 'text', bytes: Buffer.from('\uFEFFtext') });
    expect(await readNamedFile(files, '.git/HEAD')).toMatchObject({ ok: false, reason: 'ignored' });
  });

  test('is what the file source shows, where that is no workspace', async () => {
    const files = createSessionFiles([]);
    expect([isWorkspace(files), await readNamedFile(files, 'x')]).toEqual([
      false,
      { ok: false, path: 'x', reason: 'not-found' },
    ]);
  });
});
