/** Every example of docs/testing.md is a test that passes as it stands there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as kit from '../../core/testing';
import { ROOT } from '../cli/command';
import { blocksOf, runBlock } from './blocks';

const blocks = blocksOf('docs/testing.md', 'ts');

test.each(blocks.map((block, at) => [at + 1, block] as const))('example %d passes', async (_, block) => {
  const { code, stdout, stderr } = await runBlock(block);
  expect([code, stderr, code === 0 ? '' : stdout]).toEqual([0, '', '']);
  expect(stdout).toMatch(/^# pass [1-9]\d*$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});

test('the page names every contract of the kit', () => {
  const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
  for (const name of Object.keys(kit).filter((one) => one.endsWith('Contract'))) expect(page).toContain(`\`${name}\``);
});
