/** The checks of the contract of file sources about paths and scope (S7.1, S9.7). */
import assert from 'node:assert/strict';
import { textOf } from './file-reads';
import type { FileSourceCheck, Outside } from './file-source-contract';

const FILES = { 'src/app.ts': 'inside', 'in.txt': 'inside', 'src/deep/in.txt': 'inside' };

/** Parts of paths that lead astray. */
const PARTS = ['..', '.', '', '~', 'src', 'deep', 'in.txt', 'app.ts', '\\', 'canary.txt'];

/** Paths of all kinds: tidy, untidy, broken, and made to leave the scope. */
function* oddPaths({ folder, file }: Outside): Iterable<string> {
  yield* [
    '',
    '.',
    '..',
    '/',
    '//',
    '\0',
    'nul\0byte',
    'a\nb',
    '\ud800',
    'CON',
    ' ',
    '-',
    '~',
    '~/x',
    'x'.repeat(10_000),
  ];
  yield* [file, `file://${file}`, `.${file}`, `/.${file}`, encodeURIComponent(file), file.replaceAll('/', '\\')];
  for (let up = 1; up <= 12; up++) yield `${'../'.repeat(up)}${file.slice(1)}`;
  yield* [`src/../../${file}`, `${folder}/./canary.txt`, `${folder}/../${folder.split('/').at(-1) ?? ''}/canary.txt`];
  for (const first of PARTS)
    for (const second of PARTS) for (const third of PARTS) yield [first, second, third].join('/');
}

/** Whether a text may be shown: the text of a file inside, or the reason why there is none. */
const ALLOWED = /^(?:inside|<[a-z0-9-]+>)$/;

export const pathChecks: readonly FileSourceCheck[] = [
  {
    name: 'an untidy path means the same file as the tidy one, and has the same one spelling',
    async check(under) {
      const source = await under.create(FILES);
      const name = source.canonical('src/app.ts');
      for (const path of ['./src/app.ts', 'src//app.ts', 'src/./app.ts', 'src/deep/../app.ts', name]) {
        assert.equal(source.canonical(path), name, path);
        assert.equal(await textOf(source, path), 'inside', path);
      }
      assert.notEqual(source.canonical('in.txt'), source.canonical('src/deep/in.txt'));
    },
  },
  {
    name: 'a path inside is shown from the root on',
    async check(under) {
      const source = await under.create(FILES);
      for (const path of Object.keys(FILES)) {
        assert.equal(source.display(path), path);
        assert.equal(source.display(source.canonical(path)), path);
      }
      assert.equal(source.display('./src/deep/../app.ts'), 'src/app.ts');
    },
  },
  {
    name: 'a spelling is its own spelling, and what is shown leads back to it, whatever the path',
    async check(under, outside) {
      const source = await under.create(FILES);
      for (const path of oddPaths(outside)) {
        const name = source.canonical(path);
        assert.equal(source.canonical(name), name, JSON.stringify(path));
        assert.equal(source.canonical(source.display(name)), name, JSON.stringify(path));
      }
    },
  },
  {
    name: 'no path throws, and none leads out of the scope',
    async check(under, outside) {
      const source = await under.create(FILES);
      for (const path of oddPaths(outside)) assert.match(await textOf(source, path), ALLOWED, JSON.stringify(path));
    },
  },
];
