/**
 * The entries of a conversation (S5.1). Items are immutable and have stable ids; everything that reads or writes a
 * conversation, whichever provider or agent it comes from, speaks in these four kinds.
 */

/** The stable id of an item, unique in its session. */
export type ItemId = string;

/** Who runs a loop; third parties may name roles of their own. */
export type Role = 'main' | 'compact-worker' | (string & {});

/** A JSON value; what tool arguments and provider data are made of. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Plain text. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image by its bytes (base64) or by reference. Width and height are pixels, where known. */
export interface ImagePart {
  readonly type: 'image';
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly width?: number;
  readonly height?: number;
}

/** A piece of a message or result: text or an image. */
export type Part = TextPart | ImagePart;

interface ItemBase {
  readonly id: ItemId;
  /**
   * The reply of the model that this item is part of. All reasoning, text and calls of one reply share it; without it
   * neighbouring assistant items up to the next result or user message form one reply.
   */
  readonly reply?: string;
  /** Data of the provider that Pith cannot interpret and hands back as it came. */
  readonly provider?: { readonly [key: string]: Json };
  /** The plugin that appended or revised the item. */
  readonly by?: string;
}

/** A message of the conversation (S5.1). */
export interface MessageItem extends ItemBase {
  readonly kind: 'message';
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Part[];
}

/** A call that the model made (S5.1). */
export interface ToolCallItem extends ItemBase {
  readonly kind: 'tool_call';
  /** Unique per session only; links the call to its result. */
  readonly callId: string;
  readonly name: string;
  /** Parsed arguments; a string only where the source's text is not JSON. */
  readonly arguments: Json;
}

/** What came of a tool call (S5.1); its content may be pruned, its summary stays. */
export interface ToolResultItem extends ItemBase {
  readonly kind: 'tool_result';
  readonly callId: string;
  /** One or two lines that always stay. */
  readonly summary: string;
  /** What prune drops. On the wire: content if present, else summary. */
  readonly content?: readonly Part[];
  readonly isError?: boolean;
}

/** What the model thought, readable or as the provider hands it back (S5.1). */
export interface ReasoningItem extends ItemBase {
  readonly kind: 'reasoning';
  readonly text?: string;
  /** Encrypted reasoning or a signature, base64; bound to the prefix it was made on. */
  readonly opaque?: string;
  /** The model that made it, where known; it is sent to no other. */
  readonly model?: string;
}

/** One entry of the conversation (S5.1); immutable. */
export type Item = MessageItem | ToolCallItem | ToolResultItem | ReasoningItem;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> & { readonly id?: ItemId } : never;

/** An item that is about to be appended; the session gives it an id where it has none. */
export type NewItem = WithoutId<Item>;
