import { agentFromManifest, createAgent, PithError } from '../../core/index';
import type { LogEntry } from '../../core/index';
import { loadManifest } from '../../core/manifest';
import type { LoadedManifest } from '../../core/manifest';
import { folderWith } from '../files/folder';

const FILES = {
  'whole.cjs': `module.exports = { name: 'whole', api: 1, setup() {} };`,
  'broken.cjs': `throw new Error('no luck');`,
  'needy.cjs': `module.exports = { name: 'needy', api: 1, needs: { moon: { name: 'acme/moon', scope: 'kernel' } }, setup() {} };`,
};

function load(onError: string, use: readonly string[], rest = ''): Promise<LoadedManifest> {
  const manifest = `[plugins]\nuse = ${JSON.stringify(use)}\non_error = "${onError}"\n[session]\nstore = "memory"\n${rest}`;
  const cwd = folderWith({ ...FILES, 'pith.toml': manifest });
  return loadManifest({ cwd, env: {}, stock: {} });
}

/** Starts the agent of a manifest and tells what runs, and what was logged. */
async function started(manifest: LoadedManifest): Promise<{
  readonly plugins: readonly string[];
  readonly leftOut: readonly string[];
  readonly warned: readonly string[];
}> {
  const entries: LogEntry[] = [];
  const options = await agentFromManifest(manifest);
  await using agent = await createAgent({ ...options, log: { level: 'warn', write: (entry) => entries.push(entry) } });
  const { plugins, leftOut } = agent.kernel.describe();
  return {
    plugins: plugins.map(({ name }) => name),
    leftOut: leftOut.map(({ plugin }) => plugin),
    warned: entries.map(({ message }) => message),
  };
}

describe('a plugin whose import throws', () => {
  test('stops the start under "stop", with its name, its place and its reason', async () => {
    const error: unknown = await load('stop', ['./whole.cjs', './broken.cjs', './gone.cjs']).catch(
      (thrown: unknown) => thrown,
    );
    expect(PithError.is(error, 'PITH_MANIFEST_INVALID')).toBe(true);
    const { message } = error as PithError;
    expect(message).toContain('2 faults');
    expect(message).toContain('pith.toml:2:22 plugins.use: plugin "./broken.cjs" could not be loaded: no luck');
    expect(message).toContain('plugin "./gone.cjs" was not found; there is no such file');
  });

  test('is left out under "skip", told as a warning, and the agent starts without it', async () => {
    const manifest = await load('skip', ['./broken.cjs', './whole.cjs']);
    expect(manifest.warnings).toMatchObject([{ severity: 'warning', line: 2, key: 'plugins.use' }]);
    expect(manifest.faults).toMatchObject([{ kind: 'unknown-plugin', plugin: './broken.cjs' }]);
    expect(await started(manifest)).toEqual({
      plugins: ['whole'],
      leftOut: ['./broken.cjs'],
      warned: ['Plugin "./broken.cjs" is left out: plugin "./broken.cjs" could not be loaded: no luck.'],
    });
  });

  test('takes those along that need what it would have served', async () => {
    const { plugins, leftOut } = await started(await load('skip', ['./broken.cjs', './needy.cjs', './whole.cjs']));
    expect({ plugins, leftOut }).toEqual({ plugins: ['whole'], leftOut: ['./broken.cjs', 'needy'] });
  });

  test('leaves its section behind, which is no fault then', async () => {
    const manifest = await load('skip', ['./broken.cjs'], '[moon]\nphase = 3\n');
    expect(manifest.warnings.map(({ severity, key }) => [severity, key])).toEqual([
      ['warning', 'plugins.use'],
      ['warning', 'moon'],
    ]);
    await expect(load('skip', ['./whole.cjs'], '[moon]\nphase = 3\n')).rejects.toMatchObject({
      code: 'PITH_MANIFEST_INVALID',
    });
  });

  test('does not excuse a need that nobody serves where all could be loaded', async () => {
    const manifest = await load('skip', ['./needy.cjs', './whole.cjs']);
    await expect(started(manifest)).rejects.toMatchObject({ code: 'PITH_PLUGIN_GRAPH' });
  });
});
