/** Where logs are kept (S5.5). A store knows records and nothing of what they mean. */
import { PithError } from '../errors';
import { createToken } from '../kernel/token';
import type { SessionRecord } from './records';

/** Takes the records of one session in order. */
export interface LogWriter {
  append(record: SessionRecord): void;
  /** Resolves when everything appended so far is durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface SessionStore {
  /** Begins a log. Throws `PITH_SESSION_EXISTS` if the id is taken. */
  create(id: string): LogWriter;
  /** Reads a whole log and continues it. Throws `PITH_SESSION_NOT_FOUND`. */
  open(id: string): Promise<{ readonly records: readonly SessionRecord[]; readonly writer: LogWriter }>;
  list(): Promise<readonly string[]>;
}

/** Keeps sessions (S3.3); memory by default. */
export const SESSION_STORE = createToken<SessionStore>('pith/session-store');

/** A store that lives as long as the process. */
export function createMemoryStore(): SessionStore {
  const logs = new Map<string, SessionRecord[]>();
  const writerOf = (log: SessionRecord[]): LogWriter => ({
    append: (record) => void log.push(record),
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  });
  return {
    create(id) {
      if (logs.has(id)) throw new PithError('PITH_SESSION_EXISTS', `Session "${id}" exists already; open it instead.`);
      const log: SessionRecord[] = [];
      logs.set(id, log);
      return writerOf(log);
    },
    open(id) {
      const log = logs.get(id);
      if (log === undefined) {
        return Promise.reject(new PithError('PITH_SESSION_NOT_FOUND', `No session "${id}" is kept in memory.`));
      }
      return Promise.resolve({ records: log.slice(), writer: writerOf(log) });
    },
    list: () => Promise.resolve([...logs.keys()]),
  };
}
