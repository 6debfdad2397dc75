// The program of the README runs as it stands, and another process goes on with its session.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startStrictProvider } from 'pith/testing';

const README = join(process.env.PITH_EXAMPLES, '../core/adapters/messages/README.md');

test('the program of the README runs as it stands', async (t) => {
  const [, program] = /```js\n([\s\S]*?)```/.exec(await readFile(README, 'utf8'));
  const folder = await mkdtemp(join(import.meta.dirname, 'program-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'program.mjs'), program);
  await writeFile(join(folder, 'index.js'), 'export const answer = 42;\n');
  const provider = await startStrictProvider({
    shape: 'openai-chat',
    script: [{ calls: [{ name: 'read_file', arguments: { path: 'index.js' } }] }, 'It exports answer.'],
  });
  t.after(() => provider.close());
  const env = { ...process.env, OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: provider.url };
  const child = spawn(process.execPath, ['program.mjs'], { cwd: folder, env });
  const [out, err] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  assert.equal(Buffer.concat(err).toString(), '');
  assert.equal(Buffer.concat(out).toString(), 'It exports answer.\n');
  assert.deepEqual(
    provider.requests.flatMap(({ violations }) => violations),
    [],
  );
  assert.match(provider.requests[1].last, /answer = 42/);
  assert.deepEqual(
    (await readdir(join(folder, '.pith/sessions'))).filter((name) => name.endsWith('.jsonl')),
    ['conversation-1.jsonl'],
  );
});
