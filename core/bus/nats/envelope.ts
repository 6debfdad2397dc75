/** Bodies of messages as JSON (S4.2): refuses what JSON would lose at its sender, and whatever is no JSON at its receiver. */
import { isUtf8 } from 'node:buffer';
import { messageOf, PithError } from '../../errors';
import type { LinkMessage } from './link-contract';

/** Levels of objects and arrays that a body may have: whoever walks one must not run out of stack. */
const MOST_LEVELS = 200;

/** Bytes that a body has at least when it is nested deeper, two brackets for each level. */
const DEEP_BYTES = 2 * (MOST_LEVELS + 1);

/** Characters of a key that are told in a path. */
const SHOWN_KEY = 40;

/**
 * The JSON of a body. Fields that are undefined are left out. Throws `PITH_BUS_BAD_MESSAGE` with the path of whatever else
 * JSON does not carry as it is: undefined, functions, symbols, bigints, NaN and infinities, instances of classes (dates, maps,
 * bytes), cycles, and more than 200 levels.
 */
export function encode(body: unknown, subject: string): Buffer {
  try {
    const problem = jsonProblem(body, MOST_LEVELS);
    if (problem !== undefined) throw new TypeError(`body${problem}`);
    const json = JSON.stringify(body);
    // What is ASCII throughout, as most is, is copied instead of transcoded, which takes a quarter of the time.
    return Buffer.from(json, Buffer.byteLength(json) === json.length ? 'latin1' : 'utf8');
  } catch (thrown) {
    throw badBody(subject, 'cannot be sent as JSON', thrown);
  }
}

/** The body of a message; throws `PITH_BUS_BAD_MESSAGE` for what is not JSON in UTF-8, or nested too deeply. */
export function decode(data: Uint8Array, subject: string): unknown {
  try {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (!isUtf8(bytes)) throw new TypeError('not UTF-8');
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    const problem = bytes.length < DEEP_BYTES ? undefined : jsonProblem(body, MOST_LEVELS);
    if (problem !== undefined) throw new TypeError(`body${problem}`);
    return body;
  } catch (thrown) {
    throw badBody(subject, 'came that is not JSON in UTF-8', thrown);
  }
}

/** The fields of a message of the transport itself; none where it is no object, or no JSON. */
export function fieldsOf({ data }: LinkMessage, subject: string): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = decode(data, subject);
  } catch {
    return {};
  }
  return isRecord(body) ? body : {};
}

/** Whether a value of a message is an object with fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Those fields of an object that JSON carries as they are, in an object that fits into a body. */
export function jsonFields(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: [string, unknown][] = [];
  for (const key of Object.keys(object)) {
    try {
      const value = object[key];
      if (jsonProblem(value, MOST_LEVELS - 2) === undefined) fields.push([key, value]);
    } catch {
      // a getter that throws has no value
    }
  }
  return Object.fromEntries(fields);
}

/** Where and why a value is not one that JSON carries as it is: `.items[3].at is an instance of Date`. */
function jsonProblem(value: unknown, levels: number): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : ` is ${String(value)}`;
    case 'object':
      if (value === null) return undefined;
      if (levels === 0) return ' is nested too deeply, or in itself';
      return Array.isArray(value) ? arrayProblem(value, levels) : objectProblem(value, levels);
    default:
      return ` is ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}`;
  }
}

function arrayProblem(array: readonly unknown[], levels: number): string | undefined {
  for (let at = 0; at < array.length; at++) {
    const problem = jsonProblem(array[at], levels - 1);
    if (problem !== undefined) return `[${String(at)}]${problem}`;
  }
  return undefined;
}

function objectProblem(object: object, levels: number): string | undefined {
  if (!isPlain(object)) return ' is an instance of a class';
  for (const key in object) {
    const value = (object as Readonly<Record<string, unknown>>)[key];
    const problem = value === undefined ? undefined : jsonProblem(value, levels - 1);
    if (problem !== undefined) return `${step(key)}${problem}`;
  }
  return undefined;
}

/** Whether an object is a mere record, also one of another realm: nothing stands above its prototype. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function step(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) && key.length <= SHOWN_KEY
    ? `.${key}`
    : `[${JSON.stringify(key.slice(0, SHOWN_KEY))}]`;
}

/** What a parser says of what it has read may quote that, so only its kind is told. */
function badBody(subject: string, what: string, thrown: unknown): PithError {
  const why = thrown instanceof SyntaxError ? 'it does not parse' : messageOf(thrown);
  return new PithError('PITH_BUS_BAD_MESSAGE', `A message of "${subject}" ${what}: ${why}.`, { details: { subject } });
}
