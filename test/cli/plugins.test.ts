import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ListedPlugin } from '../../core/cli/listed-plugins';
import { stockPlugins } from '../../plugins';
import { commandFile, pith, ROOT } from './command';
import { freshFolder } from './sessions';

interface Listed {
  readonly plugins: readonly ListedPlugin[];
  readonly leftOut: readonly { readonly plugin: string; readonly reason: string }[];
}

/** A folder with a manifest and plugins of its own, as CommonJS modules. */
function folderWith(manifest: string, plugins: Readonly<Record<string, string>> = {}): string {
  const folder = freshFolder();
  writeFileSync(join(folder, 'pith.toml'), manifest);
  for (const [name, body] of Object.entries(plugins)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name.endsWith('.json') ? body : `module.exports = ${body};\n`);
  }
  return folder;
}

/** What the command lists in a folder. */
async function listed(cwd: string, ...args: readonly string[]): Promise<Listed & { readonly code: number | null }> {
  const { code, stdout } = await pith(['plugins', '--json', ...args], { cwd });
  return { code, ...(JSON.parse(stdout) as Listed) };
}

beforeAll(() => void commandFile(), 120_000);

describe('pith plugins', () => {
  test('shows what runs: order, place, hooks, services, keys and the time it took', async () => {
    const folder = folderWith('[plugins]\nuse = ["tracker", "prune", "./quota.cjs"]\n[prune]\nmin_savings = 1000\n', {
      'quota.cjs': `{ name: 'quota', api: 1, version: '2.1.0', setup({ hooks }) { hooks.on('pre_tool_call', () => undefined, { order: 'first' }); } }`,
    });
    const { code, plugins, leftOut } = await listed(folder);
    expect(code).toBe(0);
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

  test('stock plugins have the version of Pith, packages that of their package', async () => {
    const folder = folderWith('[plugins]\nuse = ["tracker", "pith-plugin-quota"]\n', {
      'node_modules/pith-plugin-quota/package.json': '{ "name": "pith-plugin-quota", "version": "0.3.0" }',
      'node_modules/pith-plugin-quota/index.js': `{ name: 'quota', api: 1, setup() {} }`,
    });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    expect((await listed(folder)).plugins.map((plugin) => [plugin.name, plugin.version])).toEqual([
      ['tracker', version],
      ['quota', '0.3.0'],
    ]);
  });

  test('shows the graph: who starts before whom, and why', async () => {
    const folder = folderWith('[plugins]\nuse = ["./late.cjs", "./user.cjs", "./server.cjs"]\n', {
      'server.cjs': `{ name: 'server', api: 1, provides: [{ name: 'acme/moon', scope: 'kernel' }], setup({ provide }) { provide({ name: 'acme/moon', scope: 'kernel' }, () => 'moon'); } }`,
      'user.cjs': `{ name: 'user', api: 1, needs: { moon: { name: 'acme/moon', scope: 'kernel' } }, setup() {} }`,
      'late.cjs': `{ name: 'late', api: 1, after: ['user'], setup() {} }`,
    });
    const { plugins } = await listed(folder);
    expect(plugins.map(({ name, after }) => [name, after])).toEqual([
      ['server', []],
      ['user', [{ plugin: 'server', why: '"user" needs "acme/moon" of "server"' }]],
      ['late', [{ plugin: 'user', why: '"late" asks to be after "user"' }]],
    ]);
    const { stdout } = await pith(['plugins'], { cwd: folder });
    expect(stdout).toMatch(/^ {4}after {6}server$/m);
    expect(stdout).toContain('user ("late" asks to be after "user")');
    expect(stdout).toMatch(/^ {4}needs {6}acme\/moon \(server\)$/m);
  });

  test('shows the keys of a plugin with a schema of another library, with its defaults', async () => {
    const folder = folderWith('[plugins]\nuse = ["./quota.cjs"]\n[quota]\nmost_calls = 7\n', {
      'quota.cjs': `{ name: 'quota', api: 1, setup() {}, config: require(${JSON.stringify(require.resolve('zod'))}).object({
        mostCalls: require(${JSON.stringify(require.resolve('zod'))}).number().default(100),
        loud: require(${JSON.stringify(require.resolve('zod'))}).boolean().default(false),
      }) }`,
    });
    const { plugins } = await listed(folder);
    expect(plugins[0]?.keys).toEqual([
      { key: 'most_calls', value: 7, default: 100, from: 'pith.toml:4' },
      { key: 'loud', value: false, default: false, from: 'default' },
    ]);
  });

  test.each([
    [
      'throws in its setup',
      `{ name: 'broken', api: 1, setup() { throw new Error('the moon is missing'); } }`,
      'broken',
    ],
    ['cannot be imported', `(() => { throw new Error('the moon is missing'); })()`, './broken.cjs'],
  ])('a plugin that %s is named with its reason, the others run, and the exit code is 1', async (_, body, name) => {
    const folder = folderWith('[plugins]\nuse = ["tracker", "./broken.cjs"]\n[broken]\nkey = 1\n', {
      'broken.cjs': body,
    });
    if (name === 'broken') writeFileSync(join(folder, 'pith.toml'), '[plugins]\nuse = ["tracker", "./broken.cjs"]\n');
    const { code, plugins, leftOut } = await listed(folder);
    expect(code).toBe(1);
    expect(plugins.map((plugin) => plugin.name)).toEqual(['tracker']);
    expect(leftOut).toEqual([{ plugin: name, reason: expect.stringContaining('the moon is missing') as string }]);
    const shown = await pith(['plugins'], { cwd: folder });
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain(`${name} did not start`);
  });

  test('a plugin that needs what one that cannot be imported would serve is left out with it', async () => {
    const folder = folderWith('[plugins]\nuse = ["tracker", "./server.cjs", "./user.cjs"]\n', {
      'server.cjs': `(() => { throw new Error('no luck'); })()`,
      'user.cjs': `{ name: 'user', api: 1, needs: { moon: { name: 'acme/moon', scope: 'kernel' } }, setup() {} }`,
    });
    const { code, plugins, leftOut } = await listed(folder);
    expect(code).toBe(1);
    expect(plugins.map(({ name }) => name)).toEqual(['tracker']);
    expect(leftOut.map(({ plugin }) => plugin)).toEqual(['./server.cjs', 'user']);
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
    const names = async (cwd: string, ...args: readonly string[]): Promise<readonly string[]> =>
      (await listed(cwd, ...args)).plugins.map(({ name }) => name);
    expect(await names(freshFolder(), '--only', 'tracker,guard')).toEqual(['tracker', 'guard']);
    const rest = Object.keys(stockPlugins).filter((name) => name !== 'tracker' && name !== 'guard');
    expect([...(await names(freshFolder(), '--without', 'tracker', '--without', 'guard'))].sort()).toEqual(rest.sort());

    const folder = folderWith('[plugins]\nuse = ["tracker", "./quota.cjs", "./gone.cjs", "pith-plugin-x"]\n', {
      'quota.cjs': `{ name: 'acme', api: 1, setup() {} }`,
      'node_modules/pith-plugin-x/index.js': `{ name: 'pith-plugin-x', api: 1, setup() {} }`,
    });
    for (const name of ['acme', './quota.cjs']) expect(await names(folder, '--only', name)).toEqual(['acme']);
    for (const name of ['x', 'pith-plugin-x']) expect(await names(folder, '--only', name)).toEqual(['pith-plugin-x']);
    expect(await names(folder, '--without', 'acme,./gone.cjs,x')).toEqual(['tracker']);

    const unknown = await pith(['plugins', '--only', 'trakcer'], { cwd: freshFolder() });
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('did you mean "tracker"');
    const absent = await pith(['plugins', '--without', 'gard'], { cwd: freshFolder() });
    expect(absent).toMatchObject({ code: 2, stdout: '' });
    expect(absent.stderr).toContain('there is no plugin "gard" to leave out; did you mean "guard"?');
  });
});
