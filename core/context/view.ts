/** A view of what one request sends (S5.4): system content and conversation, without copying the history. */
import type { Block, Edit } from '../session/records';
import type { Item } from '../session/items';
import type { Estimate } from '../tokens/occupancy';

/** One piece of system content, in the order it is sent: prompt, pins, blocks. */
export interface SystemPart {
  readonly kind: 'prompt' | 'pin' | 'block';
  readonly text: string;
  /** The key of a pin that can be replaced. */
  readonly key?: string;
  /** The block of the checkpoint, where it is one. */
  readonly block?: Block;
}

/** What a request sends, over the items of the log; edits make another view and copy nothing. */
export interface ContextView {
  /** System prompt, pinned items and checkpoint blocks, in this order. */
  readonly system: readonly SystemPart[];
  /** Number of conversation items that are sent. */
  readonly length: number;
  /** Digest of system content and items; equal digests mean equal bytes. */
  readonly digest: string;
  /** Digest of system content and the first `length` items. */
  digestOf(length: number): string;
  /** The item at a 0-based position of this context, with edits applied; the very object of the log where nothing changed. */
  at(index: number): Item;
  items(from?: number, to?: number): Iterable<Item>;
  /** Start positions of the groups that cannot be parted, ascending; the first is 0. */
  groups(): readonly number[];
  /** This context with further edits. Throws `PITH_EDIT_INVALID` if they name unknown items or break S5.6. */
  with(edits: readonly Edit[]): ContextView;
  /** Tokens of the whole request: system, tools, conversation (S6.3). */
  occupancy(): Estimate;
  /** Tokens of the first `length` items with all that stands before them. */
  prefix(length: number): Estimate;
  /** Estimated tokens of the items `from`..`to` alone. */
  tokens(from: number, to?: number): number;
}
