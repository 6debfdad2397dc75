/** The tokenizer contract (S6.1). Synchronous, linear in its input for any input. */
import { createToken } from '../kernel/token';
import type { Item } from '../session/items';
import type { ItemCount, ToolSchema } from '../session/records';

/** Text cut to a number of tokens; `text` is always a slice of the input, never re-encoded. */
export interface Truncated {
  readonly text: string;
  readonly tokens: number;
  /** Whether something was cut off. */
  readonly truncated: boolean;
}

/** Counts and cuts texts and items by the tokens of a model; synchronous, and linear for any input (S6.1). */
export interface Tokenizer {
  /** Names the encoder and its version, e.g. `o200k_base@1`; counts stored under another name are recounted. */
  readonly id: string;
  /** Tokens of plain text. Special-token text counts as ordinary text. Throws a TypeError for a non-string. */
  countText(text: string): number;
  /** What one item sends: text tokens, bounded image tokens, opaque characters. Computed once per item object. */
  countItem(item: Item): ItemCount;
  /** Takes over what an item was counted at under this very id, so that it is not counted again. */
  remember(item: Item, count: ItemCount): void;
  /** Tokens of a list of items with opaque reasoning at its start rate; a plain number for budgets. */
  countItems(items: Iterable<Item>): number;
  /** Tokens of tool schemas as they are sent. */
  countTools(tools: readonly ToolSchema[]): number;
  /** The longest head or tail of `text` of at most `max` tokens. Never splits a surrogate pair. */
  truncate(text: string, max: number, from: 'head' | 'tail'): Truncated;
}

/** Counts tokens (S3.3); tiktoken by default. */
export const TOKENIZER = createToken<Tokenizer>('pith/tokenizer');
