/** Whether what is listed as a plugin is one that this kernel can start (S3.3). */
import type { PluginFault } from './faults';
import type { AnyToken, Plugin } from './plugin';
import { apiFault } from './plugin-api';
import type { ServedApis } from './plugin-api';

/** The plugin that a module exports as its default, once or twice wrapped as imports across module formats leave it; else undefined. */
export function pluginIn(module: unknown): Plugin | undefined {
  let candidate = module;
  for (let depth = 0; depth < 3 && typeof candidate === 'object' && candidate !== null; depth++) {
    if (isPlugin(candidate)) return candidate;
    candidate = (candidate as { readonly default?: unknown }).default;
  }
  return undefined;
}

/** The plugins of a list, each name once, and what is wrong with the other entries. */
export function namedPlugins(
  given: readonly unknown[],
  served: ServedApis,
): {
  readonly plugins: readonly Plugin[];
  readonly faults: readonly PluginFault[];
} {
  const faults: PluginFault[] = [];
  const plugins = new Map<string, Plugin>();
  for (const [place, value] of given.entries()) {
    if (!isPlugin(value)) {
      faults.push(notAPlugin(place));
      continue;
    }
    const malformed = malformedTokens(value);
    const incompatible = apiFault(value, served);
    faults.push(...malformed, ...(incompatible === undefined ? [] : [incompatible]));
    if (plugins.has(value.name)) faults.push(duplicatePlugin(value.name));
    else if (malformed.length === 0) plugins.set(value.name, value);
  }
  return { plugins: [...plugins.values()], faults };
}

function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null) return false;
  const { name, setup } = value as Partial<Plugin>;
  return typeof name === 'string' && name !== '' && typeof setup === 'function';
}

function notAPlugin(place: number): PluginFault {
  const plugin = `#${String(place + 1)}`;
  return {
    kind: 'not-a-plugin',
    plugin,
    message: `Entry ${plugin} of the plugin list is not a plugin.`,
    hint: 'Give what definePlugin returns.',
  };
}

/** Tokens that are none, as an import in a circle leaves them. */
function malformedTokens({ name: plugin, needs, provides, replaces }: Plugin): readonly PluginFault[] {
  const given = [
    ...Object.entries(needs ?? {}),
    ...(provides ?? []).map((token) => ['provides', token] as const),
    ...(replaces ?? []).map((token) => ['replaces', token] as const),
  ];
  return given.flatMap(([about, value]) => {
    if (isToken(value) || isToken((value as { optional?: unknown } | undefined)?.optional)) return [];
    return [
      {
        kind: 'not-a-token' as const,
        plugin,
        about,
        message: `Plugin "${plugin}" has something under "${about}" that is not a token.`,
        hint: 'Give what createToken or createSessionToken returns; it is undefined where modules import each other in a circle.',
      },
    ];
  });
}

function isToken(value: unknown): value is AnyToken {
  if (typeof value !== 'object' || value === null) return false;
  const { name, scope } = value as Partial<AnyToken>;
  return typeof name === 'string' && (scope === 'kernel' || scope === 'session');
}

function duplicatePlugin(plugin: string): PluginFault {
  return {
    kind: 'duplicate-plugin',
    plugin,
    message: `Plugin "${plugin}" is listed more than once.`,
    hint: 'List it once, or give one of the two another name.',
  };
}
