/** The configuration of each plugin: its section, validated by its own schema, and frozen (S3.2, S10). */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { issuePath } from '../bus/message';
import { messageOf } from '../errors';
import { isConfigKeys } from './config-keys';
import type { PluginFault } from './faults';
import type { Plugin } from './plugin';

/** Raw values by section, keys in the form that code uses (camelCase). */
export type RawConfig = Readonly<Record<string, unknown>>;

/** Validated configurations by plugin name, and what is wrong with the others. */
export interface CheckedConfig {
  readonly configs: ReadonlyMap<string, unknown>;
  readonly faults: readonly PluginFault[];
}

/** Names that reach the prototype of an object; no section may use them as keys. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** The section that a plugin takes its configuration from. */
export function sectionOf(plugin: Plugin): string {
  return plugin.section ?? plugin.name;
}

/**
 * Validates the section of every plugin. Plugins that share a section see their own keys of it; keys that nobody owns are
 * the manifest's to report.
 */
export async function checkConfig(plugins: readonly Plugin[], raw: RawConfig): Promise<CheckedConfig> {
  const configs = new Map<string, unknown>();
  const faults: PluginFault[] = [];
  for (const plugin of plugins) {
    const section = sectionOf(plugin);
    const given = Object.hasOwn(raw, section) ? (raw[section] ?? {}) : {};
    const unsafe = unsafePart(given, section);
    if (unsafe !== undefined) {
      faults.push(configFault(plugin, unsafe.path, unsafe.problem));
      continue;
    }
    const isShared = plugins.some((other) => other !== plugin && sectionOf(other) === section);
    const result = await validated(plugin.config, isShared ? ownKeys(plugin.config, given) : given);
    if (result.issues === undefined) configs.set(plugin.name, frozenCopy(result.value));
    else {
      for (const issue of result.issues) {
        const path = issuePath(issue);
        faults.push(configFault(plugin, path === '' ? section : `${section}.${path}`, issue.message));
      }
    }
  }
  return { configs, faults };
}

async function validated(
  schema: StandardSchemaV1 | undefined,
  given: unknown,
): Promise<StandardSchemaV1.Result<unknown>> {
  if (schema === undefined) return { value: undefined };
  try {
    return await schema['~standard'].validate(given);
  } catch (thrown) {
    return { issues: [{ message: messageOf(thrown) }] };
  }
}

/** The part of a shared section that a schema knows. A schema that does not tell its keys gets all of it. */
function ownKeys(schema: StandardSchemaV1 | undefined, given: unknown): unknown {
  if (schema === undefined || isConfigKeys(schema) || !isPlain(given)) return given;
  const { shape, entries } = schema as { readonly shape?: unknown; readonly entries?: unknown };
  const known = shape ?? entries;
  if (typeof known !== 'object' || known === null) return given;
  return Object.fromEntries(Object.entries(given).filter(([key]) => Object.hasOwn(known, key)));
}

function configFault({ name }: Plugin, about: string, problem: string): PluginFault {
  return {
    kind: 'config',
    plugin: name,
    about,
    message: `The configuration of plugin "${name}" is invalid: ${about}: ${problem}.`,
    hint: `Change it in section "${about.split('.')[0] ?? about}".`,
  };
}

/** The first part of a section that could reach a prototype or has no end. */
function unsafePart(
  value: unknown,
  path: string,
  around: readonly unknown[] = [],
): { readonly path: string; readonly problem: string } | undefined {
  if (!Array.isArray(value) && !isPlain(value)) return undefined;
  if (around.includes(value)) return { path, problem: 'it contains itself' };
  for (const [key, inner] of Object.entries(value)) {
    if (FORBIDDEN.has(key)) return { path: `${path}.${key}`, problem: 'this key is not allowed' };
    const found = unsafePart(inner, `${path}.${key}`, [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A copy that nobody can change; what is neither a plain object nor an array stays what it is. */
function frozenCopy(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  if (!isPlain(value)) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, frozenCopy(inner)])));
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
