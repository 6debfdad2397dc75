// The program of the adapter's README, word for word, with an endpoint of the test behind pi's own provider.
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { getModel } from '@mariozechner/pi-ai';
import { startStrictProvider } from 'pith/testing';

const README = join(process.env.PITH_EXAMPLES, '../core/adapters/pi/README.md');

test('the program of the README runs as it stands', async (t) => {
  const [, program] = /```js\n([\s\S]*?)```/.exec(await readFile(README, 'utf8'));
  const file = new URL('./readme-program.mjs', import.meta.url);
  await writeFile(file, program);
  t.after(() => rm(file));
  const script = ({ last }) => `About: ${last}`;
  const endpoint = await startStrictProvider({ shape: 'anthropic', window: 200_000, script });
  t.after(() => endpoint.close());
  getModel('anthropic', 'claude-sonnet-4-5').baseUrl = endpoint.url.replace(/\/v1$/, '');
  process.env.ANTHROPIC_API_KEY = 'key';
  const log = t.mock.method(console, 'log', () => undefined);
  await import(file.href);

  const printed = log.mock.calls.map(({ arguments: [[{ text }]] }) => text);
  assert.deepEqual(printed, ['About: What does the parser do?', 'About: And where are its tests?']);
  assert.deepEqual(
    endpoint.requests.map(({ turns }) => turns.length),
    [2, 4],
  );
});
