/** `pith plugins` (S3.4): what really started, in which order and why, who hears what and who serves what. */
import type { Command } from 'commander';
import { maskSecrets } from '../../plugins/guard/secrets';
import { PithError } from '../errors';
import type { KernelDescription } from '../kernel/describe';
import type { LoadedManifest } from '../manifest';
import { padTo, printableLine } from './display-width';
import { EXIT } from './exit-code';
import { counted, duration, flow } from './layout';
import { listedPlugins } from './listed-plugins';
import type { ListedKey, ListedPlugin, Served } from './listed-plugins';
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
  // what can run is shown, whatever the manifest says of the rest
  const manifest = await readManifest(flags, { 'plugins.on_error': 'skip' }, terminal);
  const described = await startAndStop(manifest, terminal);
  if (described === undefined) return EXIT.failed;
  const listed = await listedPlugins(described, manifest);
  const { leftOut, services } = described;
  if (flags.json) terminal.printJson({ manifest: manifest.path ?? null, plugins: listed, leftOut, services });
  else printPlugins(listed, described, manifest, terminal);
  return leftOut.length > 0 ? EXIT.failed : EXIT.done;
}

/** Starts all plugins that can be started, and says what became of them; undefined where none could. */
async function startAndStop(manifest: LoadedManifest, terminal: Terminal): Promise<KernelDescription | undefined> {
  try {
    const kernel = await startPlugins(manifest);
    const described = kernel.describe();
    await kernel.stop();
    return described;
  } catch (error) {
    if (!PithError.is(error)) throw error;
    terminal.fail(error);
    return undefined;
  }
}

/** `key = value`; where it is not the default, with the default and where the value comes from. */
function keyText({ key, value, default: usual, from }: ListedKey): string {
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
    const version = plugin.version === null ? '' : ` ${plugin.version}`;
    const place = dim(`${plugin.from}, ${plugin.startMs.toFixed(1)} ms`);
    terminal.print(`\n${String(plugin.position).padStart(2)}  ${bold(plugin.name)}${version}  ${place}`);
    line('after', predecessorTexts(plugin, described));
    line('hooks', plugin.hooks);
    for (const [kind, names] of Object.entries(plugin.contributions)) line(kind, names);
    line(
      'serves',
      plugin.serves.map((served) => (served.servedBy === plugin.name ? served.token : servedText(served, 'now '))),
    );
    line(
      'needs',
      plugin.needs.map((need) => servedText(need, '')),
    );
    line('keys', plugin.keys.map(keyText));
  }
  const core = described.services.filter(({ layers }) => layers.at(-1)?.plugin === 'core').map(({ token }) => token);
  terminal.print(`\n    ${bold('core')}`);
  line('serves', core);
  for (const { plugin, reason } of described.leftOut)
    terminal.print(`\n    ${red(`${plugin} did not start`)}: ${printableLine(reason)}`);
}

function servedText({ token, servedBy }: Served, word: string): string {
  return `${token} (${word}${servedBy ?? 'nobody'})`;
}

/** The edges of the graph that lead to a plugin; where it needs what they serve, `needs` says why. */
function predecessorTexts({ after, needs }: ListedPlugin, { services }: KernelDescription): readonly string[] {
  const needed = services.filter(({ token }) => needs.some((need) => need.token === token));
  const servers = new Set(needed.flatMap(({ layers }) => layers.map((layer) => layer.plugin)));
  return after.map(({ plugin, why }) => (servers.has(plugin) ? plugin : `${plugin} (${why})`));
}
