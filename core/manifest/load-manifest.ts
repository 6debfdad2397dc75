/** Reads a manifest: found, parsed, its plugins loaded, every section checked, all faults in one report (S10). */
import { dirname, isAbsolute, relative } from 'node:path';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { PluginFault } from '../kernel/faults';
import type { Plugin } from '../kernel/plugin';
import { checkSection, type CheckedSection, type Setting } from './check-section';
import { findManifest, readManifest, type FoundBy } from './discover';
import { adviseKey, adviseSection, adviseStray, knownKeys, type Advice } from './known-keys';
import type { StockPlugins } from './load-plugins';
import { parseToml } from './parse-toml';
import { manifestInvalid, type ManifestProblem } from './problem';
import { CORE_SECTIONS, type CoreSectionName, type CoreSections } from './sections';
import { isValues, type Values } from './shape';
import { unmetNeeds } from './unmet-needs';
import { usePlugins, type Selection, type UsedPlugins } from './use-plugins';

/** Where a manifest is found, and what stands above and beside it. */
export interface LoadManifestOptions extends Selection {
  /** The manifest that the user named, if any; relative to the working folder. */
  readonly path?: string | undefined;
  /** The working folder. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Values that flags give, by `section.key`, over all else. Undefined ones give nothing. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** The stock plugins. */
  readonly stock: StockPlugins;
  /** The plugins where no manifest says which. */
  readonly defaultUse?: readonly string[];
  /** Whether the manifest may be that of another process with more plugins: what only those could know is left alone. */
  readonly isShared?: boolean;
}

/** A manifest that was read and checked (S10). */
export interface LoadedManifest {
  /** The absolute path of the manifest; undefined where there is none. */
  readonly path: string | undefined;
  /** How it was found; which one was used is said to the user. */
  readonly foundBy: FoundBy;
  /** The core sections, checked, with defaults. Paths are absolute. */
  readonly core: CoreSections;
  /** The plugins, loaded, in the order of `use`. */
  readonly plugins: readonly Plugin[];
  /** Where each plugin was loaded from, by its name: `stock`, or the absolute file. */
  readonly loadedFrom: ReadonlyMap<string, string>;
  /** Plugins that could not be loaded and are left out, under `on_error = "skip"`; the kernel takes them as they are. */
  readonly faults: readonly PluginFault[];
  /** The sections of the plugins in code names, as the kernel takes them. */
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Every key with the value in effect and where it comes from. */
  readonly settings: readonly Setting[];
  /** What is odd and yet usable. */
  readonly warnings: readonly ManifestProblem[];
}

/**
 * Loads the manifest that is named, found, or none. Throws `PITH_MANIFEST_NOT_FOUND` for a named one that cannot be read, and
 * `PITH_MANIFEST_INVALID` with all faults at once (`details.problems`).
 */
export async function loadManifest(options: LoadManifestOptions): Promise<LoadedManifest> {
  const { cwd = process.cwd(), env = process.env, flags = {} } = options;
  const { path, foundBy } = findManifest({ path: options.path, cwd, env });
  const text = path === undefined ? '' : readManifest({ path, foundBy });
  const source = path === undefined ? 'defaults' : shortPath(path, cwd);
  const folder = path === undefined ? cwd : dirname(path);
  const { values: raw, faults: broken, placeOf } = parseToml(text);
  const problems: ManifestProblem[] = broken.map((fault) => ({ severity: 'error', source, ...fault }));
  const at: PlaceIn = (keys) => (path === undefined ? { source } : { source, ...placeOf(keys) });
  const values = withoutUnsafeKeys(raw, [], at, problems);

  const check = async (name: string, schemas: readonly StandardSchemaV1[]): Promise<CheckedSection> => {
    const found = sectionOf(values, name);
    if (found !== undefined && !isValues(found)) {
      problems.push({
        severity: 'error',
        ...at(name.split('.')),
        key: name,
        message: `expected a table; write [${name}] and its keys below`,
      });
    }
    const section = isValues(found) ? found : undefined;
    const unknown = (key: string): void => void unknownKeys.push({ section: name, key });
    const place: PlaceIn = ([, ...keys]) => at([...name.split('.'), ...keys]);
    const checked = await checkSection({ name, values: section, schemas, env, flags, folder, cwd, at: place, unknown });
    problems.push(...checked.problems);
    settings.push(...checked.settings);
    return checked;
  };
  const unknownKeys: { section: string; key: string }[] = [];
  const settings: Setting[] = [];

  const coreNames = Object.keys(CORE_SECTIONS) as CoreSectionName[];
  const core: Partial<Record<CoreSectionName, Values | undefined>> = {};
  for (const name of coreNames) {
    const optional = name === 'model' || name === 'compaction.model';
    const named =
      sectionOf(values, name) !== undefined || Object.keys(flags).some((flag) => flag.startsWith(`${name}.`));
    core[name] = optional && !named ? undefined : (await check(name, [CORE_SECTIONS[name]])).config;
  }
  const { use = options.defaultUse ?? [], onError } = core.plugins as CoreSections['plugins'];
  const used = await usePlugins({ use: Array.isArray(use) ? use : [], onError, ...options, folder, at });
  problems.push(...used.problems);

  const config: Record<string, Values> = {};
  const sections = new Set(used.plugins.map((plugin) => plugin.section ?? plugin.name));
  for (const name of sections) {
    const owners = used.plugins.filter((plugin) => (plugin.section ?? plugin.name) === name);
    config[name] = (
      await check(
        name,
        owners.flatMap(({ config: schema }) => (schema === undefined ? [] : [schema])),
      )
    ).config;
  }
  problems.push(...unmetNeeds(used.plugins, config, core, at));
  const { stock, isShared = false } = options;
  problems.push(...(await unknownProblems({ values, unknownKeys, used, stock, isShared, at })));

  if (problems.some(({ severity }) => severity === 'error'))
    throw manifestInvalid(path === undefined ? 'The configuration' : source, problems);
  const { plugins, loadedFrom, faults } = used;
  return {
    path,
    foundBy,
    core: core as CoreSections,
    plugins,
    loadedFrom,
    faults,
    config,
    settings,
    warnings: problems,
  };
}

type PlaceIn = (path: readonly (string | number)[]) => Pick<ManifestProblem, 'source' | 'line' | 'column'>;

const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

/** The values without keys that could reach a prototype; each is a fault. */
function withoutUnsafeKeys(
  values: Values,
  path: readonly (string | number)[],
  at: PlaceIn,
  problems: ManifestProblem[],
): Values {
  const clean = (value: unknown, inner: readonly (string | number)[]): unknown => {
    if (Array.isArray(value)) return value.map((entry, index) => clean(entry, [...inner, index]));
    return isValues(value) ? withoutUnsafeKeys(value, inner, at, problems) : value;
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      const inner = [...path, key];
      if (!UNSAFE.has(key)) return [[key, clean(value, inner)]];
      problems.push({ severity: 'error', ...at(inner), key: inner.join('.'), message: 'this key is not allowed' });
      return [];
    }),
  );
}

/** A section by its name; a core section within another is no part of that. */
function sectionOf(values: Values, name: string): unknown {
  const [parent = '', child] = name.split('.');
  const found = values[parent];
  if (child !== undefined) return isValues(found) ? found[child] : undefined;
  if (!isValues(found)) return found;
  const own = Object.entries(found).filter(([key]) => !Object.hasOwn(CORE_SECTIONS, `${name}.${key}`));
  return own.length === Object.keys(found).length ? found : Object.fromEntries(own);
}

/** What is to be said of sections and keys that nobody knows. The plugins that are not in use are loaded only for that. */
async function unknownProblems(input: {
  readonly values: Values;
  readonly unknownKeys: readonly { readonly section: string; readonly key: string }[];
  readonly used: UsedPlugins;
  readonly stock: StockPlugins;
  readonly isShared: boolean;
  readonly at: PlaceIn;
}): Promise<readonly ManifestProblem[]> {
  const { values, isShared, used, at } = input;
  const known = knownKeys(used.plugins);
  const strange = isShared ? [] : Object.keys(values).filter((name) => !known.sections.has(name));
  const unknownKeys = input.unknownKeys.filter(({ section }) => !isShared || Object.hasOwn(CORE_SECTIONS, section));
  if (strange.length === 0 && unknownKeys.length === 0) return [];
  const { plugins } = await usePlugins({
    use: Object.keys(input.stock),
    stock: input.stock,
    onError: 'skip',
    folder: '.',
    at,
  });
  const stock = knownKeys(plugins.filter(({ name }) => !used.plugins.some((plugin) => plugin.name === name)));
  const problem = (path: readonly string[], { message, nearest, unused }: Advice): ManifestProblem => ({
    severity: unused === true ? 'warning' : 'error',
    ...at(path),
    key: path.join('.'),
    message,
    ...(nearest !== undefined && { nearest }),
  });
  return [
    ...strange.map((name) => {
      if (!isValues(values[name]) && !isList(values[name])) return problem([name], adviseStray(name, known, stock));
      const advice = adviseSection(name, known, stock);
      // its owner may be a plugin that could not be loaded, whose fault is told already
      return problem([name], used.faults.length > 0 ? { ...advice, unused: true } : advice);
    }),
    ...unknownKeys.map(({ section, key }) =>
      problem([...section.split('.'), key], adviseKey(section, key, known, stock)),
    ),
  ];
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.some(isValues);
}

function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}
