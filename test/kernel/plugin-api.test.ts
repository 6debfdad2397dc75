import { planStart } from '../../core/kernel/graph';
import { startKernel } from '../../core/kernel/kernel';
import { SERVED_APIS } from '../../core/kernel/plugin-api';
import type { Plugin } from '../../core/kernel/plugin';
import { listening, plugin, rejection } from './kernels';

const written = (name: string, api: number): Plugin => plugin(name, undefined, { api });

describe('the interface of a plugin', () => {
  it('is served as the present one, and as the one before it for a time', () => {
    const served = { newest: 3, oldest: 2 };
    const faultsOf = (api: number): readonly string[] =>
      planStart([written('p', api)], [], served).faults.map(({ message }) => message);
    expect([3, 2].flatMap(faultsOf)).toEqual([]);
    for (const api of [1, 4, 2.5, NaN])
      expect(faultsOf(api)).toEqual([
        `Plugin "p" was written for plugin interface ${String(api)}; this kernel serves 2 and 3.`,
      ]);
  });

  it('says which side is to be renewed', () => {
    const hintOf = (api: number): string | undefined =>
      planStart([written('p', api)], [], { newest: 3, oldest: 2 }).faults[0]?.hint;
    expect(hintOf(4)).toBe('Install a newer Pith, or an older version of the plugin.');
    expect(hintOf(1)).toBe('Install a newer version of the plugin, or an older Pith.');
  });

  it('that is served for the last time is warned of by name, and the plugin runs', async () => {
    const { options, log } = listening({ plugins: [written('new', 2), written('old', 1)] });
    await using kernel = await startKernel(options, { newest: 2, oldest: 1 });
    expect(kernel.describe().plugins.map(({ name }) => name)).toEqual(['new', 'old']);
    expect(log.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'Plugin "old" was written for plugin interface 1; the next minor version of Pith serves 2 alone. Install a newer version of the plugin.',
    ]);
  });

  it('is 1 today, without a warning and without another beside it', async () => {
    expect(SERVED_APIS).toEqual({ newest: 1, oldest: 1 });
    const { options, log } = listening({ plugins: [written('p', 1)] });
    await using kernel = await startKernel(options);
    expect(kernel.describe().plugins).toMatchObject([{ name: 'p', api: 1 }]);
    expect(log).toEqual([]);
    const error = await rejection(startKernel(listening({ plugins: [written('p', 0)] }).options));
    expect(error.message).toContain('this kernel serves 1.');
  });
});
