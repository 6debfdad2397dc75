// Follows docs/authoring.md as it stands there, in an empty folder, against the packed tarball; and what `pith new-plugin` writes.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { blocksOf, Reader, shell } from './blocks.mjs';

const tarball = process.env.PITH_TARBALL;
const page = join(process.env.PITH_EXAMPLES, '../docs/authoring.md');
const folders = [];

async function emptyFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'pith-authoring-'));
  folders.push(folder);
  return folder;
}

after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

test('docs/authoring.md, followed literally, ends with a tested and composed plugin', async (t) => {
  const blocks = await blocksOf(page);
  const reader = new Reader(await emptyFolder());
  assert.ok(blocks.length > 15);
  let isBroken = false;
  for (const [at, { heading, language, text }] of blocks.entries()) {
    await t.test(`${heading}: block ${at + 1} (${language})`, { skip: isBroken }, async () => {
      isBroken = true;
      await reader.follow({ language, text: text.replaceAll('/path/to/pith.tgz', tarball) });
      isBroken = false;
    });
  }
});

for (const name of ['tool-count', '@acme/tool-count']) {
  test(`pith new-plugin ${name} writes a package that builds and passes its tests and its linter`, async (t) => {
    const folder = await emptyFolder();
    const run = async (command, cwd = join(folder, 'pith-plugin-tool-count')) => {
      const { code, output } = await shell(command, cwd);
      assert.equal(code, 0, `${command}\n${output}`);
      return output;
    };
    await run(`npx --yes --package="${tarball}" pith new-plugin ${name}`, folder);
    for (const command of ['npm install', 'npm test', 'npm run lint', 'npm run build'])
      await t.test(command, () => run(command));
    await t.test('only what is needed would be published', async () => {
      const [{ files }] = JSON.parse(await run('npm pack --dry-run --json --ignore-scripts'));
      const paths = files.map(({ path }) => path).sort();
      assert.deepEqual(paths, ['README.md', 'dist/src/index.d.ts', 'dist/src/index.js', 'package.json']);
      const { keywords } = JSON.parse(await readFile(join(folder, 'pith-plugin-tool-count/package.json'), 'utf8'));
      assert.deepEqual(keywords, ['pith-plugin']);
    });
  });
}
