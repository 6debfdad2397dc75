// The program of the adapter's README, word for word, with a model of the test in the place of the host's.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const README = join(process.env.PITH_EXAMPLES, '../core/adapters/langchain/README.md');

test('the program of the README runs as it stands', async (t) => {
  const [, program] = /```js\n([\s\S]*?)```/.exec(await readFile(README, 'utf8'));
  const folder = await mkdtemp(join(import.meta.dirname, 'readme-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'program.js'), program);
  await writeFile(
    join(folder, 'agent.js'),
    `import { StrictModel } from '../strict-model.mjs';
export const model = new StrictModel({ model: 'gpt-5', script: (prompt) => ({ text: 'About: ' + prompt }) });
export const tools = [];
`,
  );
  const log = t.mock.method(console, 'log', () => undefined);
  await import(pathToFileURL(join(folder, 'program.js')));
  const { model } = await import(pathToFileURL(join(folder, 'agent.js')));

  const printed = log.mock.calls.map(({ arguments: [line] }) => line);
  assert.deepEqual(printed, ['About: What does the parser do?', 'About: And where are its tests?']);
  assert.deepEqual(model.seen.violations, []);
  assert.equal(model.seen.requests[1].messages.length, 3);
});
