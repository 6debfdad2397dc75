/** Checks one section of a manifest against the schemas that own its keys, and gives the values as code sees them (S10). */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { messageOf } from '../errors';
import {
  camelCase,
  expectation,
  isConfigKeys,
  snakeCase,
  type ConfigKeys,
  type KeySpec,
  type KeyTable,
} from '../kernel/config-keys';
import { absolutePath, environmentOverrides, flagOverrides, type Origin, type Override } from './layers';
import type { ManifestProblem } from './problem';
import { secretAdvice } from './secrets';
import { codeName, isValues, shapeOf, toCode, type Values } from './shape';

/** A key of a section with the value that is in effect. */
export interface Setting {
  readonly section: string;
  /** As the manifest spells it; keys of inner tables with dots. */
  readonly key: string;
  /** Undefined where nothing gives one. */
  readonly value: unknown;
  readonly origin: Origin;
}

export interface SectionInput {
  readonly name: string;
  /** What the manifest has; undefined where it has no such section. */
  readonly values: Values | undefined;
  readonly schemas: readonly StandardSchemaV1[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Readonly<Record<string, unknown>>;
  /** The folder that paths of the manifest start from. */
  readonly folder: string;
  /** The folder that paths of variables and flags start from. */
  readonly cwd: string;
  /** Where a key stands in the file. */
  at(path: readonly (string | number)[]): Pick<ManifestProblem, 'source' | 'line' | 'column'>;
  /** Says what an unknown key was meant to be, later, when all sections are known. */
  unknown(key: string): void;
}

export interface CheckedSection {
  /** Code names; what has a default is filled in where the schema is a key table. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly settings: readonly Setting[];
  readonly problems: readonly ManifestProblem[];
}

/** Checks a section. */
export async function checkSection(input: SectionInput): Promise<CheckedSection> {
  return new SectionCheck(input).run();
}

class SectionCheck {
  readonly #in: SectionInput;
  readonly #problems: ManifestProblem[] = [];
  /** Origins by manifest key, with dots. */
  readonly #origins = new Map<string, Origin>();
  /** The values by code name, as far as no default is filled in. */
  readonly #given: Record<string, unknown> = {};
  readonly #settings: Setting[] = [];

  constructor(input: SectionInput) {
    this.#in = input;
  }

  async run(): Promise<CheckedSection> {
    const { schemas, values = {}, env, flags, name } = this.#in;
    for (const [key, value] of Object.entries(values)) this.#take(key, value);
    for (const schema of schemas) {
      if (isConfigKeys(schema)) environmentOverrides(schema.keys, env).forEach((override) => this.#override(override));
    }
    flagOverrides(name, flags).forEach((override) => this.#override(override));
    for (const schema of schemas) if (isConfigKeys(schema)) this.#resolvePaths(schema.keys, this.#given, []);
    let config: Readonly<Record<string, unknown>> = this.#given;
    for (const schema of schemas) config = { ...config, ...(await this.#validate(schema)) };
    return { config, settings: this.#settings, problems: this.#problems };
  }

  /** Takes a key of the manifest, unless it is a secret or nobody knows it. */
  #take(key: string, value: unknown): void {
    const { name, schemas, at } = this.#in;
    const advice = secretAdvice(name, key, value);
    if (advice !== undefined) {
      this.#problems.push({ severity: 'error', ...at([name, key]), key: `${name}.${key}`, message: advice });
      return;
    }
    const shapes = schemas.map(shapeOf);
    const owner = shapes.find((shape) => shape?.keys.has(codeName(key, shape)));
    if (owner === undefined && !shapes.some((shape) => shape === undefined || shape.open)) {
      this.#in.unknown(key);
      return;
    }
    const code = codeName(key, owner);
    this.#unknownBelow(value, owner?.keys.get(code), [key]);
    this.#given[code] = toCode(value, owner?.keys.get(code));
    this.#noteOrigins(key, value, owner?.keys.get(code) !== undefined);
  }

  /** Reports keys of inner tables that their shape does not know. */
  #unknownBelow(value: unknown, shape: ReturnType<typeof shapeOf>, path: readonly string[]): void {
    if (shape === undefined || !isValues(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const code = codeName(key, shape);
      if (shape.keys.has(code)) this.#unknownBelow(inner, shape.keys.get(code), [...path, key]);
      else if (!shape.open) {
        const known = [...shape.keys.keys()].map(snakeCase).join(', ');
        this.#report([...path, key], `unknown key; there are ${known}`);
      }
    }
  }

  #noteOrigins(key: string, value: unknown, isTable: boolean): void {
    const path = key.split('.');
    if (isTable && isValues(value)) {
      for (const [inner, below] of Object.entries(value)) this.#noteOrigins(`${key}.${inner}`, below, false);
      return;
    }
    const { source, line } = this.#in.at([this.#in.name, ...path]);
    this.#origins.set(key, { from: 'manifest', at: `${source}:${String(line ?? 1)}` });
  }

  #override({ path, value, origin }: Override): void {
    let table: Record<string, unknown> = this.#given;
    for (const key of path.slice(0, -1)) {
      const inner: unknown = table[camelCase(key)];
      table = table[camelCase(key)] = isValues(inner) ? { ...inner } : {};
    }
    table[camelCase(path.at(-1) ?? '')] = value;
    this.#origins.set(path.join('.'), origin);
  }

  #resolvePaths(keys: KeyTable, table: Record<string, unknown>, parents: readonly string[]): void {
    const { cwd, folder } = this.#in;
    for (const [key, spec] of Object.entries(keys)) {
      const name = camelCase(key);
      const value = table[name];
      const origin = this.#origins.get([...parents, key].join('.'))?.from ?? 'default';
      if (spec.type === 'table' && isValues(value)) {
        const inner = { ...value };
        this.#resolvePaths(spec.keys, inner, [...parents, key]);
        table[name] = inner;
      } else if (spec.type === 'path') {
        const path = value ?? spec.default;
        if (typeof path === 'string' && path.trim() !== '') {
          table[name] = absolutePath(path, origin === 'environment' || origin === 'flag' ? cwd : folder);
        }
      }
    }
  }

  async #validate(schema: StandardSchemaV1): Promise<Readonly<Record<string, unknown>>> {
    let result: StandardSchemaV1.Result<unknown>;
    try {
      result = await schema['~standard'].validate(this.#ownPart(schema));
    } catch (thrown) {
      result = { issues: [{ message: messageOf(thrown) }] };
    }
    for (const issue of result.issues ?? []) this.#issue(schema, issue);
    if (!isConfigKeys(schema)) {
      const own = Object.keys(this.#ownPart(schema)).filter(
        (key) => !this.#settings.some((known) => known.key === snakeCase(key)),
      );
      for (const key of own) this.#setting(snakeCase(key), this.#given[key]);
      return {};
    }
    const config = (result.issues === undefined ? result.value : this.#given) as Readonly<Record<string, unknown>>;
    this.#settingsOf(schema.keys, config, []);
    if (result.issues === undefined) this.#warnings(schema, config);
    return result.issues === undefined ? config : {};
  }

  /** The values that a schema knows; all of them where it does not tell or takes any. */
  #ownPart(schema: StandardSchemaV1): Readonly<Record<string, unknown>> {
    const shape = shapeOf(schema);
    if (shape === undefined || shape.open || this.#in.schemas.length === 1) return this.#given;
    return Object.fromEntries(Object.entries(this.#given).filter(([key]) => shape.keys.has(key)));
  }

  #warnings(schema: ConfigKeys, config: Readonly<Record<string, unknown>>): void {
    for (const { key, message, severity } of schema.conflicts(config as never)) {
      if (severity === 'warning') this.#report(key.split('.'), message, { severity });
    }
  }

  #issue(schema: StandardSchemaV1, issue: StandardSchemaV1.Issue): void {
    const path: (string | number)[] = [];
    let values: unknown = this.#in.values;
    let given: unknown = this.#given;
    for (const segment of issue.path ?? []) {
      const key = typeof segment === 'object' ? segment.key : segment;
      const written = isValues(values)
        ? Object.keys(values).find((name) => name === key || camelCase(name) === key)
        : undefined;
      const step = typeof key === 'number' ? key : (written ?? snakeCase(String(key)));
      path.push(step);
      values = (values as Readonly<Record<string, unknown>> | undefined)?.[step];
      given = (given as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key];
    }
    const spec = isConfigKeys(schema) ? specAt(schema.keys, path) : undefined;
    const expected = spec === undefined ? undefined : expectation(spec);
    const got = given === undefined || !issue.message.startsWith('expected') ? '' : `, got ${shown(given, spec)}`;
    this.#report(path, `${issue.message}${got}`, { ...(expected !== undefined && { expected }) });
  }

  #report(path: readonly (string | number)[], message: string, more: Partial<ManifestProblem> = {}): void {
    const { name, at } = this.#in;
    const origin = this.#origins.get(path.join('.'));
    const overridden = origin?.from === 'environment' || origin?.from === 'flag';
    const place = overridden ? { source: origin.at ?? '' } : at([name, ...path]);
    this.#problems.push({ severity: 'error', ...place, key: [name, ...path].join('.'), message, ...more });
  }

  #settingsOf(keys: KeyTable, config: Readonly<Record<string, unknown>>, parents: readonly string[]): void {
    for (const [key, spec] of Object.entries(keys)) {
      const value = config[camelCase(key)];
      if (spec.type !== 'table') this.#setting([...parents, key].join('.'), value);
      else this.#settingsOf(spec.keys, isValues(value) ? value : {}, [...parents, key]);
    }
  }

  #setting(key: string, value: unknown): void {
    this.#settings.push({ section: this.#in.name, key, value, origin: this.#origins.get(key) ?? { from: 'default' } });
  }
}

function specAt(keys: KeyTable, path: readonly (string | number)[]): KeySpec | undefined {
  const [key, ...rest] = path;
  const spec = typeof key === 'string' && Object.hasOwn(keys, key) ? keys[key] : undefined;
  return spec?.type === 'table' && rest.length > 0 ? specAt(spec.keys, rest) : spec;
}

/** A value as it may be shown: numbers and short words of keys that hold no texts, else what kind of value it is. */
function shown(value: unknown, spec: KeySpec | undefined): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    const isSafe = spec !== undefined && ['integer', 'number', 'amount', 'boolean', 'choice'].includes(spec.type);
    return value === '' ? 'an empty text' : isSafe && value.length <= 24 ? JSON.stringify(value) : 'a text';
  }
  if (value instanceof Date) return 'a date';
  return Array.isArray(value) ? 'a list' : 'a table';
}
