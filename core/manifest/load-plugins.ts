/** Finds and loads the plugins that `[plugins] use` names (S10). */
import { isAbsolute, resolve } from 'node:path';
import { within } from '../bus/watchdog';
import { PithError } from '../errors';
import { importFile, moduleFile, packageFile, packageFolder, versionIn } from '../kernel/installed-packages';
import { nearest } from '../kernel/nearest';
import type { Plugin } from '../kernel/plugin';
import { pluginIn } from '../kernel/plugin-shape';
import { loadFailure } from './load-failure';

/** The stock plugins by name, each loaded only when it is asked for. */
export type StockPlugins = Readonly<Record<string, () => Promise<unknown>>>;

/** What came of one entry of `use`; `from` is `stock` or the absolute file that was loaded. */
export type LoadedPlugin =
  { readonly entry: string; readonly plugin: Plugin; readonly from: 'stock' | (string & {}) } | UnloadedPlugin;

/** An entry of `use` that led to no plugin, and why. */
export interface UnloadedPlugin {
  readonly entry: string;
  readonly problem: string;
  /** What was probably meant. */
  readonly nearest?: string;
}

/**
 * Loads plugins in the order of their names: a stock name, a path (`./…`, `../…`, absolute), or a package. Never throws: what
 * cannot be loaded says why.
 *
 * @param from the folder that paths and packages are looked up from
 * @param deadlineMs milliseconds that a module has, for one that waits at its top level
 */
export function loadPlugins(
  use: readonly string[],
  stock: StockPlugins,
  from: string,
  deadlineMs = 10_000,
): Promise<readonly LoadedPlugin[]> {
  return Promise.all(use.map((entry) => loadPlugin(entry, stock, from, deadlineMs)));
}

/** The name that an entry of `use` has as a section: that of the package without `pith-plugin-` and scope. */
export function nameOfEntry(entry: string): string {
  return entry.replace(/^(?:@[^/]+\/)?pith-plugin-/, '');
}

/** Whether an entry of `use` is a path; what it is called shows only when it is loaded. */
export function isPath(entry: string): boolean {
  return /^\.{1,2}(?:[/\\]|$)/.test(entry) || isAbsolute(entry);
}

async function loadPlugin(
  entry: string,
  stock: StockPlugins,
  folder: string,
  deadlineMs: number,
): Promise<LoadedPlugin> {
  let file: string | undefined;
  try {
    const load = Object.hasOwn(stock, entry) ? stock[entry] : undefined;
    file = load === undefined ? fileOf(entry, folder) : undefined;
    if (load === undefined && file === undefined) return notFound(entry, stock, folder);
    const module = await within(
      deadlineMs,
      () => load?.() ?? importFile(file ?? ''),
      () => tooLate(entry, deadlineMs),
    );
    const plugin = pluginIn(module);
    if (plugin !== undefined && file === undefined) return { entry, plugin, from: 'stock' };
    if (plugin !== undefined && file !== undefined)
      return { entry, plugin: completed(plugin, entry, file, folder), from: file };
  } catch (thrown) {
    return { entry, problem: `plugin "${entry}" could not be loaded: ${loadFailure(file, thrown)}` };
  }
  return { entry, problem: `"${entry}" is no plugin; it must export what definePlugin returns as its default` };
}

function fileOf(entry: string, folder: string): string | undefined {
  return isPath(entry) ? moduleFile(resolve(folder, entry)) : packageFile(entry, folder);
}

/** The plugin with the section and the version of its package, where it does not give its own. */
function completed(plugin: Plugin, entry: string, file: string, folder: string): Plugin {
  const home = isPath(entry) ? resolve(folder, entry) : packageFolder(entry, file);
  return {
    ...plugin,
    section: plugin.section ?? nameOfEntry(plugin.name),
    version: plugin.version ?? (home === undefined ? undefined : versionIn(home)),
  };
}

function notFound(entry: string, stock: StockPlugins, folder: string): UnloadedPlugin {
  if (isPath(entry)) return { entry, problem: `plugin "${entry}" was not found; there is no such file` };
  const names = Object.keys(stock);
  const prefixed = `pith-plugin-${entry}`;
  const meant = packageFile(prefixed, folder) === undefined ? nearest(entry, names) : prefixed;
  return {
    entry,
    problem: `plugin "${entry}" was not found; it is no stock plugin (${names.join(', ')}) and no package is installed under that name`,
    ...(meant !== undefined && { nearest: meant }),
  };
}

function tooLate(plugin: string, deadlineMs: number): PithError {
  const message = `its module did not load within ${String(deadlineMs)} ms`;
  return new PithError('PITH_PLUGIN_SETUP', message, { plugin });
}
