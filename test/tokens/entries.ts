/** Entries of a context by their counts, for tests of the ledger. */
import type { Usage } from '../../core/session/records';
import type { EntryShape } from '../../core/tokens/entry-shape';
import type { LedgerEntry } from '../../core/tokens/entry-weights';

/** An entry of that many counted tokens. */
export function entry(shape: EntryShape, text: number, more: { images?: number; opaque?: number } = {}): LedgerEntry {
  return { shape, count: { text, images: more.images ?? 0, opaque: more.opaque ?? 0 } };
}

/** A call with its result. */
export function step(call: number, result: number): LedgerEntry[] {
  return [entry('call', call), entry('input', result)];
}

/** Usage of a request of `inputTokens`. */
export function usage(inputTokens: unknown, more: Partial<Usage> = {}): Usage {
  return { inputTokens: inputTokens as number, ...more };
}
