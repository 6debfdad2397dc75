/** The stock plugins by name, each loaded only when it is asked for. */
import type { Plugin } from '../core/index';

/** Loads a stock plugin. */
export type LoadPlugin = () => Promise<Plugin>;

/**
 * Every stock plugin, in the order in which they are used where a manifest names none. Give it to `loadManifest`, or load
 * what an agent needs: `await stockPlugins.compaction()`.
 */
/* eslint-disable @typescript-eslint/no-require-imports -- import() would start the ESM loader for what is CommonJS */
export const stockPlugins = Object.freeze({
  tracker: () => pluginOf(require('./tracker')),
  prune: () => pluginOf(require('./prune')),
  compaction: () => pluginOf(require('./compaction')),
  'auto-read-budget': () => pluginOf(require('./auto-read-budget')),
  guard: () => pluginOf(require('./guard')),
  'file-tools': () => pluginOf(require('./file-tools')),
  instructions: () => pluginOf(require('./instructions')),
  todo: () => pluginOf(require('./todo')),
  permissions: () => pluginOf(require('./permissions')),
  shell: () => pluginOf(require('./shell')),
  recall: () => pluginOf(require('./recall')),
  telemetry: () => pluginOf(require('./telemetry')),
}) satisfies Readonly<Record<string, LoadPlugin>>;
/* eslint-enable @typescript-eslint/no-require-imports */

/** The name of a stock plugin, as `use` of `[plugins]` takes it. */
export type StockPluginName = keyof typeof stockPlugins;

function pluginOf(module: unknown): Promise<Plugin> {
  return Promise.resolve((module as { readonly default: Plugin }).default);
}
