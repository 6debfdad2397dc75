/** Reading foreign JSON without trusting it: each function answers with what was hoped for, or with its absence. */
import type { Json } from '../session/items';
import { isShallow, jsonText } from '../session/nesting';

export { jsonText as textOf } from '../session/nesting';

/** An object of foreign JSON. Its keys may be anything, `__proto__` too: it is read by name, never merged. */
export type Fields = { readonly [key: string]: unknown };

const NO_FIELDS: Fields = Object.freeze(Object.create(null) as Fields);

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one where it is none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NO_FIELDS;
}

/** The value as a list; an empty one where it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The value where it is a string with something in it. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value where it is a finite number that is not negative, as token figures must be. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Call arguments as a JSON value: text is parsed where it is JSON, and kept where it is not. Never throws. */
export function argumentsOf(value: unknown): Json {
  if (value === undefined || value === '') return {};
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  if (parsed === undefined) return value as string;
  return isShallow(parsed) ? (parsed as Json) : jsonText(value);
}

/** The value that a text holds as JSON, or undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
