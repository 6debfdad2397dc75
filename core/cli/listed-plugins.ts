/** Plugins as `pith plugins` lists them (S3.4): what really runs, with the keys and the order of each. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { KernelDescription, PluginDescription } from '../kernel/describe';
import { isConfigKeys, snakeCase } from '../kernel/config-keys';
import type { KeyTable } from '../kernel/config-keys';
import type { LoadedManifest, Origin } from '../manifest';
import { packageVersion } from './package-version';

/** One plugin as it runs. */
export interface ListedPlugin {
  readonly name: string;
  readonly version: string | null;
  /** `stock`, or the file it was loaded from. */
  readonly from: string;
  /** 1-based place in the start order. */
  readonly position: number;
  /** The plugins that start before it for a reason. */
  readonly after: PluginDescription['after'];
  readonly section: string;
  readonly hooks: readonly string[];
  readonly needs: readonly Served[];
  readonly serves: readonly Served[];
  readonly contributions: PluginDescription['contributions'];
  readonly keys: readonly ListedKey[];
  /** Milliseconds of its setup. */
  readonly startMs: number;
}

/** A token, and the plugin that serves it; `core` for a default, null for nobody. */
export interface Served {
  readonly token: string;
  readonly servedBy: string | null;
}

/** A key of the plugin's section; null stands for no value. */
export interface ListedKey {
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  /** `default`, the place in the manifest, the variable or the flag. */
  readonly from: string;
}

/** The plugins of a kernel in the order of their start. */
export function listedPlugins(kernel: KernelDescription, manifest: LoadedManifest): Promise<readonly ListedPlugin[]> {
  return Promise.all(kernel.plugins.map((plugin) => listedPlugin(plugin, kernel, manifest)));
}

async function listedPlugin(
  plugin: PluginDescription,
  { services }: KernelDescription,
  manifest: LoadedManifest,
): Promise<ListedPlugin> {
  const { name, version, position, after, section, handlers, needs, provides, replaces, contributions, setupMs } =
    plugin;
  const from = manifest.loadedFrom.get(name) ?? 'stock';
  const servedBy = (token: string): string | null =>
    services.find((service) => service.token === token)?.layers.at(-1)?.plugin ?? null;
  return {
    name,
    version: version ?? (from === 'stock' ? packageVersion() : null),
    from,
    position,
    after,
    section,
    hooks: handlers.map(({ hook, order, roles }) =>
      [hook, ...(order === undefined ? [] : [order]), ...roles.filter((role) => role !== 'main')].join(' '),
    ),
    needs: needs.map(({ token, servedBy: by }) => ({ token, servedBy: by ?? null })),
    serves: [...provides, ...replaces].map((token) => ({ token, servedBy: servedBy(token) })),
    contributions,
    keys: await keysOf(plugin, manifest),
    startMs: Math.round(setupMs * 100) / 100,
  };
}

/** The keys that a plugin owns in its section, with their defaults. */
async function keysOf(
  { name, section, config }: PluginDescription,
  { plugins, settings }: LoadedManifest,
): Promise<readonly ListedKey[]> {
  const schema = plugins.find((plugin) => plugin.name === name)?.config;
  if (schema === undefined) return [];
  const given = new Map(
    settings.filter((setting) => setting.section === section).map((setting) => [setting.key, setting]),
  );
  if (isConfigKeys(schema)) {
    const defaults = tableDefaults(schema.keys);
    return [...defaults].map(([key, usual]) => listedKey(key, given.get(key)?.value, usual, given.get(key)?.origin));
  }
  const usual = entriesOf(await unconfigured(schema));
  return [...entriesOf(config)].map(([key, value]) =>
    listedKey(snakeCase(key), value, usual.get(key), given.get(snakeCase(key))?.origin),
  );
}

function listedKey(key: string, value: unknown, usual: unknown, origin: Origin = { from: 'default' }): ListedKey {
  return { key, value: value ?? null, default: usual ?? null, from: origin.at ?? origin.from };
}

function tableDefaults(keys: KeyTable, parents = ''): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(keys).flatMap(([key, spec]): readonly (readonly [string, unknown])[] =>
      spec.type === 'table' ? [...tableDefaults(spec.keys, `${parents}${key}.`)] : [[`${parents}${key}`, spec.default]],
    ),
  );
}

/** What a schema makes of an empty section: its defaults, where nothing in it is required. */
async function unconfigured(schema: StandardSchemaV1): Promise<unknown> {
  try {
    const result = await schema['~standard'].validate({});
    return result.issues === undefined ? result.value : undefined;
  } catch {
    return undefined;
  }
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}
