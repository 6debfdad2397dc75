/** Which keys a schema knows, as far as it tells; how manifest names become code names by it (S10). */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { camelCase, isConfigKeys, type KeyTable } from '../kernel/config-keys';

/** The keys of a table by their code name, with the shapes of tables among them. */
export interface Shape {
  readonly keys: ReadonlyMap<string, Shape | undefined>;
  /** Whether it takes keys beyond these. */
  readonly open: boolean;
}

export type Values = Readonly<Record<string, unknown>>;

/** The keys that a schema knows: from its key table, its JSON Schema, or the entries that zod and valibot keep. Undefined: it does not tell. */
export function shapeOf(schema: StandardSchemaV1): Shape | undefined {
  if (isConfigKeys(schema)) return shapeOfTable(schema.keys);
  const told = jsonSchemaOf(schema);
  if (told !== undefined) return shapeOfJsonSchema(told);
  const { shape, entries } = schema as { readonly shape?: unknown; readonly entries?: unknown };
  const known = shape ?? entries;
  return isValues(known)
    ? { keys: new Map(Object.keys(known).map((key) => [key, undefined])), open: false }
    : undefined;
}

/** The name by which code knows a manifest key; a schema may also know it as it is written. */
export function codeName(key: string, shape: Shape | undefined): string {
  const name = camelCase(key);
  return shape !== undefined && !shape.keys.has(name) && shape.keys.has(key) ? key : name;
}

/** A value as code sees it: keys of tables whose shape is known in their code names, all others as they are written. */
export function toCode(value: unknown, shape: Shape | undefined): unknown {
  if (shape === undefined || !isValues(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = codeName(key, shape);
      return shape.keys.has(name) ? [name, toCode(inner, shape.keys.get(name))] : [key, inner];
    }),
  );
}

/** Whether a value of TOML is a table. */
export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function shapeOfTable(keys: KeyTable): Shape {
  const shapes = Object.entries(keys).map(
    ([key, spec]) => [camelCase(key), spec.type === 'table' ? shapeOfTable(spec.keys) : undefined] as const,
  );
  return { keys: new Map(shapes), open: false };
}

function jsonSchemaOf(schema: StandardSchemaV1): unknown {
  const { jsonSchema } = schema['~standard'] as { readonly jsonSchema?: StandardJSONSchemaV1.Converter };
  try {
    return jsonSchema?.input({ target: 'draft-2020-12' });
  } catch {
    return undefined;
  }
}

function shapeOfJsonSchema(schema: unknown): Shape | undefined {
  if (!isValues(schema) || !isValues(schema.properties)) return undefined;
  const { properties, additionalProperties = false } = schema;
  return {
    keys: new Map(Object.entries(properties).map(([key, inner]) => [key, shapeOfJsonSchema(inner)])),
    open: additionalProperties !== false,
  };
}
