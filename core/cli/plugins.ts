/** `pith plugins` (S3.4): what really started, in which order, who hears what and who serves what. */
import type { Command } from 'commander';
import { maskSecrets } from '../../plugins/guard/secrets';
import { PithError } from '../errors';
import type { KernelDescription, PluginDescription } from '../kernel/describe';
import type { LoadedManifest } from '../manifest';
import { camelCase, isConfigKeys } from '../kernel/config-keys';
import type { KeyTable } from '../kernel/config-keys';
import { padTo, printableLine } from './display-width';
import { EXIT } from './exit-code';
import { counted, duration, flow } from './layout';
import { jsonOption, pluginOptions } from './options';
import { manifestName, readManifest, startPlugins } from './started-plugins';
import type { PluginOptions } from './started-plugins';
import type { Terminal } from './terminal';

export function define(command: Command, terminal: Terminal): void {
  jsonOption(pluginOptions(command)).action(async (flags: PluginOptions & { readonly json?: true }) => {
    process.exitCode = await plugins(flags, terminal);
  });
}

async function plugins(flags: PluginOptions & { readonly json?: true }, terminal: Terminal): Promise<number> {
  const manifest = await readManifest(flags, {}, terminal);
  const described = await startAndStop(manifest, terminal);
  if (described === undefined) return EXIT.failed;
  const listed = described.plugins.map((plugin) => listedPlugin(plugin, described, manifest));
  if (flags.json)
    terminal.printJson({
      manifest: manifest.path ?? null,
      plugins: listed,
      leftOut: described.leftOut,
      services: described.services,
    });
  else printPlugins(listed, described, manifest, terminal);
  return described.leftOut.length > 0 ? EXIT.failed : EXIT.done;
}

/** Starts all plugins that can be started, and says what became of them; undefined where none could. */
async function startAndStop(manifest: LoadedManifest, terminal: Terminal): Promise<KernelDescription | undefined> {
  try {
    const kernel = await startPlugins({
      ...manifest,
      core: { ...manifest.core, plugins: { ...manifest.core.plugins, onError: 'skip' } },
    });
    const described = kernel.describe();
    await kernel.stop();
    return described;
  } catch (error) {
    if (!PithError.is(error)) throw error;
    terminal.fail(error);
    return undefined;
  }
}

/** One plugin as it runs. */
interface ListedPlugin {
  readonly name: string;
  readonly version: string | null;
  /** `stock`, or the file it was loaded from. */
  readonly from: string;
  /** 1-based place in the start order. */
  readonly position: number;
  readonly section: string;
  readonly hooks: readonly string[];
  readonly needs: readonly { readonly token: string; readonly servedBy: string | null }[];
  readonly serves: readonly { readonly token: string; readonly servedBy: string | null }[];
  readonly contributions: PluginDescription['contributions'];
  readonly keys: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly default: unknown;
    readonly from: string;
  }[];
  readonly startMs: number;
}

function listedPlugin(
  plugin: PluginDescription,
  { services }: KernelDescription,
  manifest: LoadedManifest,
): ListedPlugin {
  const { name, version, position, section, handlers, needs, provides, replaces, contributions, setupMs } = plugin;
  const servedBy = (token: string): string | null =>
    services.find((service) => service.token === token)?.layers.at(-1)?.plugin ?? null;
  return {
    name,
    version: version ?? null,
    from: manifest.loadedFrom.get(name) ?? 'stock',
    position,
    section,
    hooks: handlers.map(({ hook, order, roles }) =>
      [hook, ...(order === undefined ? [] : [order]), ...roles.filter((role) => role !== 'main')].join(' '),
    ),
    needs: needs.map(({ token, servedBy: by }) => ({ token, servedBy: by ?? null })),
    serves: [...provides, ...replaces].map((token) => ({ token, servedBy: servedBy(token) })),
    contributions,
    keys: keysOf(plugin, manifest),
    startMs: Math.round(setupMs * 100) / 100,
  };
}

/** The keys that this plugin owns in its section, with their defaults as far as its schema tells them. */
function keysOf(
  { name, section, config }: PluginDescription,
  { plugins: all, settings }: LoadedManifest,
): ListedPlugin['keys'] {
  const schema = all.find((plugin) => plugin.name === name)?.config;
  const defaults = isConfigKeys(schema) ? defaultsOf(schema.keys) : new Map<string, unknown>();
  const isOwn = (key: string): boolean =>
    defaults.has(key) ||
    (typeof config === 'object' && config !== null && Object.hasOwn(config, camelCase(key.split('.')[0] ?? '')));
  return settings
    .filter((setting) => setting.section === section && isOwn(setting.key))
    .map(({ key, value, origin }) => {
      return { key, value: value ?? null, default: defaults.get(key) ?? null, from: origin.at ?? origin.from };
    });
}

function defaultsOf(keys: KeyTable, parents = ''): Map<string, unknown> {
  return new Map(
    Object.entries(keys).flatMap(([key, spec]): [string, unknown][] =>
      spec.type === 'table' ? [...defaultsOf(spec.keys, `${parents}${key}.`)] : [[`${parents}${key}`, spec.default]],
    ),
  );
}

/** `key = value`; where it is not the default, with the default and where the value comes from. */
function keyText({ key, value, default: usual, from }: ListedPlugin['keys'][number]): string {
  const shown = (said: unknown): string => (said === null ? 'unset' : maskSecrets(JSON.stringify(said)));
  return `${key} = ${shown(value)}${from === 'default' ? '' : ` (${from}; default ${shown(usual)})`}`;
}

function printPlugins(
  listed: readonly ListedPlugin[],
  described: KernelDescription,
  manifest: LoadedManifest,
  terminal: Terminal,
): void {
  const { bold, dim, red } = terminal.colours;
  const took = listed.reduce((sum, { startMs }) => sum + startMs, 0);
  terminal.print(`${manifestName(manifest)}: ${counted(listed.length, 'plugin')} started in ${duration(took)}`);
  const line = (label: string, parts: readonly string[]): void => {
    const words = parts.map((part, at) => printableLine(part) + (at < parts.length - 1 ? ',' : ''));
    for (const [at, text] of flow(words, terminal.columns - 15, ' ').entries()) {
      terminal.print(`    ${dim(padTo(at === 0 ? label : '', 9))}  ${text}`);
    }
  };
  for (const plugin of listed) {
    terminal.print(
      `\n${String(plugin.position).padStart(2)}  ${bold(plugin.name)}${plugin.version === null ? '' : ` ${plugin.version}`}  ${dim(`${plugin.from}, ${plugin.startMs.toFixed(1)} ms`)}`,
    );
    line('hooks', plugin.hooks);
    for (const [kind, names] of Object.entries(plugin.contributions)) line(kind, names);
    line(
      'serves',
      plugin.serves.map(({ token, servedBy }) =>
        servedBy === plugin.name ? token : `${token} (now ${servedBy ?? 'nobody'})`,
      ),
    );
    line(
      'needs',
      plugin.needs.map(({ token, servedBy }) => `${token} (${servedBy ?? 'nobody'})`),
    );
    line('keys', plugin.keys.map(keyText));
  }
  const core = described.services.filter(({ layers }) => layers.at(-1)?.plugin === 'core').map(({ token }) => token);
  terminal.print(`\n    ${bold('core')}`);
  line('serves', core);
  for (const { plugin, reason } of described.leftOut)
    terminal.print(`\n    ${red(`${plugin} did not start`)}: ${printableLine(reason)}`);
}
