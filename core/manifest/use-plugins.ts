/** Which plugins are in use: those of `[plugins] use`, less or more what `--without` and `--only` say (S10, S12). */
import { nearest } from '../kernel/nearest';
import type { Plugin } from '../kernel/plugin';
import { loadPlugins, nameOfEntry, type StockPlugins } from './load-plugins';
import type { ManifestProblem } from './problem';

/** What a caller leaves out of the plugins, or takes alone. */
export interface Selection {
  /** Only these, whether they are in use or stock plugins. */
  readonly only?: readonly string[] | undefined;
  readonly without?: readonly string[] | undefined;
}

export interface UseInput extends Selection {
  readonly use: readonly string[];
  readonly stock: StockPlugins;
  /** Whether a plugin that cannot be loaded is a fault, or is left out with a warning. */
  readonly onError: 'stop' | 'skip';
  /** The folder that paths and packages are looked up from. */
  readonly folder: string;
  at(path: readonly (string | number)[]): Pick<ManifestProblem, 'source' | 'line' | 'column'>;
}

/** Loads the plugins in use, each once, in order. */
export async function usePlugins(input: UseInput): Promise<{
  readonly plugins: readonly Plugin[];
  readonly loadedFrom: ReadonlyMap<string, string>;
  readonly problems: readonly ManifestProblem[];
}> {
  const { use, only, without = [], stock, folder, onError, at } = input;
  const problems: ManifestProblem[] = [];
  const named = use.map((entry, place) => ({ entry, place }));
  const taken =
    only === undefined
      ? named
      : only.map((name) => named.find(({ entry }) => nameOfEntry(entry) === name) ?? { entry: name, place: -1 });
  const wanted = taken.filter(({ entry }) => !without.includes(entry) && !without.includes(nameOfEntry(entry)));
  const loaded = await loadPlugins(
    wanted.map(({ entry }) => entry),
    stock,
    folder,
  );
  const plugins = new Map<string, Plugin>();
  const loadedFrom = new Map<string, string>();
  for (const [index, result] of loaded.entries()) {
    const place = wanted[index]?.place ?? -1;
    const where = place === -1 ? { source: '--only' } : at(['plugins', 'use', place]);
    if ('problem' in result) {
      const { problem, nearest: meant } = result;
      const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
      const severity = onError === 'skip' && place !== -1 ? 'warning' : 'error';
      problems.push({
        severity,
        ...where,
        key: 'plugins.use',
        message: problem + hint,
        ...(meant !== undefined && { nearest: meant }),
      });
    } else if (plugins.has(result.plugin.name)) {
      problems.push({
        severity: 'error',
        ...where,
        key: 'plugins.use',
        message: `plugin "${result.plugin.name}" is named twice`,
      });
    } else if (!without.includes(result.plugin.name)) {
      plugins.set(result.plugin.name, result.plugin);
      loadedFrom.set(result.plugin.name, result.from);
    }
  }
  const names = [...Object.keys(stock), ...use, ...use.map(nameOfEntry)];
  for (const { plugin } of loaded.filter((result) => 'plugin' in result)) names.push(plugin.name);
  for (const name of without.filter((unknown) => !names.includes(unknown))) {
    const meant = nearest(name, names);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    problems.push({
      severity: 'error',
      source: '--without',
      message: `there is no plugin "${name}" to leave out${hint}`,
      ...(meant !== undefined && { nearest: meant }),
    });
  }
  return { plugins: [...plugins.values()], loadedFrom, problems };
}
