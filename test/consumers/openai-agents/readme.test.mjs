// The program of the adapter's README, word for word, with a model of the test behind the host's own interface.
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setDefaultModelProvider } from '@openai/agents';
import { createStrictModel } from './strict-model.mjs';

const README = join(process.env.PITH_EXAMPLES, '../core/adapters/openai-agents/README.md');

test('the program of the README runs as it stands', async (t) => {
  const [, program] = /```js\n([\s\S]*?)```/.exec(await readFile(README, 'utf8'));
  const file = new URL('./readme-program.mjs', import.meta.url);
  await writeFile(file, program);
  t.after(() => rm(file));
  const model = createStrictModel({
    prompt: 'You answer questions about this repository.',
    script: (prompt) => ({ text: `About: ${prompt}` }),
  });
  setDefaultModelProvider({ getModel: () => model });
  const log = t.mock.method(console, 'log', () => undefined);
  await import(file.href);

  const printed = log.mock.calls.map(({ arguments: [line] }) => line);
  assert.deepEqual(printed, ['About: What does the parser do?', 'About: And where are its tests?']);
  assert.deepEqual(model.violations, []);
  assert.equal(model.requests[1].input.at(-1).content, 'And where are its tests?');
});
