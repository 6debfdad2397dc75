/** Reading foreign JSON without trusting it: each function answers with what was hoped for, or with its absence. */
import type { Json } from '../session/items';

/** An object of foreign JSON. Its keys may be anything, `__proto__` too: it is read by name, never merged. */
export type Fields = { readonly [key: string]: unknown };

const NO_FIELDS: Fields = Object.freeze(Object.create(null) as Fields);

/** Deeper arguments than this are kept as text: whoever walks or prints them later must not run out of stack. */
const MAX_DEPTH = 200;

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

/** Any value as text: strings as they are, all else as JSON. Never throws. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  try {
    return JSON.stringify(value);
  } catch {
    return '[content nested too deeply to be shown]';
  }
}

/** Call arguments as a JSON value: text is parsed where it is JSON, and kept where it is not. Never throws. */
export function argumentsOf(value: unknown): Json {
  if (value === undefined || value === '') return {};
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  if (parsed === undefined) return value as string;
  return isShallow(parsed, MAX_DEPTH) ? (parsed as Json) : textOf(value);
}

/** The value that a text holds as JSON, or undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  for (const inner of Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value)) {
    if (!isShallow(inner, depth - 1)) return false;
  }
  return true;
}
