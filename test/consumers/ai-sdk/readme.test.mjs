// The program of the README, run as it stands against the mock model of each major, which writes the summary too.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { MAJORS } from './majors.mjs';

const ROOT = process.env.PITH_EXAMPLES ?? join(import.meta.dirname, '../../../examples');
const readme = await readFile(join(ROOT, '../core/adapters/ai-sdk/README.md'), 'utf8');
const [, program] = /```js\n(.*?)```/s.exec(readme);

/** What the comment of the program says of AI SDK 7. */
const from7 = (text) =>
  text.replace('{ text, response }', '{ text, responseMessages }').replace('response.messages', 'responseMessages');

for (const [index, major] of MAJORS.entries()) {
  test(`the program of the README compacts on ${major.name}`, async () => {
    const folder = await mkdtemp(join(import.meta.dirname, 'readme-'));
    try {
      const text = program.replace(`from 'ai'`, `from 'ai${major.version + 3}'`);
      await writeFile(join(folder, 'program.js'), major.version === 4 ? from7(text) : text);
      await writeFile(
        join(folder, 'agent.js'),
        `import { MAJORS } from '../majors.mjs';
import { fileOf } from '../conversation.mjs';
import { scriptedModel } from '../scripted-model.mjs';

const major = MAJORS[${index}];
const script = { left: 12, perRun: 12, thought: 'It matters how the parts belong together. '.repeat(500) };
export const { model, seen } = scriptedModel(major, script);
export const tools = major.tools(fileOf);
process.on('exit', () => {
  const compacted = seen.filter(({ prompt }) => JSON.stringify(prompt).includes('The parts were read one by one.'));
  console.log(seen.length, 'requests', compacted.length > 0 ? 'compacted' : 'whole');
});
`,
      );
      const argv = [join(folder, 'program.js'), 'Read the parts.', 'And again.', 'Once more.'];
      const { stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
      assert.match(stdout, /^(Run done after call \d+\.\n){3}39 requests compacted\n$/, stderr);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}
