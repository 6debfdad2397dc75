/**
 * The records of a session log (S5.2). One JSON line each; the log is append-only and holds all that a context, a report
 * or a restore is computed from.
 */
import type { Item, ItemId, Json, NewItem } from './items';

/** A place in the log: the `seq` of a record; 0 is the header. */
export type Position = number;

/** A place in the log of some session. */
export interface SessionPlace {
  readonly id: string;
  readonly position: Position;
}

/** What a record says beside its kind. */
interface Stamp {
  readonly seq: Position;
  /** Milliseconds since the epoch; 0 where the source has no time. */
  readonly at: number;
}

/** Tokens of one item as counted when it was appended, with the encoder that counted them (S5.2, S6.1). */
export interface ItemCount {
  /** Tokens of all text: message, name and arguments, content or summary, readable reasoning. */
  readonly text: number;
  /** Bounded vision tokens of its images. */
  readonly images: number;
  /** Base64 characters of opaque reasoning beyond the first 600; weighed by a calibrated rate (S6.2). */
  readonly opaque: number;
}

/** A tool as the model is told of it. */
export interface ToolSchema {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: Json;
}

/** What one request used, normalised once (S5.3): `inputTokens` is the whole prompt including cached tokens. */
export interface Usage {
  readonly inputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens?: number;
  /** Part of `outputTokens` spent on reasoning, where reported. */
  readonly reasoningTokens?: number;
  readonly model?: string;
  /** False where `outputTokens` is known to be partial. */
  readonly outputFinal?: boolean;
}

/** The cost of work that is not part of the conversation, such as a compaction (S9.13). */
export interface WorkUsage {
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** One change of what a request sends (S3.5). The only way to change a context. */
export type Edit =
  | { readonly edit: 'drop'; readonly items: readonly ItemId[] }
  /** Replaces the content of a result (null: the summary stands alone) or the text of a message. */
  | { readonly edit: 'content'; readonly item: ItemId; readonly text: string | null }
  | { readonly edit: 'insert'; readonly before: ItemId | 'end'; readonly item: NewItem };

/** System content that a checkpoint puts before the tail (S9.9), exactly as it is sent. */
export interface Block {
  readonly kind: 'summary' | 'auto-read' | 'references' | 'state' | (string & {});
  readonly text: string;
  readonly path?: string;
  readonly fromLine?: number;
  readonly toLine?: number;
}

/** A durable transition from which later contexts start (S5.4, S9.9). */
export interface Checkpoint {
  readonly compaction: string;
  readonly blocks: readonly Block[];
  /** 0-based number of the first item that is carried over; all items before it are covered. */
  readonly cut: number;
  /** The user message that opened the active turn, where the cut falls behind it. */
  readonly lead?: ItemId;
  /** Edits of lead and tail that belong to this checkpoint, such as trims and dropped bound reasoning. */
  readonly edits: readonly Edit[];
  readonly before: number;
  readonly after: number;
}

/** How a run ended, or that it is parked. */
export type RunOutcome = 'finished' | 'yielded' | 'aborted' | 'failed';

/** Where usage was measured: how many entries of the context the request carried, and which projection it was. */
export interface MeasuredOn {
  /** Number of context entries (not counting system content) that were sent. */
  readonly entries: number;
  /** Digest of the projection where known; usage of a one-request projection is tagged and never anchors a later one. */
  readonly projection?: string;
}

/** Everything a log may hold, by kind `t`. */
export type RecordBody =
  | {
      readonly t: 'session';
      readonly schema: 'pith.session/1';
      readonly id: string;
      readonly root?: string;
      readonly source?: string;
      /** The session whose records up to a position this one began with. */
      readonly forkedFrom?: SessionPlace;
    }
  | { readonly t: 'item'; readonly item: Item; readonly count?: ItemCount; readonly enc?: string }
  | {
      readonly t: 'settings';
      readonly system?: string;
      readonly tools?: readonly ToolSchema[];
      readonly model?: string;
    }
  /** A text under a key takes the place of the text that was pinned under that key before. */
  | { readonly t: 'pin'; readonly item?: ItemId; readonly text?: string; readonly key?: string }
  | { readonly t: 'usage'; readonly usage: Usage; readonly on?: MeasuredOn }
  /**
   * A prompt that was accepted while a turn ran. It waits until an item with the id of its first one is in the log, or
   * until it is dropped.
   */
  | { readonly t: 'prompt'; readonly phase: 'queued'; readonly items: readonly Item[]; readonly joins: boolean }
  | { readonly t: 'prompt'; readonly phase: 'dropped'; readonly item: ItemId }
  | { readonly t: 'turn'; readonly phase: 'start' | 'end'; readonly turn: number }
  | { readonly t: 'run'; readonly outcome: RunOutcome; readonly reason?: string }
  | { readonly t: 'edits'; readonly by: string; readonly edits: readonly Edit[]; readonly reason?: string }
  | {
      readonly t: 'compaction';
      readonly phase: 'start' | 'done' | 'failed';
      readonly compaction: string;
      readonly data: { readonly [key: string]: Json };
    }
  | ({ readonly t: 'checkpoint' } & Checkpoint)
  | { readonly t: 'undo'; readonly checkpoint: Position }
  | { readonly t: 'state'; readonly namespace: string; readonly value: Json };

/** One record of a log. Unknown kinds of later versions are kept and skipped (S5.5). */
export type SessionRecord = RecordBody & Stamp;

/** A record that is about to be appended. Items without an id get one. */
export type RecordDraft =
  | Exclude<RecordBody, { t: 'item' } | { t: 'session' }>
  | { readonly t: 'item'; readonly item: NewItem; readonly count?: ItemCount; readonly enc?: string };
