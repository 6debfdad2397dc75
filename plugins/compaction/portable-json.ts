/** Values that arrive in another process as they were sent: plain JSON, bounded, every string well-formed. */

/** What keeps a value from crossing, and where that is. */
export interface PortableFault {
  readonly message: string;
  readonly path: (string | number)[];
}

const MAX_DEPTH = 100;

/**
 * The first fault of a value, or undefined where it is JSON of at most so many characters in all of its texts, names and
 * entries. A property that is undefined counts as absent. Stops at the first fault, however large the value is.
 */
export function portableJson(value: unknown, characters: number): PortableFault | undefined {
  const path: (string | number)[] = [];
  let left = characters;

  const fault = (message: string): PortableFault => ({ message, path: [...path] });

  function faultOf(inner: unknown): PortableFault | undefined {
    left -= typeof inner === 'string' ? inner.length : 1;
    if (left < 0) return fault(`expected at most ${characters} characters`);
    switch (typeof inner) {
      case 'string':
        return inner.isWellFormed() ? undefined : fault('expected well-formed Unicode');
      case 'number':
        return Number.isFinite(inner) ? undefined : fault('expected a finite number');
      case 'boolean':
        return undefined;
      case 'object':
        return inner === null ? undefined : faultWithin(inner);
      default:
        return fault(`expected JSON, got ${typeof inner}`);
    }
  }

  function faultWithin(inner: object): PortableFault | undefined {
    if (path.length >= MAX_DEPTH) return fault(`expected at most ${MAX_DEPTH} levels`);
    if (!Array.isArray(inner) && !isPlain(inner)) return fault('expected a plain object');
    for (const [key, entry] of Array.isArray(inner) ? inner.entries() : Object.entries(inner)) {
      if (typeof key === 'string') {
        if (entry === undefined) continue;
        left -= key.length;
        if (!key.isWellFormed()) return fault('expected well-formed names');
      }
      path.push(key);
      const found = faultOf(entry);
      if (found !== undefined) return found;
      path.pop();
    }
    return undefined;
  }

  return faultOf(value);
}

/** Whether it is an object of no class, also of another realm. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
