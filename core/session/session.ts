/** What a session offers (S5): an append-only log of records, and what can be read from it. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { SessionToken } from '../kernel/token';
import type { Item, ItemId, NewItem } from './items';
import type { Position, RecordDraft, SessionPlace, SessionRecord } from './records';

/** State that a plugin keeps in a session under a namespace; it follows restore and undo (S3.8). */
export interface SessionState<T> {
  get(): T | undefined;
  set(value: T): void;
}

/** A prompt that waits for its turn. */
export interface QueuedPrompt {
  /** Its items, with the ids they will have in the log. */
  readonly items: readonly Item[];
  /** Whether it joins the turn that runs; else it opens one. */
  readonly joins: boolean;
}

/** An append-only log of items and records (S5); nothing in it is ever changed. */
export interface Session {
  readonly id: string;
  /** Where the files of the session are, if known. */
  readonly root: string | undefined;
  /** Where this session was forked off another one. */
  readonly forkedFrom: SessionPlace | undefined;
  /** Position of the newest record. */
  readonly position: Position;
  /** The log from a position on, by reference; never copied. */
  records(from?: Position, to?: Position): Iterable<SessionRecord>;
  /** Number of items in the log. */
  readonly itemCount: number;
  /** The item with this 0-based number. Throws `PITH_SESSION_POSITION` outside the log. */
  item(index: number): Item;
  /** Number of the item with this id, or undefined. */
  indexOf(id: ItemId): number | undefined;
  items(from?: number, to?: number): Iterable<Item>;
  /** Appends items durably and returns them with their ids. */
  append(items: readonly NewItem[], by?: string): readonly Item[];
  /** Appends records of any kind but the header. */
  record(...drafts: readonly RecordDraft[]): void;
  /** Prompts that were accepted and have not been taken into the conversation, oldest first. */
  queued(): readonly QueuedPrompt[];
  /** Called with every record after it was appended; returns how to stop. */
  observe(observer: (record: SessionRecord) => void): () => void;
  /** Namespaced state of a plugin; follows restore and undo. */
  state<T>(namespace: string, schema: StandardSchemaV1<unknown, T>): SessionState<T>;
  /** 1-based number of the newest turn; 0 before the first. */
  readonly turn: number;
  /** Whether a turn has begun and not ended. */
  readonly turnOpen: boolean;
  /** Whether the log that was restored ended in the middle of a run or with a parked one (S5.5), until a turn ends again. */
  readonly lastRunInterrupted: boolean;
  /** The position that the newest checkpoint in force replaced; a session restored there has the context of before. */
  readonly compactedFrom: Position | undefined;
  /**
   * Makes the context of before the newest checkpoint current again (S5.5). Returns whether there was one. Nothing is
   * deleted.
   */
  undoCompaction(): boolean;
  /** A service that exists once per session. */
  get<T>(token: SessionToken<T>): T;
  /** Resolves when all that was appended so far is durable. */
  flush(): Promise<void>;
  /** Closes the session: its services are disposed, later writes throw `PITH_SESSION_CLOSED`. */
  close(): Promise<void>;
}
