/** How deep the JSON of an item may be nested: whoever walks, prints or hashes it must not run out of stack. */
import type { Json, NewItem } from './items';

/** Deeper arguments than this are kept as text, deeper data of a provider is left out. */
const MAX_DEPTH = 200;

/** Whether a value is nested at most 200 levels deep. */
export function isShallow(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  for (const inner of Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value)) {
    if (!isShallow(inner, depth - 1)) return false;
  }
  return true;
}

/** Any value as text: strings as they are, all else as JSON. Never throws. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  try {
    return JSON.stringify(value);
  } catch {
    return '[content nested too deeply to be shown]';
  }
}

/** The item with arguments and provider data that can be walked; the very same object where they can. */
export function walkable<T extends NewItem>(item: T): T {
  const args =
    item.kind === 'tool_call' && !isShallow(item.arguments) ? { arguments: jsonText(item.arguments) as Json } : {};
  if (isShallow(item.provider)) return 'arguments' in args ? { ...item, ...args } : item;
  const { provider: _, ...rest } = item;
  return { ...rest, ...args } as T;
}
