/** Finds and loads the plugins that `[plugins] use` names (S10). */
import { isAbsolute, resolve } from 'node:path';
import { messageOf } from '../errors';
import { importFile, packageFile } from '../kernel/installed-packages';
import { nearest } from '../kernel/nearest';
import type { Plugin } from '../kernel/plugin';
import { pluginIn } from '../kernel/plugin-shape';

/** The stock plugins by name, each loaded only when it is asked for. */
export type StockPlugins = Readonly<Record<string, () => Promise<unknown>>>;

/** What came of one entry of `use`; `from` is `stock` or the absolute file that was loaded. */
export type LoadedPlugin =
  | { readonly entry: string; readonly plugin: Plugin; readonly from: 'stock' | (string & {}) }
  | { readonly entry: string; readonly problem: string; readonly nearest?: string };

/**
 * Loads plugins in the order of their names: a stock name, a path (`./…`, `../…`, absolute), or a package. Never throws: what
 * cannot be loaded says why.
 *
 * @param from the folder that paths and packages are looked up from
 */
export function loadPlugins(
  use: readonly string[],
  stock: StockPlugins,
  from: string,
): Promise<readonly LoadedPlugin[]> {
  return Promise.all(use.map((entry) => loadPlugin(entry, stock, from)));
}

/** The name that an entry of `use` has as a section: that of the package without `pith-plugin-` and scope. */
export function nameOfEntry(entry: string): string {
  return entry.replace(/^(?:@[^/]+\/)?pith-plugin-/, '');
}

async function loadPlugin(entry: string, stock: StockPlugins, folder: string): Promise<LoadedPlugin> {
  let module: unknown;
  let from: string = 'stock';
  try {
    const load = Object.hasOwn(stock, entry) ? stock[entry] : undefined;
    if (load !== undefined) module = await load();
    else {
      const file = isPath(entry) ? resolve(folder, entry) : packageFile(entry, folder);
      if (file === undefined) {
        const meant = nearest(entry, Object.keys(stock));
        const known = `it is no stock plugin (${Object.keys(stock).join(', ')}) and no package is installed under that name`;
        return {
          entry,
          problem: `plugin "${entry}" was not found; ${known}`,
          ...(meant !== undefined && { nearest: meant }),
        };
      }
      module = await importFile(file);
      from = file;
    }
  } catch (thrown) {
    return { entry, problem: `plugin "${entry}" could not be loaded: ${messageOf(thrown).split('\n', 1)[0] ?? ''}` };
  }
  const plugin = pluginIn(module);
  if (plugin === undefined) {
    return { entry, problem: `"${entry}" is no plugin; it must export what definePlugin returns as its default` };
  }
  const section = nameOfEntry(plugin.name);
  return {
    entry,
    plugin: plugin.section === undefined && section !== plugin.name ? { ...plugin, section } : plugin,
    from,
  };
}

function isPath(entry: string): boolean {
  return /^\.{1,2}(?:[/\\]|$)/.test(entry) || isAbsolute(entry);
}
