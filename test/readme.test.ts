import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStrictProvider } from '../core/testing';
import { stockPlugins } from '../plugins';
import { ROOT } from './cli/command';
import { blocksOf, runBlock } from './docs/blocks';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

describe('the README', () => {
  test('has a library example of about twenty lines that is an agent', async () => {
    const [example = ''] = blocksOf('README.md', 'ts');
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(22);
    const cwd = mkdtempSync(join(tmpdir(), 'pith-readme-'));
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src/parse.js'), 'exports.parse = (text) => text.split(",");\n');
    await using provider = await startStrictProvider({
      shape: 'anthropic',
      script: [{ calls: [{ name: 'read_file', arguments: { path: 'src/parse.js' } }] }, 'It is ported.'],
    });
    try {
      const env = { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'not-a-secret' };
      const { code, stdout, stderr } = await runBlock(example, { cwd, env });
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toBe('It is ported.finished\n');
      expect(provider.requests[1]?.last).toContain('exports.parse');
      expect(readdirSync(join(cwd, '.pith/sessions'))).toContain('port-the-parser.jsonl');
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });

  test('names the two commands as they are run', () => {
    expect(readme).toContain('npm ci && npx pith compact examples/sessions/csv-import.jsonl');
    expect(readme).toContain('npm ci && npm test');
  });

  test('has a line for every stock plugin', () => {
    const named = [...readme.matchAll(/^\| \[`([\w-]+)`\]\(plugins\/\1\/README\.md\)/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(Object.keys(stockPlugins).sort());
  });
});
