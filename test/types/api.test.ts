/** The public surface is what `docs/api` says; a change of it is made on purpose, with `npm run api`. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cli/command';

test('the public surface is as docs/api has it', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['.config/api-report.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr + stdout).toBe('');
}, 120_000);

test('every entry of the package has its report', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  for (const [entry, target] of Object.entries(exports)) {
    if (typeof target === 'string' || entry.includes('*')) continue;
    const file = `pith${entry.slice(1).replaceAll('/', '.')}.txt`;
    expect(readFileSync(join(ROOT, 'docs/api', file), 'utf8')).toMatch(/^\w+\n/);
  }
});
