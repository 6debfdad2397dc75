import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { starterManifest } from '../../core/manifest';
import { stockPlugins } from '../../plugins';
import { commandFile, pith, ROOT } from './command';
import { freshFolder } from './sessions';

interface ListedPlugin {
  readonly name: string;
  readonly version: string | null;
  readonly from: string;
  readonly position: number;
  readonly hooks: readonly string[];
  readonly serves: readonly { readonly token: string; readonly servedBy: string }[];
  readonly keys: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly default: unknown;
    readonly from: string;
  }[];
  readonly startMs: number;
}

/** A folder with a manifest and plugins of its own, as CommonJS modules. */
function folderWith(manifest: string, plugins: Readonly<Record<string, string>> = {}): string {
  const folder = freshFolder();
  writeFileSync(join(folder, 'pith.toml'), manifest);
  for (const [name, body] of Object.entries(plugins)) writeFileSync(join(folder, name), `module.exports = ${body};\n`);
  return folder;
}

beforeAll(() => void commandFile(), 120_000);

describe('pith plugins', () => {
  test('shows what runs: order, place, hooks, services, keys and the time it took', async () => {
    const folder = folderWith('[plugins]\nuse = ["tracker", "prune", "./quota.cjs"]\n[prune]\nmin_savings = 1000\n', {
      'quota.cjs': `{ name: 'quota', api: 1, version: '2.1.0', setup({ hooks }) { hooks.on('pre_tool_call', () => undefined, { order: 'first' }); } }`,
    });
    const { code, stdout } = await pith(['plugins', '--json'], { cwd: folder });
    expect(code).toBe(0);
    const { plugins, leftOut } = JSON.parse(stdout) as {
      readonly plugins: readonly ListedPlugin[];
      readonly leftOut: readonly unknown[];
    };
    expect(plugins.map(({ name, position }) => [position, name])).toEqual([
      [1, 'tracker'],
      [2, 'prune'],
      [3, 'quota'],
    ]);
    expect(plugins[2]).toMatchObject({
      version: '2.1.0',
      from: join(folder, 'quota.cjs'),
      hooks: ['pre_tool_call first'],
    });
    expect(plugins[0]).toMatchObject({ from: 'stock', serves: [{ token: 'pith/tracker', servedBy: 'tracker' }] });
    expect(plugins[1]?.keys).toContainEqual({ key: 'min_savings', value: 1000, default: 4096, from: 'pith.toml:4' });
    expect(plugins[1]?.keys).toContainEqual({ key: 'protected_tokens', value: 8000, default: 8000, from: 'default' });
    expect(leftOut).toEqual([]);

    const shown = (await pith(['plugins'], { cwd: folder })).stdout;
    expect(shown).toContain('pith.toml: 3 plugins started');
    expect(shown).toContain('min_savings = 1000 (pith.toml:4; default 4096)');
    expect(shown).toMatch(/^ 3 {2}quota 2\.1\.0 {2}/m);
  });

  test('a plugin that does not start is named with its reason, the others run, and the exit code is 1', async () => {
    const folder = folderWith('[plugins]\nuse = ["tracker", "./broken.cjs"]\n', {
      'broken.cjs': `{ name: 'broken', api: 1, setup() { throw new Error('the moon is missing'); } }`,
    });
    const { code, stdout } = await pith(['plugins', '--json'], { cwd: folder });
    expect(code).toBe(1);
    const { plugins, leftOut } = JSON.parse(stdout) as {
      readonly plugins: readonly ListedPlugin[];
      readonly leftOut: readonly { plugin: string; reason: string }[];
    };
    expect(plugins.map(({ name }) => name)).toEqual(['tracker']);
    expect(leftOut).toEqual([{ plugin: 'broken', reason: expect.stringContaining('the moon is missing') as string }]);
    expect((await pith(['plugins'], { cwd: folder })).stdout).toContain('broken did not start');
  });

  test('plugins that cannot be started together are one report', async () => {
    const needs = `{ name: 'lonely', api: 1, needs: { moon: { name: 'acme/moon', scope: 'kernel' } }, setup() {} }`;
    const folder = folderWith('[plugins]\nuse = ["./lonely.cjs"]\n', { 'lonely.cjs': needs });
    const { code, stdout, stderr } = await pith(['plugins'], { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('acme/moon');
    expect(stderr).toMatch(/^error PITH_PLUGIN_GRAPH: /);
  });

  test('--only and --without choose among them', async () => {
    const only = await pith(['plugins', '--only', 'tracker,guard', '--json'], { cwd: freshFolder() });
    expect((JSON.parse(only.stdout) as { plugins: ListedPlugin[] }).plugins.map(({ name }) => name)).toEqual([
      'tracker',
      'guard',
    ]);
    const without = await pith(['plugins', '--without', 'tracker', '--without', 'guard', '--json'], {
      cwd: freshFolder(),
    });
    const names = (JSON.parse(without.stdout) as { plugins: ListedPlugin[] }).plugins.map(({ name }) => name);
    expect(names.sort()).toEqual(
      Object.keys(stockPlugins)
        .filter((name) => name !== 'tracker' && name !== 'guard')
        .sort(),
    );
    const unknown = await pith(['plugins', '--only', 'trakcer'], { cwd: freshFolder() });
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('did you mean "tracker"');
    const absent = await pith(['plugins', '--without', 'gard'], { cwd: freshFolder() });
    expect(absent).toMatchObject({ code: 2, stdout: '' });
    expect(absent.stderr).toContain('there is no plugin "gard" to leave out; did you mean "guard"?');
  });
});

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
