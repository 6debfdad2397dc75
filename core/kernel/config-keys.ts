/**
 * The keys of a plugin's configuration, declared once (S10). From one table come the validator (a Standard Schema), the
 * defaults, the types of `ctx.config`, the diagnostics of the manifest, `pith check --print` and `docs/manifest.md`.
 *
 * ```ts
 * const config = configKeys({
 *   retained_tokens: { type: 'integer', unit: 'tokens', default: 8000, doc: 'Newest tokens that are carried over.' },
 *   compact_threshold: { type: 'amount', unit: 'tokens', doc: 'Occupancy above which …' },    // optional: no default
 *   mode: { type: 'choice', of: ['on', 'off'], default: 'on', env: 'PITH_COMPACTION', doc: 'Whether …' },
 * });
 * definePlugin({ name: 'compaction', config, setup({ config }) { config.retainedTokens; config.compactThreshold; … } });
 * ```
 *
 * Keys are `snake_case` in the manifest and `camelCase` in code. A plugin may use any other Standard Schema instead; then
 * its schema takes the camelCase form.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';

interface Described<T> {
  /** One or two sentences for `docs/manifest.md` and `pith check --print`. */
  readonly doc: string;
  /** Absent: the key is optional and its value may be undefined. */
  readonly default?: T;
  /** Whether a section without the key is a fault. */
  readonly required?: true;
  /** The environment variable that overrides the key. */
  readonly env?: string;
}

/** A number or a whole number; at least 0 unless `min` says otherwise. NaN and infinities are faults. */
export interface NumberKey extends Described<number> {
  readonly type: 'integer' | 'number';
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
}
/** A whole number of at least 1, or a share such as `"75%"` (above 0, at most 100). */
export interface AmountKey extends Described<Amount> {
  readonly type: 'amount';
  readonly unit?: string;
}
export interface BooleanKey extends Described<boolean> {
  readonly type: 'boolean';
}
/**
 * A text that is not empty. A `path` of a manifest starts from the folder of the manifest; a `variable` is the name of an
 * environment variable, which is how secrets are given.
 */
export interface StringKey extends Described<string> {
  readonly type: 'string' | 'path' | 'variable';
}
/** A list of texts that are not empty. */
export interface StringsKey extends Described<readonly string[]> {
  readonly type: 'strings';
}
/** One of a fixed set of words. */
export interface ChoiceKey extends Described<string> {
  readonly type: 'choice';
  readonly of: readonly string[];
  /** Words that are of no use without a setting of a core section of the manifest. */
  readonly needs?: Readonly<Record<string, { readonly section: string; readonly key: string; readonly value: string }>>;
}
/** A table whose keys are the user's own and whose values are texts. */
export interface MapKey extends Described<Readonly<Record<string, string>>> {
  readonly type: 'map';
}
/** A table with keys of its own. */
export interface TableKey {
  readonly type: 'table';
  readonly doc: string;
  readonly keys: KeyTable;
}

/** What a key of a section is: its type, its bounds, its default and what it is for. */
export type KeySpec = NumberKey | AmountKey | BooleanKey | StringKey | StringsKey | ChoiceKey | MapKey | TableKey;

/** The keys of a section by their manifest name (`snake_case`). */
export interface KeyTable {
  readonly [key: string]: KeySpec;
}

/** A whole number, or a share of something the owner of the key knows. */
export type Amount = number | `${number}%`;

/** The code name of a manifest key: `retained_tokens` → `retainedTokens`. */
export type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

type ValueOf<S> = S extends { readonly type: 'integer' | 'number' }
  ? number
  : S extends { readonly type: 'amount' }
    ? Amount
    : S extends { readonly type: 'boolean' }
      ? boolean
      : S extends { readonly type: 'string' | 'path' | 'variable' }
        ? string
        : S extends { readonly type: 'strings' }
          ? readonly string[]
          : S extends { readonly type: 'choice'; readonly of: readonly (infer C)[] }
            ? C
            : S extends { readonly type: 'map' }
              ? Readonly<Record<string, string>>
              : S extends { readonly type: 'table'; readonly keys: infer K extends KeyTable }
                ? ConfigOf<K>
                : never;

type Certain = { readonly default: unknown } | { readonly required: true } | { readonly type: 'table' };
type CertainKeys<K> = { [P in keyof K]: K[P] extends Certain ? P : never }[keyof K] & string;
type OptionalKeys<K> = Exclude<keyof K & string, CertainKeys<K>>;
type RequiredKeys<K> = { [P in keyof K]: K[P] extends { readonly required: true } ? P : never }[keyof K] & string;
type Flat<T> = { readonly [P in keyof T]: T[P] };

/** A validated section as code sees it: camelCase keys, defaults filled in. */
export type ConfigOf<K extends KeyTable> = Flat<
  { [P in CertainKeys<K> as CamelCase<P>]: ValueOf<K[P]> } & { [P in OptionalKeys<K> as CamelCase<P>]?: ValueOf<K[P]> }
>;

/** A section as code gives it: camelCase keys, what has a default may be left out. */
export type ConfigInput<K extends KeyTable> = Flat<
  { [P in RequiredKeys<K> as CamelCase<P>]: ValueOf<K[P]> } & {
    [P in Exclude<keyof K & string, RequiredKeys<K>> as CamelCase<P>]?: K[P] extends {
      type: 'table';
      keys: infer N extends KeyTable;
    }
      ? ConfigInput<N>
      : ValueOf<K[P]>;
  }
>;

/** Something about keys that are each valid but do not go together. */
export interface ConfigConflict {
  /** The manifest name of the key that the message is about. */
  readonly key: string;
  readonly message: string;
  /** A warning leaves the configuration valid. */
  readonly severity: 'error' | 'warning';
}

/** A Standard Schema that carries the table it was made from. Validating its own output gives the same output. */
export interface ConfigKeys<K extends KeyTable = KeyTable> extends StandardSchemaV1<ConfigInput<K>, ConfigOf<K>> {
  readonly keys: K;
  /** What does not go together in a valid configuration; errors among it are issues of the validator too. */
  conflicts(config: ConfigOf<K>): readonly ConfigConflict[];
}

/**
 * Declares the keys of a section. Keys that it does not name are left to the other owners of the section.
 *
 * @param conflicts judges keys together, once each of them is valid
 */
export function configKeys<const K extends KeyTable>(
  keys: K,
  conflicts: (config: ConfigOf<K>) => readonly ConfigConflict[] = () => [],
): ConfigKeys<K> {
  const validate = (value: unknown): StandardSchemaV1.Result<ConfigOf<K>> => {
    const issues: StandardSchemaV1.Issue[] = [];
    const config = section(keys, value ?? {}, [], issues) as ConfigOf<K>;
    if (issues.length > 0) return { issues };
    const errors = conflicts(config).filter(({ severity }) => severity === 'error');
    if (errors.length > 0)
      return { issues: errors.map(({ key, message }) => ({ message, path: key.split('.').map(camelCase) })) };
    return { value: config };
  };
  return Object.freeze({ '~standard': { version: 1 as const, vendor: 'pith', validate }, keys, conflicts });
}

/** Whether a schema was made by {@link configKeys}, also by another copy of the package. */
export function isConfigKeys(schema: StandardSchemaV1 | undefined): schema is ConfigKeys {
  return schema?.['~standard'].vendor === 'pith' && 'keys' in schema;
}

/** The code name of a manifest key: `retained_tokens` → `retainedTokens`. */
export function camelCase(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The manifest name of a code key: `retainedTokens` → `retained_tokens`. */
export function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What a key takes, for the end of the sentence "expected …". */
export function expectation(spec: KeySpec): string {
  switch (spec.type) {
    case 'integer':
    case 'number':
      return `${spec.type === 'integer' ? 'a whole number' : 'a number'}${unitOf(spec)}${boundsOf(spec)}`;
    case 'amount':
      return `a whole number${unitOf(spec)} of at least 1 or a share such as "75%"`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return 'a non-empty text';
    case 'path':
      return 'a path';
    case 'variable':
      return 'the name of an environment variable';
    case 'strings':
      return 'a list of non-empty texts';
    case 'choice':
      return `one of ${spec.of.map((word) => JSON.stringify(word)).join(', ')}`;
    case 'map':
      return 'a table of texts';
    case 'table':
      return `a table with the keys ${Object.keys(spec.keys).join(', ')}`;
  }
}

function unitOf(spec: { readonly unit?: string }): string {
  return spec.unit === undefined ? '' : ` of ${spec.unit}`;
}

function boundsOf({ min = 0, max }: NumberKey): string {
  return max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
}

function section(keys: KeyTable, value: unknown, path: readonly string[], issues: StandardSchemaV1.Issue[]): object {
  if (!isTable(value)) {
    issues.push({ message: 'expected a table', path });
    return {};
  }
  const config: Record<string, unknown> = {};
  for (const [key, spec] of Object.entries(keys)) {
    const name = camelCase(key);
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const at = [...path, name];
    if (spec.type === 'table') config[name] = section(spec.keys, given ?? {}, at, issues);
    else if (given !== undefined) {
      if (!fits(spec, given)) issues.push({ message: `expected ${expectation(spec)}`, path: at });
      config[name] = given;
    } else if (spec.default !== undefined) config[name] = spec.default;
    else if (spec.required) issues.push({ message: `is missing; expected ${expectation(spec)}`, path: at });
  }
  return Object.freeze(config);
}

function fits(spec: Exclude<KeySpec, TableKey>, value: unknown): boolean {
  switch (spec.type) {
    case 'integer':
    case 'number':
      return isNumber(spec, value);
    case 'amount':
      return typeof value === 'string' ? isShare(value) : Number.isSafeInteger(value) && (value as number) >= 1;
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
    case 'path':
      return isText(value);
    case 'variable':
      return typeof value === 'string' && /^[a-z_]\w*$/i.test(value);
    case 'strings':
      return Array.isArray(value) && value.every(isText);
    case 'choice':
      return spec.of.includes(value as string);
    case 'map':
      return isTable(value) && Object.values(value).every((entry) => typeof entry === 'string');
  }
}

function isNumber({ type, min = 0, max = Infinity }: NumberKey, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < min || value > max) return false;
  return type === 'number' || Number.isSafeInteger(value);
}

function isShare(text: string): boolean {
  const share = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(text)?.[1];
  return share !== undefined && Number(share) > 0 && Number(share) <= 100;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
