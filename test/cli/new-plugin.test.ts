import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { TOOLCHAIN } from '../../core/cli/new-plugin-package';
import { ownSource } from '../../core/cli/own-source';
import { pluginNameOf } from '../../core/cli/plugin-name';
import { PithError } from '../../core/index';
import { CORE_SECTIONS } from '../../core/manifest';
import { nameOfEntry } from '../../core/manifest/load-plugins';
import { stockPlugins } from '../../plugins';
import { commandFile, pith, ROOT } from './command';
import { freshFolder } from './sessions';

const read = (file: string): string => readFileSync(file, 'utf8');

beforeAll(() => void commandFile(), 120_000);

describe('the name of a new plugin', () => {
  test.each([
    ['quota', 'pith-plugin-quota', 'quota', 'quota'],
    ['pith-plugin-quota', 'pith-plugin-quota', 'quota', 'quota'],
    ['@acme/tool-count', '@acme/pith-plugin-tool-count', 'tool-count', 'tool_count'],
    ['@acme/pith-plugin-x9', '@acme/pith-plugin-x9', 'x9', 'x9'],
  ])('%s is the package %s with the section %s', (given, packageName, plugin, prefix) => {
    expect(pluginNameOf(given)).toEqual({ packageName, plugin, folder: `pith-plugin-${plugin}`, prefix });
  });

  test.each([
    ['My Quota', 'my-quota would do'],
    ['MyQuota', 'my-quota would do'],
    ['@acme/my.quota', '@acme/my-quota would do'],
    ['quota_', 'quota would do'],
    ['9lives', 'lives would do'],
    ['', 'a letter first'],
    ['__proto__', 'proto would do'],
    ['../quota', 'quota would do'],
    ['a/b', 'a-b would do'],
    ['@acme/a/b', '@acme/a-b would do'],
    ['@/quota', '@ is no scope'],
    ['@Acme/quota', '@Acme is no scope'],
    ['guard', 'is a plugin or a section of Pith itself'],
    ['pith-plugin-compaction', 'is a plugin or a section of Pith itself'],
    ['session', 'is a plugin or a section of Pith itself'],
    [`x${'y'.repeat(214)}`, '214 characters at most'],
  ])('%s is refused, and what would do is said', (given, words) => {
    try {
      pluginNameOf(given);
      throw new Error('it was taken');
    } catch (error) {
      expect(PithError.is(error, 'PITH_USAGE')).toBe(true);
      expect((error as Error).message).toContain(words);
    }
  });

  test('whatever is taken is a name that npm takes, whose section is the plugin and nobody else’s', () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^(@[a-z]{1,5}\/)?(pith-plugin-)?[a-z0-9-]{0,8}$/),
      fc.constantFrom(...Object.keys(stockPlugins), ...Object.keys(CORE_SECTIONS)),
    );
    fc.assert(
      fc.property(text, (given) => {
        let name;
        try {
          name = pluginNameOf(given);
        } catch (error) {
          return PithError.is(error, 'PITH_USAGE');
        }
        const { packageName, plugin, folder } = name;
        expect(packageName).toMatch(/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?pith-plugin-[a-z0-9-]+$/);
        expect(nameOfEntry(packageName)).toBe(plugin);
        expect(Object.keys({ ...stockPlugins, ...CORE_SECTIONS })).not.toContain(plugin);
        expect(packageName.endsWith(folder)).toBe(true);
        expect(pluginNameOf(packageName)).toEqual(name);
        return true;
      }),
      { numRuns: 500 },
    );
  });
});

describe('pith new-plugin', () => {
  test('writes a package that can be published under its name', async () => {
    const cwd = freshFolder();
    const { code, stdout, stderr } = await pith(['new-plugin', '@acme/tool-count'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('cd pith-plugin-tool-count && npm install && npm test');
    const folder = join(cwd, 'pith-plugin-tool-count');
    expect(readdirSync(folder).sort()).toEqual(
      ['.gitignore', 'README.md', 'eslint.config.js', 'package.json', 'src', 'test', 'tsconfig.json'].sort(),
    );
    expect(JSON.parse(read(join(folder, 'package.json')))).toMatchObject({
      name: '@acme/pith-plugin-tool-count',
      keywords: ['pith-plugin'],
      files: ['dist/src'],
      publishConfig: { access: 'public' },
      peerDependencies: { pith: expect.stringMatching(/^\^\d/) as string },
    });
    const code1 = read(join(folder, 'src/index.ts'));
    expect(code1).toContain("name: 'tool-count'");
    expect(code1).toContain("name: 'tool_count_calls'");
  });

  test('writes where --dir says, and tells it as JSON', async () => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, 'empty'));
    const { code, stdout } = await pith(['new-plugin', 'quota', '--dir', 'empty', '--json'], { cwd });
    expect(code).toBe(0);
    const told = JSON.parse(stdout) as { readonly files: readonly string[] };
    expect(told).toMatchObject({ package: 'pith-plugin-quota', plugin: 'quota', folder: join(cwd, 'empty') });
    for (const file of told.files) expect(read(join(cwd, 'empty', file))).not.toBe('');
  });

  test('writes nothing into a folder that is not empty, nor over a file', async () => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, 'pith-plugin-quota'));
    writeFileSync(join(cwd, 'pith-plugin-quota/mine.txt'), 'mine');
    const full = await pith(['new-plugin', 'quota'], { cwd });
    expect(full).toMatchObject({ code: 2, stdout: '' });
    expect(full.stderr).toMatch(/^error PITH_USAGE: the folder pith-plugin-quota is not empty/);
    expect(readdirSync(join(cwd, 'pith-plugin-quota'))).toEqual(['mine.txt']);

    writeFileSync(join(cwd, 'file'), 'mine');
    const file = await pith(['new-plugin', 'quota', '--dir', 'file'], { cwd });
    expect(file.code).toBe(1);
    expect(file.stderr).toMatch(/^error PITH_OUTPUT_UNWRITABLE: /);
    expect(read(join(cwd, 'file'))).toBe('mine');
  });

  test('a name that will not do is a fault of the call, and nothing is written', async () => {
    const cwd = freshFolder();
    const { code, stderr } = await pith(['new-plugin', 'My Quota'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('my-quota would do');
    expect((await pith(['new-plugin'], { cwd })).code).toBe(2);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('uses the tools that Pith itself is built with', () => {
    const { devDependencies } = JSON.parse(read(join(ROOT, 'package.json'))) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    for (const [name, range] of Object.entries(TOOLCHAIN)) {
      const [, major, minor] = /^[\^~](\d+)\.(\d+)/.exec(range) ?? [];
      expect(devDependencies[name]).toMatch(new RegExp(`^${major ?? ''}\\.${minor ?? ''}\\.`));
    }
  });
});

describe('the Pith that a new plugin is developed with', () => {
  /** A project in which npm installed Pith, as its own record says. */
  function installed(resolved: string | undefined): { readonly own: string; readonly project: string } {
    const project = freshFolder();
    const own = join(project, 'node_modules/pith');
    mkdirSync(own, { recursive: true });
    const packages = { 'node_modules/pith': { version: '0.1.0', ...(resolved !== undefined && { resolved }) } };
    writeFileSync(join(project, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
    return { own, project };
  }

  test('is the tarball or the folder that this one came from', () => {
    const { own, project } = installed('file:../packed/pith-0.1.0.tgz');
    expect(ownSource(join(project, 'pith-plugin-x'), '1.2.3', own)).toBe('file:../../packed/pith-0.1.0.tgz');
    expect(ownSource(join(dirname(ROOT), 'pith-plugin-x'), '1.2.3', ROOT)).toBe(
      `file:../${ROOT.split('/').at(-1) ?? ''}`,
    );
  });

  test('is a range of versions where it came from a registry, or nobody knows', () => {
    for (const resolved of ['https://registry.npmjs.org/pith/-/pith-0.1.0.tgz', undefined]) {
      const { own, project } = installed(resolved);
      expect(ownSource(project, '1.2.3', own)).toBe('^1.2.3');
    }
    const { own, project } = installed(undefined);
    writeFileSync(join(project, 'node_modules/.package-lock.json'), 'not JSON');
    expect(ownSource(project, '1.2.3', own)).toBe('^1.2.3');
  });

  test('is what npm itself records when it installs a tarball', () => {
    const project = freshFolder();
    const source = join(project, 'pith');
    mkdirSync(source);
    writeFileSync(join(source, 'package.json'), '{ "name": "pith", "version": "0.1.0" }');
    const npm = (...args: readonly string[]): string => execFileSync('npm', args, { cwd: project, encoding: 'utf8' });
    npm('pack', './pith', '--silent');
    writeFileSync(join(project, 'package.json'), '{ "private": true }');
    npm('install', './pith-0.1.0.tgz', '--offline', '--no-audit', '--no-fund', '--silent');
    expect(ownSource(join(project, 'x'), '1.2.3', join(project, 'node_modules/pith'))).toBe('file:../pith-0.1.0.tgz');
  });
});
