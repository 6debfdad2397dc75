/** The kit works in any test runner and costs next to nothing to load. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

test('loading it loads no test runner, no schema library, no vocabulary, no transport and no plugin', () => {
  const script = `
    require('ts-node').register({ transpileOnly: true });
    const before = new Set(Object.keys(require.cache));
    require('./core/testing');
    console.log(JSON.stringify(Object.keys(require.cache).filter((path) => !before.has(path))));`;
  const output = execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  const loaded = JSON.parse(output) as readonly string[];
  expect(loaded.some((path) => path.includes('core/testing'))).toBe(true);
  const heavy =
    /node_modules\/(?:@?jest|vitest|mocha|chai|fast-check|zod|tiktoken|nats|ai|@ai-sdk)(?:\/|-)|\/plugins\//;
  expect(loaded.filter((path) => heavy.test(path.slice(ROOT.length)))).toEqual([]);
});

test('none of its sources names a test runner or a global of one', () => {
  const folder = join(ROOT, 'core/testing');
  const sources = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  const runner = /from '(?:@jest|jest|vitest|mocha|node:test)|^\s*(?:expect|describe|test|it)\(/m;
  expect(sources.filter(([, text]) => runner.test(text)).map(([name]) => name)).toEqual([]);
});
