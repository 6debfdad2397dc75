/** What the records of a compaction may hold. Those of other versions and other agents may hold anything, so all is looked at. */
import type { Json } from '../session/items';
import type { CompactionPlan, Mark, Reference } from './compaction';
import type { PastWorkCall } from './past-compactions';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; undefined for all else. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The entries of a list that are what they should be; null where there is no list. */
export function listOf<T>(value: unknown, read: (entry: Fields) => T | undefined): readonly T[] | null {
  if (!Array.isArray(value)) return null;
  return value.flatMap((entry) => {
    const fields = fieldsOf(entry);
    return (fields && read(fields)) ?? [];
  });
}

/** A text, or null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A whole number above 0. Foreign checkpoints say 0 where they do not tell. */
export function positive(value: unknown): number | null {
  return isAmount(value) && value > 0 ? Math.round(value) : null;
}

export function callOf({ tool, arguments: args, result, isError }: Fields): PastWorkCall | undefined {
  if (typeof tool !== 'string' || typeof result !== 'string') return undefined;
  return { tool, arguments: (args as Json | undefined) ?? null, result, isError: isError === true };
}

export function markOf({ path, fromLine, toLine, tokens, source, reason }: Fields): Mark | undefined {
  if (typeof path !== 'string' || !isLine(fromLine) || !isLine(toLine) || !isAmount(tokens)) return undefined;
  const why = textOf(reason);
  return {
    path,
    fromLine,
    toLine,
    tokens: Math.round(tokens),
    source: textOf(source) ?? 'session',
    ...(why !== null && { reason: why }),
  };
}

export function referenceOf({ path, note }: Fields): Reference | undefined {
  if (typeof path !== 'string') return undefined;
  return { path, ...(typeof note === 'string' && { note }) };
}

export function planOf(value: unknown): CompactionPlan | null {
  const { cutItem, summarised, retained } = fieldsOf(value) ?? {};
  const before = amountOf(summarised);
  const behind = amountOf(retained);
  if (!isAmount(cutItem) || before === undefined || behind === undefined) return null;
  return { cutItem, summarised: before, retained: behind };
}

function amountOf(value: unknown): CompactionPlan['summarised'] | undefined {
  const { items, tokens } = fieldsOf(value) ?? {};
  return isAmount(items) && isAmount(tokens) ? { items, tokens: Math.round(tokens) } : undefined;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isLine(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
