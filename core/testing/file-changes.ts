/** The checks of the contract of file sources about files that come, change and go (S9.9). */
import assert from 'node:assert/strict';
import { textOf } from './file-reads';
import type { FileSourceCheck, FileSourceUnderTest } from './file-source-contract';

type Changing = Required<Pick<FileSourceUnderTest, 'put'>> & FileSourceUnderTest;

export const changeChecks: readonly FileSourceCheck<Changing>[] = [
  {
    name: 'a read gives what the file holds now, not what it held before',
    async check({ create, put }) {
      const source = await create({ 'src/app.ts': 'one' });
      assert.equal(await textOf(source, 'src/app.ts'), 'one');
      await put(source, 'src/app.ts', 'two');
      assert.equal(await textOf(source, 'src/app.ts'), 'two');
      await put(source, 'src/new.ts', 'new');
      assert.equal(await textOf(source, 'src/new.ts'), 'new');
    },
  },
  {
    name: 'a file that vanished is not found, and keeps its one spelling',
    async check({ create, put }) {
      const source = await create({ 'src/app.ts': 'one', 'in.txt': 'inside' });
      const [name, shown] = [source.canonical('src/app.ts'), source.display('src/app.ts')];
      assert.equal(await textOf(source, 'src/app.ts'), 'one');
      await put(source, 'src/app.ts', undefined);
      assert.equal(await textOf(source, 'src/app.ts'), '<not-found>');
      assert.deepEqual([source.canonical('src/app.ts'), source.display('src/app.ts')], [name, shown]);
      assert.equal(await textOf(source, 'in.txt'), 'inside');
    },
  },
];
