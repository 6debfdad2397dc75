import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { starterManifest } from '../../core/manifest';
import { commandFile, pith, ROOT } from './command';
import { freshFolder } from './sessions';

/** A folder with a manifest and plugins of its own, as CommonJS modules. */
function folderWith(manifest: string, plugins: Readonly<Record<string, string>> = {}): string {
  const folder = freshFolder();
  writeFileSync(join(folder, 'pith.toml'), manifest);
  for (const [name, body] of Object.entries(plugins)) writeFileSync(join(folder, name), `module.exports = ${body};\n`);
  return folder;
}

beforeAll(() => void commandFile(), 120_000);

describe('pith check', () => {
  test('a manifest without faults is said to be so, and --print shows every key with its origin', async () => {
    const folder = folderWith('[compaction]\nretained_tokens = 3000\n');
    expect(await pith(['check'], { cwd: folder })).toEqual({ code: 0, stdout: 'pith.toml: no faults\n', stderr: '' });
    const { stdout } = await pith(['check', '--print'], { cwd: folder, env: { PITH_COMPACTION: 'observe' } });
    expect(stdout).toMatch(/^retained_tokens = 3000 +pith\.toml:2$/m);
    expect(stdout).toMatch(/^mode = "observe" +PITH_COMPACTION$/m);
    expect(stdout).toMatch(/^net_wait_seconds = 20 +default$/m);
  });

  test('a manifest with ten mistakes is one report with all of them, and exit code 2', async () => {
    const folder = folderWith(
      '[plugins]\nuse = ["tracker", "prune", "compaction", "trackr"]\non_error = "explode"\n[compaction]\nretained_token = 1\nauto_read_budget = -1\nmode = "loud"\nworker_timeout_seconds = inf\n' +
        '[prune]\nmin_savings = "many"\nprotected_tools = "Bash"\n[tracker]\ncapacity = 0.5\n[promt]\nx = 1\n',
    );
    const { code, stdout, stderr } = await pith(['check'], { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.match(/^error /gm)).toHaveLength(1);
    expect(stderr).toMatch(/^error PITH_MANIFEST_INVALID: /);
    for (const words of [
      'pith.toml:2',
      'on_error',
      'retained_token',
      'mode',
      'min_savings',
      'protected_tools',
      'promt',
    ])
      expect(stderr).toContain(words);

    const json = await pith(['check', '--json'], { cwd: folder });
    expect(json.code).toBe(2);
    const { valid, problems } = JSON.parse(json.stdout) as {
      readonly valid: boolean;
      readonly problems: readonly { readonly key: string; readonly line: number }[];
    };
    expect(valid).toBe(false);
    expect(problems.length).toBeGreaterThanOrEqual(7);
    expect(problems.every(({ line }) => line > 0)).toBe(true);
  });

  test('plugins that do not go together are found without running any', async () => {
    const folder = folderWith('[plugins]\nuse = ["./lonely.cjs"]\n', {
      'lonely.cjs': `{ name: 'lonely', api: 1, needs: { moon: { name: 'acme/moon', scope: 'kernel' } }, setup() { console.log('ran'); } }`,
    });
    const { code, stdout, stderr } = await pith(['check'], { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('acme/moon');
  });

  test('secrets that found their way into an address are masked', async () => {
    const { stdout } = await pith(['check', '--print'], {
      cwd: freshFolder(),
      env: { NATS_URL: 'nats://ada:hunter2secret@broker:4222' },
    });
    expect(stdout).toContain('NATS_URL');
    expect(stdout).not.toContain('hunter2secret');
  });

  test('a manifest that was named and is not there is a fault of the call', async () => {
    const { code, stderr } = await pith(['check', '--manifest', 'nowhere.toml'], { cwd: freshFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain('nowhere.toml');
    expect(stderr).toMatch(/^error PITH_MANIFEST_NOT_FOUND: /);
  });
});

describe('pith init', () => {
  test('writes a manifest that has no faults', async () => {
    const folder = freshFolder();
    expect(await pith(['init'], { cwd: folder })).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(folder, 'pith.toml'), 'utf8')).toBe(starterManifest());
    expect(await pith(['check'], { cwd: folder })).toMatchObject({ code: 0, stderr: '' });
  });

  test('never replaces a manifest unless told to', async () => {
    const folder = folderWith('# mine\n');
    const { code, stderr } = await pith(['init'], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain('--force replaces it');
    expect(readFileSync(join(folder, 'pith.toml'), 'utf8')).toBe('# mine\n');
    expect(await pith(['init', '--force', '--json'], { cwd: folder })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('pith.toml') as string,
    });
    expect(readFileSync(join(folder, 'pith.toml'), 'utf8')).toBe(starterManifest());
  });

  test('where it cannot write it says so and leaves nothing behind', async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'pith.toml'));
    const { code, stderr } = await pith(['init', '--force'], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error PITH_OUTPUT_UNWRITABLE: /);
    expect(existsSync(join(ROOT, 'pith.toml'))).toBe(false);
  });
});
