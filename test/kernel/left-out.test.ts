import { createToken } from '../../core/kernel/token';
import type { PluginFault } from '../../core/kernel/faults';
import { startKernel } from '../../core/kernel/kernel';
import { listening, plugin, rejection, start } from './kernels';

const T = createToken<string>('test/t');

const UNLOADED: PluginFault = {
  kind: 'unknown-plugin',
  plugin: './broken.cjs',
  message: 'plugin "./broken.cjs" could not be loaded: no luck.',
  hint: 'Correct [plugins] use, or the plugin.',
};

describe('a plugin that could not be loaded', () => {
  it('fails the start together with all other faults', async () => {
    const needy = plugin('needy', undefined, { needs: { t: T } });
    const { options } = listening({ plugins: [needy, plugin('old', undefined, { api: 7 })], faults: [UNLOADED] });
    const error = await rejection(startKernel(options));
    for (const words of ['3 faults', 'no luck', '"test/t"', 'interface 7']) expect(error.message).toContain(words);
  });

  it('is left out under "skip" with those that need what it would have served, and the others run', async () => {
    const needy = plugin('needy', undefined, { needs: { t: T } });
    const { kernel, log } = await start({
      plugins: [needy, plugin('whole')],
      faults: [UNLOADED],
      onError: 'skip',
    });
    const { plugins, leftOut } = kernel.describe();
    expect(plugins.map(({ name }) => name)).toEqual(['whole']);
    expect(leftOut).toEqual([
      { plugin: './broken.cjs', reason: UNLOADED.message },
      { plugin: 'needy', reason: 'it needs "test/t", which nobody serves' },
    ]);
    expect(log.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      `Plugin "./broken.cjs" is left out: ${UNLOADED.message}`,
      'Plugin "needy" is left out: it needs "test/t", which nobody serves.',
    ]);
  });

  it('does not hide what is wrong with the others', async () => {
    const { options } = listening({
      plugins: [plugin('old', undefined, { api: 7 })],
      faults: [UNLOADED],
      onError: 'skip',
    });
    const error = await rejection(startKernel(options));
    expect(error.message).toContain('interface 7');
    expect(error.message).not.toContain('no luck');
  });
});

describe('the graph', () => {
  it('says which plugins start before another, and why', async () => {
    const { kernel } = await start({
      plugins: [
        plugin('late', undefined, { after: ['server', 'absent'] }),
        plugin('user', undefined, { needs: { t: T } }),
        plugin('server', ({ provide }) => provide(T as never, (() => 't') as never), {
          provides: [T],
          before: ['user'],
        }),
      ],
    });
    const after = kernel
      .describe()
      .plugins.map((one) => [one.name, one.after.map(({ plugin: name, why }) => [name, why])]);
    expect(after).toEqual([
      ['server', []],
      ['late', [['server', '"late" asks to be after "server"']]],
      ['user', [['server', '"user" needs "test/t" of "server"']]],
    ]);
  });
});
