/** What overrides a manifest: environment variables and flags (S10: flag > environment > manifest > default). */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { KeySpec, KeyTable } from '../kernel/config-keys';
import { CORE_SECTIONS } from './sections';

/** Where a value comes from. */
export interface Origin {
  readonly from: 'default' | 'manifest' | 'environment' | 'flag';
  /** The place in the file, the variable, or the flag. */
  readonly at?: string;
}

/** A key that a variable or a flag overrides; `path` is the key with the tables around it, by manifest names. */
export interface Override {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: Origin;
}

/** The overrides of a section's keys by the environment. Empty variables override nothing. */
export function environmentOverrides(
  keys: KeyTable,
  env: Readonly<Record<string, string | undefined>>,
  parents: readonly string[] = [],
): readonly Override[] {
  return Object.entries(keys).flatMap(([key, spec]): readonly Override[] => {
    const path = [...parents, key];
    if (spec.type === 'table') return environmentOverrides(spec.keys, env, path);
    const text = spec.env === undefined ? undefined : env[spec.env];
    if (spec.env === undefined || text === undefined || text === '') return [];
    return [{ path, value: fromText(spec, text), origin: { from: 'environment', at: spec.env } }];
  });
}

/**
 * The overrides of a section's keys by flags, given as `section.key`, keys of inner tables with dots. Undefined values override
 * nothing.
 */
export function flagOverrides(section: string, flags: Readonly<Record<string, unknown>>): readonly Override[] {
  return Object.entries(flags).flatMap(([name, value]): readonly Override[] => {
    if (value === undefined || sectionOf(name) !== section) return [];
    const key = name.slice(section.length + 1);
    return [{ path: key.split('.'), value, origin: { from: 'flag', at: optionOf(key) } }];
  });
}

function sectionOf(flag: string): string | undefined {
  const inner = Object.keys(CORE_SECTIONS).find((name) => name.includes('.') && flag.startsWith(`${name}.`));
  return inner ?? flag.split('.', 1)[0];
}

/** The option that gives a key; one that takes a file does not say so. */
function optionOf(key: string): string {
  return `--${key.replace(/_file$/, '').replace(/[._]/g, '-')}`;
}

/** An absolute path; `~/` is the home of the user. */
export function absolutePath(path: string, folder: string): string {
  return path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : resolve(folder, path);
}

/** The value that a variable's text stands for; the text itself where it is none, so that the key's own check refuses it. */
function fromText(spec: KeySpec, text: string): unknown {
  switch (spec.type) {
    case 'integer':
    case 'number':
      return text.trim() === '' ? text : Number(text);
    case 'amount':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
    case 'strings':
      return text.split(',').map((part) => part.trim());
    default:
      return text;
  }
}
