/** A text that stands nowhere else: planted in one place, looked for in all others (S9.7). */

/** A planted text. */
export interface Sentinel {
  /** Letters and digits only, so that no encoding of text changes it. */
  readonly text: string;
  /** Where in a value it shows up, in any string or key, as paths such as `requests[3].body.messages[0].content`. */
  find(value: unknown, path?: string): readonly string[];
  /** Where it shows up in any of these, each path beginning with the name of its place. */
  seenIn(places: { readonly [place: string]: unknown }): readonly string[];
}

/** Makes a text that no other has; `name` tells several of them apart. */
export function createSentinel(name = ''): Sentinel {
  const text = `sentinel${name.replace(/[^a-zA-Z0-9]/g, '')}Qz7vK3xW9pT2`;
  const find = (value: unknown, path = ''): readonly string[] => {
    const found: string[] = [];
    search(value, path, text, found, new Set());
    return found;
  };
  return {
    text,
    find,
    seenIn: (places) => Object.entries(places).flatMap(([place, value]) => find(value, place)),
  };
}

/** Walks whatever can hold text: lists, objects with their keys, errors, maps, sets, bytes. `around` are those it is within. */
function search(value: unknown, path: string, text: string, found: string[], around: Set<object>): void {
  if (typeof value === 'string') {
    if (value.includes(text)) found.push(path);
    return;
  }
  if (typeof value !== 'object' || value === null || around.has(value)) return;
  if (value instanceof Uint8Array) {
    if (Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(text)) found.push(path);
    return;
  }
  around.add(value);
  for (const [key, inner] of entriesOf(value)) {
    const at = isSequence(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (key.includes(text)) found.push(`${at} (key)`);
    search(inner, at, text, found, around);
  }
  around.delete(value);
}

function entriesOf(value: object): readonly (readonly [key: string, value: unknown])[] {
  if (isSequence(value)) return [...value].map((inner, at) => [String(at), inner]);
  const own = Object.entries(value);
  return value instanceof Error
    ? [['message', value.message], ['stack', value.stack], ['cause', value.cause], ...own]
    : own;
}

function isSequence(value: object): value is Iterable<unknown> {
  return Array.isArray(value) || value instanceof Map || value instanceof Set;
}
