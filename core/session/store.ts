/** Where logs are kept (S5.5). A store knows records and nothing of what they mean. */
import { createToken } from '../kernel/token';
import type { SessionRecord } from './records';

/** Takes the records of one session in order. There is one writer of a session at a time. */
export interface LogWriter {
  /**
   * Takes a record; when it returns, the record outlives the process. Throws `PITH_SESSION_WRITE` where it cannot be kept, and
   * then the log is what it was before; `PITH_SESSION_CLOSED` after {@link LogWriter.close}.
   */
  append(record: SessionRecord): void;
  /** Resolves when all that was appended so far also outlives the machine. Rejects with `PITH_SESSION_WRITE`. */
  flush(): Promise<void>;
  /** Flushes, and lets others write to the session. */
  close(): Promise<void>;
}

/** A log as it was read. */
export interface StoredLog {
  /** From the header on; kinds that this version does not know are among them. */
  readonly records: readonly SessionRecord[];
  /** What a person should know, one sentence each, such as that a torn last line was dropped. */
  readonly warnings: readonly string[];
}

/** A log that can be continued. */
export interface OpenedLog extends StoredLog {
  readonly writer: LogWriter;
}

/** Who writes to a session. */
export interface LogOwner {
  readonly pid: number;
  /** When that process began, as an ISO 8601 time. */
  readonly since: string;
  readonly host: string;
}

/** A session in a list. */
export interface StoredSession {
  readonly id: string;
  /** Size of the log, where it has one. */
  readonly bytes?: number;
  /** When it was last written to, in milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** Who writes to it right now. */
  readonly owner?: LogOwner;
}

/** A JSON value that is kept beside the sessions. */
export interface StoredDocument {
  /** The value, or undefined where there is none. Rejects with `PITH_SESSION_CORRUPT` where it cannot be read. */
  read(): Promise<unknown>;
  /**
   * Puts what `merge` makes of the kept value in its place, as one step, also where several processes do so. Where the kept
   * value cannot be read, it is taken for none. Rejects with `PITH_SESSION_WRITE`.
   */
  update(merge: (kept: unknown) => unknown): Promise<void>;
}

/** All rejections of `PITH_SESSION_ID` mean an id that is empty, too long, or not well-formed. */
export interface SessionStore {
  /**
   * Begins a log, with records that stand already or without any; all of them are kept, or there is no log. Rejects with
   * `PITH_SESSION_EXISTS`, `PITH_SESSION_LOCKED`, `PITH_SESSION_ID`, `PITH_SESSION_WRITE`.
   */
  create(id: string, records?: Iterable<SessionRecord>): Promise<LogWriter>;
  /**
   * Reads a log and continues it. Rejects with `PITH_SESSION_NOT_FOUND`, `PITH_SESSION_LOCKED` where somebody else writes to it,
   * `PITH_SESSION_CORRUPT`, `PITH_SESSION_SCHEMA`, `PITH_SESSION_ID`.
   */
  open(id: string): Promise<OpenedLog>;
  /** Reads a log, whoever writes to it. Rejects like {@link SessionStore.open}, but for the lock. */
  read(id: string): Promise<StoredLog>;
  /** The records of a log from the newest back; reads only as far as it is asked to. Rejects like {@link SessionStore.read}. */
  newest(id: string): AsyncIterable<SessionRecord>;
  /** The sessions, in no order. */
  list(): Promise<readonly StoredSession[]>;
  /** A value beside the sessions, by a name of lower-case letters. */
  document(name: string): StoredDocument;
}

/** Keeps sessions (S3.3); memory by default. */
export const SESSION_STORE = createToken<SessionStore>('pith/session-store');
