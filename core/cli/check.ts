/** `pith check` (S10): whether manifest and plugins fit together, and what is in effect. */
import type { Command } from 'commander';
import { maskSecrets } from '../../plugins/guard/secrets';
import { checkPlugins } from '../agent/create-kernel';
import { PithError } from '../errors';
import type { LoadedManifest, Origin, Setting } from '../manifest';
import { printableLine } from './display-width';
import { EXIT } from './exit-code';
import { table } from './layout';
import { jsonOption, pluginOptions } from './options';
import { manifestName, readManifest } from './started-plugins';
import type { PluginOptions } from './started-plugins';
import type { Terminal } from './terminal';

interface CheckFlags extends PluginOptions {
  readonly print?: true;
  readonly json?: true;
}

export function define(command: Command, terminal: Terminal): void {
  jsonOption(pluginOptions(command))
    .option('--print', 'show every key with its value and where that comes from')
    .action(async (flags: CheckFlags) => {
      process.exitCode = await check(flags, terminal);
    });
}

async function check(flags: CheckFlags, terminal: Terminal): Promise<number> {
  try {
    const manifest = await readManifest(flags, {}, terminal);
    const { plugins, faults, config, core } = manifest;
    await checkPlugins({ plugins, faults, config, onError: core.plugins.onError });
    if (flags.json) terminal.printJson(checkJson(manifest));
    else {
      terminal.print(`${manifestName(manifest)}: ${terminal.colours.green('no faults')}`);
      if (flags.print) printSettings(manifest.settings, terminal);
    }
    return EXIT.done;
  } catch (error) {
    if (flags.json && PithError.is(error)) terminal.printJson({ valid: false, problems: problemsOf(error) });
    throw error;
  }
}

function checkJson({ path, foundBy, plugins, settings, warnings }: LoadedManifest): unknown {
  return {
    valid: true,
    manifest: path ?? null,
    foundBy,
    plugins: plugins.map(({ name }) => name),
    settings: settings.map(({ section, key, value, origin }) => ({ section, key, value: shownValue(value), origin })),
    warnings,
  };
}

/** The list that an error carries, or the error itself. */
function problemsOf({ code, message, details }: PithError): unknown {
  return details?.['problems'] ?? details?.['faults'] ?? [{ code, message }];
}

function printSettings(settings: readonly Setting[], { print, colours, columns }: Terminal): void {
  for (const section of new Set(settings.map((setting) => setting.section))) {
    print(`\n${colours.bold(`[${section}]`)}`);
    const rows = settings
      .filter((setting) => setting.section === section)
      .map(({ key, value, origin }) => [
        `${key} = ${value === undefined ? '(unset)' : printableLine(JSON.stringify(shownValue(value)))}`.trimEnd(),
        originName(origin),
      ]);
    for (const line of table(
      rows,
      [
        { cut: 'end', least: 30 },
        { cut: 'start', least: 12 },
      ],
      columns,
    ))
      print(line);
  }
}

/** A value as it may be shown: an absent one is null, secrets that found their way into it are masked. */
function shownValue(value: unknown): unknown {
  if (typeof value === 'string') return maskSecrets(value);
  if (Array.isArray(value)) return (value as readonly unknown[]).map(shownValue);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shownValue(inner)]));
}

function originName({ from, at }: Origin): string {
  return at === undefined ? from : at;
}
