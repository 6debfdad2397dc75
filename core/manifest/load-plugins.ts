/** Finds and loads the plugins that `[plugins] use` names (S10). */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../errors';
import { nearest } from '../kernel/nearest';
import type { Plugin } from '../kernel/plugin';

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
  const plugin = pluginOf(module);
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

/** The plugin that a module exports; a default may be wrapped once more where CommonJS was imported from an ES module. */
function pluginOf(module: unknown): Plugin | undefined {
  let candidate = module;
  for (let depth = 0; depth < 3 && typeof candidate === 'object' && candidate !== null; depth++) {
    const { name, setup, default: inner } = candidate as { name?: unknown; setup?: unknown; default?: unknown };
    if (typeof name === 'string' && typeof setup === 'function') return candidate as Plugin;
    candidate = inner;
  }
  return undefined;
}

function isPath(entry: string): boolean {
  return /^\.{1,2}(?:[/\\]|$)/.test(entry) || isAbsolute(entry);
}

/** The file that a package is entered by, or undefined where no such package is installed. */
function packageFile(entry: string, from: string): string | undefined {
  try {
    return createRequire(join(from, 'package.json')).resolve(entry);
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return importedFile(entry, from);
    if ((thrown as { code?: unknown }).code === 'MODULE_NOT_FOUND') return undefined;
    throw thrown;
  }
}

/** The file of a package that only knows `import`. */
function importedFile(entry: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const at = join(folder, 'node_modules', entry);
    if (existsSync(join(at, 'package.json'))) {
      const { exports } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as { readonly exports?: unknown };
      const target = targetOf(exports);
      return target === undefined ? undefined : join(at, target);
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function targetOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const conditions = exports as Readonly<Record<string, unknown>>;
  if ('.' in conditions) return targetOf(conditions['.']);
  for (const condition of ['node', 'import', 'module-sync', 'default']) {
    const target = targetOf(conditions[condition]);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Requires what can be required, so that hooks of loaders such as tsx hold, and imports ES modules. */
async function importFile(file: string): Promise<unknown> {
  const require = createRequire(file);
  try {
    return require(file) as unknown;
  } catch (thrown) {
    if (
      (thrown as { code?: unknown }).code !== 'ERR_REQUIRE_ESM' &&
      (thrown as { code?: unknown }).code !== 'ERR_REQUIRE_ASYNC_MODULE'
    )
      throw thrown;
    return import(pathToFileURL(file).href);
  }
}
