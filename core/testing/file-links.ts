/** The checks of the contract of file sources about links (S7.1, S9.7). */
import assert from 'node:assert/strict';
import { readOf, textOf } from './file-reads';
import type { FileSourceCheck, FileSourceUnderTest } from './file-source-contract';

type Linking = Required<Pick<FileSourceUnderTest, 'link'>> & FileSourceUnderTest;

export const linkChecks: readonly FileSourceCheck<Linking>[] = [
  {
    name: 'a file and the links to it have one spelling, and are one file',
    async check({ create, link }) {
      const source = await create({ 'src/app.ts': 'one' });
      await link(source, 'same.ts', 'src/app.ts');
      await link(source, 'lib', 'src');
      for (const path of ['same.ts', 'lib/app.ts']) {
        assert.equal(source.canonical(path), source.canonical('src/app.ts'), path);
        assert.equal(await textOf(source, path), 'one', path);
      }
    },
  },
  {
    name: 'a link out of the scope is not followed, to a file or through a folder',
    async check({ create, link }, { folder, file }) {
      const source = await create({ 'src/app.ts': 'one' });
      await link(source, 'src/leak.txt', file);
      await link(source, 'out', folder);
      await link(source, 'twice', 'out');
      for (const path of ['src/leak.txt', 'out/canary.txt', 'twice/canary.txt', 'src/../out/canary.txt'])
        assert.equal((await readOf(source, path)).ok, false, `${path} was followed`);
      assert.equal(await textOf(source, 'src/app.ts'), 'one');
    },
  },
  {
    name: 'links that lead in a circle end',
    async check({ create, link }) {
      const source = await create({ 'src/app.ts': 'one' });
      await link(source, 'loop', 'loop');
      await link(source, 'ping', 'pong');
      await link(source, 'pong', 'ping');
      for (const path of ['loop', 'loop/x', 'ping', 'pong/deep/x'])
        assert.equal((await readOf(source, path)).ok, false, path);
    },
  },
];
