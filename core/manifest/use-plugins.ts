/** Which plugins are in use: those of `[plugins] use`, less or more what `--without` and `--only` say (S10, S12). */
import type { PluginFault } from '../kernel/faults';
import { nearest } from '../kernel/nearest';
import type { Plugin } from '../kernel/plugin';
import {
  isPath,
  loadPlugins,
  nameOfEntry,
  type LoadedPlugin,
  type StockPlugins,
  type UnloadedPlugin,
} from './load-plugins';
import type { ManifestProblem } from './problem';

/** What a caller leaves out of the plugins, or takes alone. Names are those of plugins or entries of `use`. */
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

export interface UsedPlugins {
  readonly plugins: readonly Plugin[];
  /** Where each plugin was loaded from, by its name: `stock`, or the absolute file. */
  readonly loadedFrom: ReadonlyMap<string, string>;
  readonly problems: readonly ManifestProblem[];
  /** One for each plugin that could not be loaded and is left out. */
  readonly faults: readonly PluginFault[];
}

/** An entry of `use` and its place there, -1 for what only `--only` names. */
interface Entry {
  readonly entry: string;
  readonly place: number;
}

/** Loads the plugins in use, each once, in order. */
export async function usePlugins(input: UseInput): Promise<UsedPlugins> {
  const { without = [], stock, folder, onError, at } = input;
  const wanted = (await entriesOf(input)).filter(
    ({ entry }) => !without.includes(entry) && !without.includes(nameOfEntry(entry)),
  );
  const loaded = await loadPlugins(
    wanted.map(({ entry }) => entry),
    stock,
    folder,
  );
  const plugins = new Map<string, Plugin>();
  const loadedFrom = new Map<string, string>();
  const problems: ManifestProblem[] = [];
  const faults: PluginFault[] = [];
  for (const [index, result] of loaded.entries()) {
    const place = wanted[index]?.place ?? -1;
    const where = place === -1 ? { source: '--only' } : at(['plugins', 'use', place]);
    if ('problem' in result) {
      const severity = onError === 'skip' && place !== -1 ? 'warning' : 'error';
      problems.push({ severity, ...where, key: 'plugins.use', ...advised(result.problem, result.nearest) });
      if (severity === 'warning') faults.push(faultOf(result));
    } else if (plugins.has(result.plugin.name)) {
      const message = `plugin "${result.plugin.name}" is named twice`;
      problems.push({ severity: 'error', ...where, key: 'plugins.use', message });
    } else if (!without.includes(result.plugin.name)) {
      plugins.set(result.plugin.name, result.plugin);
      loadedFrom.set(result.plugin.name, result.from);
    }
  }
  problems.push(...unknownExclusions(input, loaded));
  return { plugins: [...plugins.values()], loadedFrom, problems, faults };
}

/** The entries to load. What a path is called shows only when it is loaded, so `only` may have to look into them. */
async function entriesOf({ use, only, stock, folder }: UseInput): Promise<readonly Entry[]> {
  const named = use.map((entry, place): Entry => ({ entry, place }));
  if (only === undefined) return named;
  const found = only.map((name) => named.find(({ entry }) => entry === name || nameOfEntry(entry) === name));
  const paths = found.includes(undefined) ? named.filter(({ entry }) => isPath(entry)) : [];
  const looked = await loadPlugins(
    paths.map(({ entry }) => entry),
    stock,
    folder,
  );
  return only.map((name, at) => {
    const path = looked.findIndex((result) => 'plugin' in result && result.plugin.name === name);
    return found[at] ?? paths[path] ?? { entry: name, place: -1 };
  });
}

function faultOf({ entry, problem, nearest: meant }: UnloadedPlugin): PluginFault {
  return {
    kind: 'unknown-plugin',
    plugin: entry,
    message: `${problem}.`,
    hint: meant === undefined ? 'Correct [plugins] use, or the plugin.' : `Did you mean "${meant}"?`,
  };
}

/** Names in `without` that nothing in use and no stock plugin has. */
function unknownExclusions(
  { use, stock, without = [] }: UseInput,
  loaded: readonly LoadedPlugin[],
): readonly ManifestProblem[] {
  const known = new Set([...Object.keys(stock), ...use, ...use.map(nameOfEntry)]);
  for (const result of loaded) if ('plugin' in result) known.add(result.plugin.name);
  return without
    .filter((name) => !known.has(name))
    .map((name) => ({
      severity: 'error',
      source: '--without',
      ...advised(`there is no plugin "${name}" to leave out`, nearest(name, known)),
    }));
}

function advised(message: string, meant: string | undefined): Pick<ManifestProblem, 'message' | 'nearest'> {
  return meant === undefined ? { message } : { message: `${message}; did you mean "${meant}"?`, nearest: meant };
}
