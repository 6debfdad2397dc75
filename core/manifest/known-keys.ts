/** All keys that a manifest may have, and what an unknown one was probably meant to be (S10). */
import { snakeCase } from '../kernel/config-keys';
import { nearest } from '../kernel/nearest';
import type { Plugin } from '../kernel/plugin';
import { CORE_SECTIONS } from './sections';
import { shapeOf } from './shape';

/** The manifest keys of sections, with the plugin that owns each; the core owns those without. */
export interface KnownKeys {
  readonly sections: ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;
}

/** What is to be said about an unknown key or section. */
export interface Advice {
  readonly message: string;
  readonly nearest?: string;
  /** It is known, but its plugin is not in use: nothing is wrong with it. */
  readonly unused?: true;
}

/** The keys of the core and of plugins, by section. */
export function knownKeys(plugins: readonly Plugin[]): KnownKeys {
  const sections = new Map<string, Map<string, string | undefined>>();
  const add = (section: string, keys: Iterable<string>, owner: string | undefined): void => {
    const known = sections.get(section) ?? new Map<string, string | undefined>();
    for (const key of keys) known.set(key, owner);
    sections.set(section, known);
  };
  for (const [section, { keys }] of Object.entries(CORE_SECTIONS)) {
    const [parent, child] = section.split('.') as [string, string?];
    if (child === undefined) add(section, Object.keys(keys), undefined);
    else {
      add(parent, [child], undefined);
      add(section, Object.keys(keys), undefined);
    }
  }
  for (const plugin of plugins) {
    const shape = plugin.config === undefined ? undefined : shapeOf(plugin.config);
    add(plugin.section ?? plugin.name, [...(shape?.keys.keys() ?? [])].map(snakeCase), plugin.name);
  }
  return { sections };
}

/** What an unknown key of a section was meant to be. `stock` holds the keys of the plugins that are not in use. */
export function adviseKey(section: string, key: string, used: KnownKeys, stock: KnownKeys): Advice {
  const owner = stock.sections.get(section)?.get(key);
  if (owner !== undefined) return unused(owner);
  const elsewhere = homeOf(key, used);
  if (elsewhere !== undefined)
    return { message: `unknown key; it belongs in [${elsewhere}]`, nearest: `${elsewhere}.${key}` };
  const own = [...(used.sections.get(section)?.keys() ?? [])];
  const meant = nearest(key, own);
  if (meant !== undefined) return { message: `unknown key; did you mean ${meant}?`, nearest: meant };
  const away = homeOf(key, stock);
  if (away !== undefined) {
    const plugin = stock.sections.get(away)?.get(key) ?? '';
    return {
      message: `unknown key; it belongs in [${away}], to plugin "${plugin}", which is not in use`,
      nearest: `${away}.${key}`,
    };
  }
  const near = nearest(key, allKeys(used));
  const home = near === undefined ? undefined : homeOf(near, used);
  if (home !== undefined)
    return { message: `unknown key; did you mean ${near ?? ''} in [${home}]?`, nearest: `${home}.${near ?? ''}` };
  return {
    message:
      own.length === 0
        ? 'unknown key; the section has none'
        : `unknown key; [${section}] has the keys ${own.join(', ')}`,
  };
}

/** What a key outside of any section was meant to be. */
export function adviseStray(key: string, used: KnownKeys, stock: KnownKeys): Advice {
  const home = homeOf(key, used) ?? homeOf(key, stock);
  const message = 'stands outside of any section';
  return home === undefined
    ? { message }
    : { message: `${message}; it belongs in [${home}]`, nearest: `${home}.${key}` };
}

function homeOf(key: string, known: KnownKeys): string | undefined {
  return [...known.sections].find(([, keys]) => keys.has(key))?.[0];
}

function allKeys(known: KnownKeys): readonly string[] {
  return [...known.sections.values()].flatMap((keys) => [...keys.keys()]);
}

/** What an unknown section was meant to be. */
export function adviseSection(section: string, used: KnownKeys, stock: KnownKeys): Advice {
  const owners = new Set(stock.sections.get(section)?.values());
  const owner = [...owners].find((name) => name !== undefined);
  if (owner !== undefined) return unused(owner);
  const meant = nearest(section, used.sections.keys());
  if (meant !== undefined) return { message: `unknown section; did you mean [${meant}]?`, nearest: meant };
  return { message: `unknown section; there are ${[...used.sections.keys()].map((name) => `[${name}]`).join(', ')}` };
}

function unused(plugin: string): Advice {
  return {
    message: `belongs to plugin "${plugin}", which is not in use; add it to [plugins] use, or remove this`,
    unused: true,
  };
}
