/** Any value as plain JSON of bounded size, for logs: nothing in it can throw, recurse for ever or flood. */

const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;
const MAX_CHARACTERS = 4000;

/** A copy that `JSON.stringify` takes; what JSON cannot say is said in words, `[circular]`, `[function f]`. */
export function plain(value: unknown, around: readonly object[] = []): unknown {
  switch (typeof value) {
    case 'string':
      return cut(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
    case 'undefined':
      return value;
    case 'bigint':
    case 'symbol':
      return String(value);
    case 'function':
      return `[function ${value.name}]`;
    case 'object':
      return value === null ? null : plainObject(value, around);
  }
}

function plainObject(value: object, around: readonly object[]): unknown {
  if (around.includes(value)) return '[circular]';
  if (around.length >= MAX_DEPTH) return '[…]';
  const inside = [...around, value];
  try {
    if (value instanceof Error) return plainError(value, inside);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (value instanceof Map) return { map: plainList([...value], inside) };
    if (value instanceof Set) return { set: plainList([...value], inside) };
    if (ArrayBuffer.isView(value)) return `[${String(value.byteLength)} bytes]`;
    if (Array.isArray(value)) return plainList(value, inside);
    return plainRecord(value, inside);
  } catch {
    return '[unreadable]';
  }
}

function plainError(error: Error, around: readonly object[]): unknown {
  const { name, message, stack, cause } = error;
  const { code } = error as { readonly code?: unknown };
  return {
    name,
    ...(code !== undefined && { code: plain(code, around) }),
    message: cut(message),
    ...(stack !== undefined && { stack: cut(stack) }),
    ...(cause !== undefined && { cause: plain(cause, around) }),
  };
}

function plainList(values: readonly unknown[], around: readonly object[]): readonly unknown[] {
  const shown = values.slice(0, MAX_ENTRIES).map((value) => plain(value, around));
  return values.length > MAX_ENTRIES ? [...shown, `[${String(values.length - MAX_ENTRIES)} more]`] : shown;
}

function plainRecord(value: object, around: readonly object[]): object {
  const keys = Object.keys(value);
  const shown = keys.slice(0, MAX_ENTRIES).map((key) => [key, property(value, key, around)] as const);
  return Object.fromEntries(
    keys.length > MAX_ENTRIES ? [...shown, ['…', `${String(keys.length - MAX_ENTRIES)} more`]] : shown,
  );
}

function property(value: object, key: string, around: readonly object[]): unknown {
  try {
    return plain((value as Record<string, unknown>)[key], around);
  } catch {
    return '[unreadable]';
  }
}

function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text.toWellFormed();
  return `${text.slice(0, MAX_CHARACTERS)}… (${String(text.length)} characters)`.toWellFormed();
}
