import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { findManifest, loadManifest, loadPlugins } from '../../core/manifest';
import { PithError } from '../../core/index';
import { commandFile, plainEnvironment, ROOT } from '../cli/command';
import { folderWith, put } from '../files/folder';

const source = (name: string): string => `{ name: ${JSON.stringify(name)}, api: 1, setup() {} }`;
const stock = { tracker: () => Promise.resolve({ default: { name: 'tracker', api: 1, setup: () => undefined } }) };

async function outcomes(use: readonly string[], from: string): Promise<string[]> {
  return (await loadPlugins(use, stock, from)).map((loaded) =>
    'plugin' in loaded ? `${loaded.plugin.name} in [${loaded.plugin.section ?? loaded.plugin.name}]` : loaded.problem,
  );
}

beforeAll(() => void commandFile(), 120_000);

describe('loading plugins', () => {
  test('finds stock plugins, files, folders and packages from the folder of the manifest', async () => {
    const from = folderWith({
      'one.js': `module.exports = ${source('one')};`,
      'two/index.js': `exports.default = ${source('two')};`,
      'three.cjs': `exports.__esModule = true; exports.default = { default: ${source('three')} };`,
      'node_modules/pith-plugin-four/index.js': `exports.default = ${source('pith-plugin-four')};`,
      'node_modules/@team/pith-plugin-five/package.json': '{ "main": "./main.js" }',
      'node_modules/@team/pith-plugin-five/main.js': `exports.default = ${source('@team/pith-plugin-five')};`,
      'sub/.keep': '',
    });
    const use = [
      'tracker',
      './one.js',
      '../two',
      join(from, 'three.cjs'),
      'pith-plugin-four',
      '@team/pith-plugin-five',
    ];
    expect(await outcomes(['tracker', './one.js', './two', ...use.slice(3)], from)).toEqual([
      'tracker in [tracker]',
      'one in [one]',
      'two in [two]',
      'three in [three]',
      'pith-plugin-four in [four]',
      '@team/pith-plugin-five in [five]',
    ]);
    expect(await outcomes(['../one.js'], join(from, 'sub'))).toEqual(['one in [one]']);
  });

  test('says what is wrong with those that it cannot load', async () => {
    const from = folderWith({
      'throws.js': 'throw new Error("no luck\\nat all");',
      'nothing.js': 'exports.name = "x";',
      'syntax.js': 'const = 1;',
    });
    expect(
      await outcomes(
        ['./throws.js', './nothing.js', './syntax.js', './gone.js', 'trackr', '__proto__', 'toString'],
        from,
      ),
    ).toEqual([
      'plugin "./throws.js" could not be loaded: no luck',
      '"./nothing.js" is no plugin; it must export what definePlugin returns as its default',
      expect.stringContaining('plugin "./syntax.js" could not be loaded: '),
      'plugin "./gone.js" was not found; there is no such file',
      'plugin "trackr" was not found; it is no stock plugin (tracker) and no package is installed under that name',
      expect.stringContaining('plugin "__proto__" was not found'),
      expect.stringContaining('plugin "toString" was not found'),
    ]);
    expect((await loadPlugins(['trackr'], stock, from))[0]).toMatchObject({ nearest: 'tracker' });
  });

  test('takes no module of Node for a package, and knows a package by its short name', async () => {
    const from = folderWith({ 'node_modules/pith-plugin-quota/index.js': `module.exports = ${source('quota')};` });
    const [events, quota] = await loadPlugins(['events', 'quota'], stock, from);
    expect(events).toMatchObject({ problem: expect.stringContaining('plugin "events" was not found') as string });
    expect(quota).toMatchObject({ nearest: 'pith-plugin-quota' });
  });

  test('gives a plugin the version of its package, unless it says its own', async () => {
    const from = folderWith({
      'package.json': '{ "version": "9.9.9" }',
      'single.js': `module.exports = ${source('single')};`,
      'whole/package.json': '{ "name": "whole", "version": "1.2.3", "exports": { "default": "./lib/main.js" } }',
      'whole/lib/main.js': `module.exports = ${source('whole')};`,
      'node_modules/@team/pith-plugin-five/package.json':
        '{ "name": "@team/pith-plugin-five", "version": "2.0.0", "main": "lib/main.js" }',
      'node_modules/@team/pith-plugin-five/lib/main.js': `module.exports = ${source('five')};`,
      'own.js': `module.exports = { ...${source('own')}, version: '7.0.0' };`,
    });
    const loaded = await loadPlugins(['./single.js', './whole', '@team/pith-plugin-five', './own.js'], stock, from);
    expect(loaded.map((one) => ('plugin' in one ? [one.plugin.name, one.plugin.version] : one.problem))).toEqual([
      ['single', undefined],
      ['whole', '1.2.3'],
      ['five', '2.0.0'],
      ['own', '7.0.0'],
    ]);
  });

  test('names a module that never comes to an end', async () => {
    const forever = { forever: () => new Promise<never>(() => undefined) };
    expect(await loadPlugins(['forever'], forever, '.', 1)).toEqual([
      { entry: 'forever', problem: 'plugin "forever" could not be loaded: its module did not load within 1 ms' },
    ]);
  });

  test('a module whose exports cannot be read is no reason to throw', async () => {
    const from = folderWith({
      'getter.js': 'Object.defineProperty(exports, "default", { get() { throw new Error("shy"); } });',
    });
    expect(await outcomes(['./getter.js'], from)).toEqual(['plugin "./getter.js" could not be loaded: shy']);
  });

  test('takes ES modules, also of packages that know nothing else', () => {
    const from = folderWith({
      'one.mjs': `export default ${source('one')};`,
      'node_modules/pith-plugin-esm/package.json':
        '{ "type": "module", "exports": { ".": { "import": "./main.js" } } }',
      'node_modules/pith-plugin-esm/main.js': `await 0; export default ${source('esm')};`,
    });
    const script = `
      const { loadPlugins } = require(${JSON.stringify(join(__dirname, '../../core/manifest/load-plugins.ts'))});
      loadPlugins(['./one.mjs', 'pith-plugin-esm'], {}, ${JSON.stringify(from)}).then((loaded) =>
        console.log(JSON.stringify(loaded.map(({ plugin, problem }) => plugin?.name ?? problem))));`;
    const printed = execFileSync(process.execPath, ['-r', 'ts-node/register/transpile-only', '-e', script], {
      cwd: join(__dirname, '../..'),
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toEqual(['one', 'esm']);
  });

  describe('written in TypeScript', () => {
    const typed = `const name: string = 'typed'; export default { name, api: 1, setup(): void {} };`;
    const load = (from: string, ...options: readonly string[]): unknown => {
      const script = `
        const { loadPlugins } = require(${JSON.stringify(join(dirname(commandFile()), '../manifest/load-plugins.js'))});
        loadPlugins(['./typed.ts'], {}, ${JSON.stringify(from)}).then(([{ plugin, problem }]) =>
          console.log(JSON.stringify(plugin?.name ?? problem)));`;
      const args = [...options, '-e', script];
      return JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env: plainEnvironment() }));
    };

    test('are loaded by path where a loader is there', () => {
      expect(load(folderWith({ 'typed.ts': typed }), '-r', 'ts-node/register/transpile-only')).toBe('typed');
    });

    const stripsTypes = typeof (process.features as { readonly typescript?: unknown }).typescript === 'string';
    (stripsTypes ? test.skip : test)('say what is missing where none is', () => {
      expect(load(folderWith({ 'typed.ts': typed }))).toBe(
        'plugin "./typed.ts" could not be loaded: it is TypeScript, and nothing here runs that; use Node 22.18 or newer, ' +
          'load a loader before Pith (NODE_OPTIONS="--import tsx"), or build the plugin and name the JavaScript',
      );
    });

    test('say their own faults where they can be read', () => {
      const from = folderWith({ 'typed.ts': 'throw new Error("my own fault");' });
      expect(load(from)).toBe('plugin "./typed.ts" could not be loaded: my own fault');
    });

    test('are what the test runner makes of them under jest', async () => {
      const from = folderWith({ 'typed.ts': typed.replace('export default', 'module.exports =') });
      expect(await outcomes(['./typed.ts'], from)).toEqual(['typed in [typed]']);
    });
  });
});

describe('finding the manifest', () => {
  const top = (): string =>
    folderWith({ 'pith.toml': '', 'repo/.git/HEAD': '', 'repo/a/b/.keep': '', 'repo/a/c/.keep': '' });

  test('an option goes before the environment, that before a search', () => {
    const cwd = folderWith({ 'pith.toml': '' });
    const env = { PITH_MANIFEST: 'env.toml' };
    expect(findManifest({ path: 'option.toml', cwd, env })).toEqual({
      path: join(cwd, 'option.toml'),
      foundBy: 'option',
    });
    expect(findManifest({ cwd, env })).toEqual({ path: join(cwd, 'env.toml'), foundBy: 'environment' });
    expect(findManifest({ cwd, env: {} })).toEqual({ path: join(cwd, 'pith.toml'), foundBy: 'search' });
  });

  test('the search goes up to the top of the repository and no further', () => {
    const folder = top();
    const cwd = join(folder, 'repo/a/b');
    expect(findManifest({ cwd, env: {} })).toEqual({ path: undefined, foundBy: 'none' });
    put(folder, 'repo/pith.toml', '');
    expect(findManifest({ cwd, env: {} })).toEqual({ path: join(folder, 'repo/pith.toml'), foundBy: 'search' });
    put(folder, 'repo/a/pith.toml', '');
    expect(findManifest({ cwd, env: {} }).path).toBe(join(folder, 'repo/a/pith.toml'));
  });

  test('outside of a repository only the working folder is looked at', () => {
    const folder = folderWith({ 'pith.toml': '', 'a/.keep': '' });
    expect(findManifest({ cwd: join(folder, 'a'), env: {} }).foundBy).toBe('none');
    expect(findManifest({ cwd: folder, env: {} }).foundBy).toBe('search');
  });

  test.each([
    ['gone.toml', 'does not exist; create one by `pith init`'],
    ['folder', 'is not a file'],
    ['latin1.toml', 'is not UTF-8 text'],
    ['huge.toml', 'is larger than 1 MB, which no manifest is'],
  ])('%s is refused by name', async (path, problem) => {
    const cwd = folderWith({
      'folder/.keep': '',
      'latin1.toml': Uint8Array.of(0xe9),
      'huge.toml': '#'.repeat(1024 * 1024 + 1),
    });
    const error: unknown = await loadManifest({ path, cwd, env: {}, stock }).catch((thrown: unknown) => thrown);
    expect(PithError.is(error, 'PITH_MANIFEST_NOT_FOUND')).toBe(true);
    expect(String(error)).toContain(`${join(cwd, path)}, ${problem}`);
  });

  test('a byte-order mark is no fault', async () => {
    const cwd = folderWith({ 'pith.toml': '\uFEFF[log]\nlevel = "info"\n' });
    expect((await loadManifest({ cwd, env: {}, stock })).core.log.level).toBe('info');
  });
});
