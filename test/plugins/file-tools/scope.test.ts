import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createDiskFiles, type Json } from '../../../core';
import fileTools from '../../../plugins/file-tools';
import { folderWith, put } from '../../files/folder';
import { workplace } from './workplace';

const CANARY = 'CANARY-4711';

/** A folder with every kind of way out, and what lies outside. */
function withWaysOut(): { readonly root: string; readonly outside: string } {
  const outside = folderWith({ 'canary.txt': CANARY, 'sub/canary.txt': CANARY });
  const root = folderWith({ 'in.txt': 'inside', 'sub/in.txt': 'inside', '.git/config': CANARY });
  symlinkSync(join(outside, 'canary.txt'), join(root, 'file-link'));
  symlinkSync(outside, join(root, 'folder-link'));
  symlinkSync('../..', join(root, 'sub', 'up'));
  symlinkSync(join(outside, 'nothing.txt'), join(root, 'dangling'));
  symlinkSync('loop', join(root, 'loop'));
  symlinkSync('in.txt', join(root, 'inner-link'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  return { root, outside };
}

const calls = (path: string): readonly (readonly [string, Json])[] => [
  ['read_file', { path }],
  ['write_file', { path, content: 'overwritten' }],
  ['edit_file', { path, old_text: CANARY, new_text: 'overwritten' }],
  ['list_files', { path }],
  ['list_files', { path, glob: '**' }],
  ['search_files', { path, pattern: 'CANARY.\\d+' }],
];

describe('the scope', () => {
  test('is left by no tool, whatever the path', async () => {
    const { root, outside } = withWaysOut();
    const { call } = await workplace({}, { root, plugins: [fileTools] });
    const paths = [
      '..',
      '../canary.txt',
      outside,
      join(outside, 'canary.txt'),
      'file-link',
      'folder-link',
      'folder-link/canary.txt',
      'folder-link/new.txt',
      'folder-link/new/deep.txt',
      'sub/up/x.txt',
      'dangling',
      'dangling/x.txt',
      'loop',
      'loop/x',
      'pipe',
      '/etc/passwd',
      '/dev/null',
      '/proc/self/environ',
      '..\\canary.txt',
      'sub/../../x',
      '.git/config',
      '.git/hooks/pre-commit',
      'sub/.git/hooks/pre-commit',
      '.GIT/config',
    ];
    for (const path of paths) {
      for (const [tool, args] of calls(path)) {
        const answer = await call(tool, args);
        expect([tool, path, answer.text.includes(CANARY)]).toEqual([tool, path, false]);
        if (tool !== 'list_files' && tool !== 'search_files')
          expect([tool, path, answer.isError]).toEqual([tool, path, true]);
      }
    }
    expect(readFileSync(join(outside, 'canary.txt'), 'utf8')).toBe(CANARY);
    expect(readdirSync(outside).sort()).toEqual(['canary.txt', 'sub']);
    expect(readdirSync(join(root, '.git'))).toEqual(['config']);
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(CANARY);
    expect(lstatSync(join(root, 'dangling')).isSymbolicLink()).toBe(true);
  });

  test('inner links are read and written through, and stay links', async () => {
    const { root } = withWaysOut();
    symlinkSync('sub', join(root, 'lib'));
    const { call } = await workplace({}, { root });
    expect((await call('read_file', { path: 'inner-link' })).text).toBe('inside');
    expect((await call('edit_file', { path: 'in.txt', old_text: 'inside', new_text: 'changed' })).isError).toBe(false);
    expect((await call('write_file', { path: 'lib/new.txt', content: 'x' })).summary).toContain('Created sub/new.txt');
    expect(lstatSync(join(root, 'inner-link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(root, 'inner-link'), 'utf8')).toBe('changed');
  });

  test('a root that is itself a link is a root like any other', async () => {
    const real = folderWith({ 'a.txt': 'x' });
    const root = join(folderWith(), 'link');
    symlinkSync(real, root);
    const { call } = await workplace({}, { root });
    expect((await call('read_file', { path: 'a.txt' })).text).toBe('x');
    expect((await call('write_file', { path: join(root, 'b.txt'), content: 'y' })).summary).toContain('Created b.txt');
    expect(readdirSync(real).sort()).toEqual(['a.txt', 'b.txt']);
  });

  test('one file has one reading under all its spellings, where the file system folds case', async () => {
    const root = folderWith({ 'src/App.ts': 'x' });
    const { call } = await workplace({}, { root, files: createDiskFiles({ root, caseInsensitive: true }) });
    await call('read_file', { path: 'SRC\\app.TS' });
    expect((await call('edit_file', { path: 'src/App.ts', old_text: 'x', new_text: 'y' })).isError).toBe(false);
    expect((await call('write_file', { path: 'Src/APP.ts', content: 'z' })).summary).toContain('Overwrote src/App.ts');
    expect(readdirSync(join(root, 'src'))).toEqual(['App.ts']);
  });

  test('a folder that is swapped for a link while tools work lets nothing out and nothing in', async () => {
    const outside = folderWith({ 'x.txt': CANARY, [`${CANARY}.txt`]: '' });
    const root = folderWith({ 'box/x.txt': 'inside' });
    const { call } = await workplace({}, { root, plugins: [fileTools] });
    const box = join(root, 'box');
    const aside = join(root, 'aside');
    /** A tool may make the folder anew while it is away. */
    const inItsPlace = (put: () => void): void => {
      for (let tries = 0; tries < 100; tries++) {
        rmSync(box, { recursive: true, force: true });
        try {
          return put();
        } catch {
          // once more
        }
      }
    };
    let isDone = false;
    const swapping = (async () => {
      while (!isDone) {
        renameSync(box, aside);
        inItsPlace(() => symlinkSync(outside, box));
        await new Promise((resolve) => setImmediate(resolve));
        inItsPlace(() => renameSync(aside, box));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 0; round < 150; round++) {
      const answers = await Promise.all([
        call('read_file', { path: 'box/x.txt' }),
        call('write_file', { path: 'box/x.txt', content: `inside ${String(round)}` }),
        call('edit_file', { path: 'box/x.txt', old_text: 'inside', new_text: 'inside still' }),
        call('write_file', { path: `box/new-${String(round)}.txt`, content: 'new' }),
        call('search_files', { path: 'box', pattern: 'CANARY.47' }),
        call('list_files', { path: 'box' }),
        call('list_files', { glob: '*.txt' }),
        call('write_file', { path: `box/deep-${String(round)}/new.txt`, content: 'new' }),
      ]);
      for (const { text } of answers) expect(text).not.toContain(CANARY);
    }
    isDone = true;
    await swapping;
    expect(readdirSync(outside).sort()).toEqual([`${CANARY}.txt`, 'x.txt']);
    expect(readFileSync(join(outside, 'x.txt'), 'utf8')).toBe(CANARY);
    expect(readdirSync(box).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('no path of any form makes a tool leave the scope or fail otherwise than by an error result', async () => {
    const { root, outside } = withWaysOut();
    const { call } = await workplace({}, { root, plugins: [fileTools] });
    const part = fc.constantFrom(
      ...[
        '..',
        '.',
        '',
        'sub',
        'up',
        'folder-link',
        'file-link',
        'loop',
        'in.txt',
        'canary.txt',
        '.git',
        'config',
        'dangling',
      ],
      ...['~', '\\', 'pipe', outside, root, 'CON', 'a:b', '\u00e9', 'e\u0301', '\ud800'],
    );
    const path = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/') || '/'),
    );
    await fc.assert(
      fc.asyncProperty(path, fc.nat(5), async (given, at) => {
        const [tool, args] = calls(given)[at] ?? ['', null];
        const { text } = await call(tool, args);
        expect(text).not.toContain(CANARY);
      }),
      { numRuns: 600 },
    );
    expect(readdirSync(outside).sort()).toEqual(['canary.txt', 'sub']);
    expect(readFileSync(join(outside, 'canary.txt'), 'utf8')).toBe(CANARY);
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(CANARY);
  });
});

test('a folder in the place of a file that was read is not overwritten', async () => {
  const { root, call } = await workplace({ 'a.ts': 'x' });
  await call('read_file', { path: 'a.ts' });
  rmSync(join(root, 'a.ts'));
  mkdirSync(join(root, 'a.ts'));
  put(root, 'a.ts/inner.ts', 'x');
  expect((await call('write_file', { path: 'a.ts', content: 'y' })).text).toBe('Error: a.ts is not a regular file.');
  expect(readdirSync(join(root, 'a.ts'))).toEqual(['inner.ts']);
});
