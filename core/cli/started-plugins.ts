/** Loading the manifest and starting its plugins for a command (S10, S12). */
import { relative } from 'node:path';
import { stockPlugins } from '../../plugins';
import type { StockPluginName } from '../../plugins';
import { createKernel } from '../agent/create-kernel';
import { logSinkOf, storeOf } from '../agent/manifest-agent';
import { transportOf } from '../agent/transport';
import type { Transport } from '../agent/transport';
import { PithError } from '../errors';
import { FILE_SOURCE } from '../files/file-source';
import type { FileSource } from '../files/file-source';
import type { Kernel } from '../kernel/kernel';
import { defaultService } from '../kernel/services';
import type { Token } from '../kernel/token';
import { loadManifest, MANIFEST_NAME, reportProblem } from '../manifest';
import type { LoadedManifest } from '../manifest';
import { SESSION_STORE } from '../session/store';
import type { Terminal } from './terminal';

/** What every command that loads plugins takes. */
export interface PluginOptions {
  readonly manifest?: string | undefined;
  readonly only?: readonly string[] | undefined;
  readonly without?: readonly string[] | undefined;
}

/**
 * Loads the manifest and tells its warnings. `flags` are keys by `section.key` that options give; `defaultUse` are the plugins
 * where the manifest names none, all of the stock by default.
 */
export async function readManifest(
  { manifest, only, without }: PluginOptions,
  flags: Readonly<Record<string, unknown>>,
  terminal: Terminal,
  defaultUse: readonly StockPluginName[] = Object.keys(stockPlugins) as StockPluginName[],
): Promise<LoadedManifest> {
  const loaded = await loadManifest({
    path: manifest,
    only,
    without,
    flags,
    stock: stockPlugins,
    defaultUse,
  });
  for (const warning of loaded.warnings) terminal.warn(reportProblem(warning).replace(' warning: ', ' '));
  return loaded;
}

/** How a manifest is named to a person. */
export function manifestName({ path, foundBy }: Pick<LoadedManifest, 'path' | 'foundBy'>): string {
  if (path === undefined) return `no ${MANIFEST_NAME}, all keys at their defaults`;
  const short = relative(process.cwd(), path);
  return `${short.startsWith('..') ? path : short}${foundBy === 'environment' ? ' (PITH_MANIFEST)' : ''}`;
}

/** What is asked of the plugins that a command starts. */
export interface StartOptions {
  /** Where contents of files come from; the folder of the manifest by default. */
  readonly files?: FileSource;
  /** How other processes are reached; not at all by default. */
  readonly transport?: Transport;
}

/** Starts the plugins of a manifest. */
export function startPlugins(manifest: LoadedManifest, { files, transport }: StartOptions = {}): Promise<Kernel> {
  const { plugins, faults, config, core } = manifest;
  return createKernel({
    plugins,
    faults,
    config,
    onError: core.plugins.onError,
    log: logSinkOf(manifest),
    bus: transport?.bus,
    defaults: [
      ...(transport ?? transportOf(manifest)).defaults,
      defaultService(SESSION_STORE, () => storeOf(manifest)),
      ...(files === undefined ? [] : [defaultService(FILE_SOURCE, () => files)]),
    ],
  });
}

/** A service, or undefined where no plugin in use provides it. */
export function serviceOf<T>(kernel: Kernel, token: Token<T>): T | undefined {
  try {
    return kernel.get(token);
  } catch (error) {
    if (PithError.is(error, 'PITH_SERVICE_MISSING')) return undefined;
    throw error;
  }
}
