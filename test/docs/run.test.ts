/** The examples of the documentation that need no project of the user's are run as they stand there. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadManifest } from '../../core/manifest';
import { startStrictProvider } from '../../core/testing';
import { stockPlugins } from '../../plugins';
import { blocksOf, runBlock } from './blocks';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pith-docs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/getting-started.md', () => {
  const manifests = blocksOf('docs/getting-started.md', 'toml');
  const programs = blocksOf('docs/getting-started.md', 'ts');

  it('has manifests without a fault', async () => {
    expect(manifests.length).toBeGreaterThan(1);
    for (const manifest of manifests) {
      const path = join(folder, 'pith.toml');
      writeFileSync(path, manifest);
      const { warnings } = await loadManifest({ path, stock: stockPlugins, env: {} });
      expect(warnings).toEqual([]);
    }
  });

  it('has agents that answer, by the manifest and in code', async () => {
    writeFileSync(join(folder, 'pith.toml'), manifests[0] ?? '');
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/parse.js'), 'exports.parse = () => 0;\n');
    for (const program of programs) {
      await using provider = await startStrictProvider({
        shape: 'anthropic',
        script: [{ calls: [{ name: 'read_file', arguments: { path: 'src/parse.js' } }] }, 'It parses.'],
      });
      const env = { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'not-a-secret' };
      const { code, stdout, stderr } = await runBlock(program, { cwd: folder, env });
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('It parses.');
      expect(stdout).toContain('finished');
      expect(provider.requests[1]?.last).toContain('exports.parse');
    }
  });
});

describe('docs/agents.md', () => {
  const programs = blocksOf('docs/agents.md', 'ts');

  it('tells the events of a turn in their order', async () => {
    const [turn = ''] = programs;
    const [, told = ''] = /^\/\/ (turn, .*)$/m.exec(turn) ?? [];
    const { code, stdout, stderr } = await runBlock(turn, { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toEqual(told.split(', '));
  });

  it('has a loop of its own that runs', async () => {
    const loop = programs.find((program) => program.includes('drive(')) ?? '';
    const shown = loop.replace('await driver.close', 'console.log([...session.items()].length, session.turnOpen);\n$&');
    const { code, stdout, stderr } = await runBlock(shown, { cwd: folder });
    expect([code, stdout, stderr]).toEqual([0, '2 false\n', '']);
  });
});

describe('docs/compaction.md', () => {
  it('compacts a session of another agent without an agent', async () => {
    const program = blocksOf('docs/compaction.md', 'ts').find((block) => block.includes('readSessions')) ?? '';
    const { code, stdout, stderr } = await runBlock(program);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^done \d+(\.\d+)? \d+(\.\d+)?\n\d+ messages\n$/);
  });
});
