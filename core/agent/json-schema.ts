/**
 * Checks arguments against the JSON Schema of a tool: the keywords that tools use to say what they take. It never refuses
 * what a keyword it does not know would allow; patterns are not run, since they come from outside.
 */
import type { Json } from '../session/items';

type Schema = Readonly<Record<string, Json>>;

/** What is wrong with the value, one sentence per fault; empty where it fits. */
export function schemaProblems(schema: Json, value: Json): readonly string[] {
  return problems({ root: schema, depth: 0, steps: { left: MAX_STEPS } }, schema, value, '');
}

interface Check {
  readonly root: Json;
  readonly depth: number;
  /** Steps that may still be taken by all of the check. */
  readonly steps: { left: number };
}

/* Schemas come from outside and can refer to themselves, which must neither overflow nor take for ever. */
const MAX_STEPS = 10_000;
const MAX_DEPTH = 200;

function problems(outer: Check, given: Json, value: Json, at: string): readonly string[] {
  if (given === false) return [`${named(at)} is not allowed`];
  const schema = resolved(outer.root, given);
  if (schema === undefined || outer.depth > MAX_DEPTH || outer.steps.left-- <= 0) return [];
  const check: Check = { ...outer, depth: outer.depth + 1 };
  const kind = kindProblem(schema, value, at);
  if (kind !== undefined) return [kind];
  return [
    ...boundProblems(schema, value, at),
    ...branchProblems(check, schema, value, at),
    ...(isRecord(value) ? propertyProblems(check, schema, value, at) : []),
    ...(isList(value) ? itemProblems(check, schema, value, at) : []),
  ];
}

/** The schema behind a `$ref` into the same document. */
function resolved(root: Json, given: Json): Schema | undefined {
  let schema = given;
  for (let hops = 0; isRecord(schema) && typeof schema['$ref'] === 'string'; hops++) {
    const target = hops < 32 ? pointed(root, schema['$ref']) : undefined;
    if (target === undefined) return undefined;
    schema = target;
  }
  return isRecord(schema) ? schema : undefined;
}

function pointed(root: Json, ref: string): Json | undefined {
  if (!ref.startsWith('#')) return undefined;
  let target: Json | undefined = root;
  for (const step of ref.slice(1).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    target = (isRecord(target) || isList(target)) && Object.hasOwn(target, key) ? (target as Schema)[key] : undefined;
  }
  return target;
}

function kindProblem(schema: Schema, value: Json, at: string): string | undefined {
  const { type, const: constant, enum: choices } = schema;
  const kinds = (isList(type) ? type : [type]).filter((kind) => typeof kind === 'string');
  if (kinds.length > 0 && !kinds.some((kind) => isOfKind(kind, value))) {
    return `${named(at)} must be ${kinds.join(' or ')}, not ${kindOf(value)}`;
  }
  if (constant !== undefined && !isSame(constant, value)) return `${named(at)} must be ${JSON.stringify(constant)}`;
  if (isList(choices) && !choices.some((choice) => isSame(choice, value))) {
    return `${named(at)} must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  }
  return undefined;
}

function boundProblems(schema: Schema, value: Json, at: string): readonly string[] {
  const found: string[] = [];
  const bound = (size: number, key: string, isBroken: (limit: number) => boolean, words: string): void => {
    const limit = schema[key];
    const what = typeof value === 'number' ? named(at) : `the length of ${named(at)}`;
    if (typeof limit === 'number' && isBroken(limit))
      found.push(`${what} must be ${words} ${String(limit)} (is ${String(size)})`);
  };
  const range = (size: number, least: string, most: string): void => {
    bound(size, least, (limit) => size < limit, 'at least');
    bound(size, most, (limit) => size > limit, 'at most');
  };
  if (typeof value === 'string' && ('minLength' in schema || 'maxLength' in schema)) {
    range(Array.from(value).length, 'minLength', 'maxLength');
  } else if (isList(value)) range(value.length, 'minItems', 'maxItems');
  else if (typeof value === 'number') {
    range(value, 'minimum', 'maximum');
    bound(value, 'exclusiveMinimum', (limit) => value <= limit, 'above');
    bound(value, 'exclusiveMaximum', (limit) => value >= limit, 'below');
  }
  return found;
}

function branchProblems(check: Check, schema: Schema, value: Json, at: string): readonly string[] {
  const found = branches(schema['allOf']).flatMap((branch) => problems(check, branch, value, at));
  for (const key of ['anyOf', 'oneOf']) {
    const tried = branches(schema[key]).map((branch) => problems(check, branch, value, at));
    const nearest = tried.sort((a, b) => a.length - b.length)[0];
    if (nearest !== undefined && nearest.length > 0) found.push(...nearest);
  }
  return found;
}

function branches(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function propertyProblems(check: Check, schema: Schema, value: Schema, at: string): readonly string[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const found: string[] = [];
  for (const key of branches(schema['required'])) {
    if (typeof key === 'string' && !Object.hasOwn(value, key)) found.push(`${named(inside(at, key))} is missing`);
  }
  for (const [key, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) found.push(...problems(check, properties[key] as Json, inner, inside(at, key)));
    else if (schema['patternProperties'] === undefined && schema['additionalProperties'] !== undefined) {
      found.push(...problems(check, schema['additionalProperties'], inner, inside(at, key)));
    }
  }
  return found;
}

function itemProblems(check: Check, schema: Schema, value: readonly Json[], at: string): readonly string[] {
  const { items } = schema;
  const first = branches(schema['prefixItems']);
  return value.flatMap((inner, index) => {
    const expected = first[index] ?? items;
    return expected === undefined || isList(expected)
      ? []
      : problems(check, expected, inner, `${at}[${String(index)}]`);
  });
}

function isOfKind(kind: string, value: Json): boolean {
  if (kind === 'integer') return Number.isInteger(value);
  return kind === kindOf(value);
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'array' : typeof value;
}

function isSame(a: Json, b: Json): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function inside(at: string, key: string): string {
  return at === '' ? key : `${at}.${key}`;
}

function named(at: string): string {
  return at === '' ? 'the arguments' : `"${at}"`;
}

function isRecord(value: Json | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
