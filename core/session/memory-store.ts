/** Sessions that live as long as the process. */
import { hostname } from 'node:os';
import { PithError } from '../errors';
import type { SessionRecord } from './records';
import { fileNameOf } from './session-id';
import type { LogOwner, LogWriter, SessionStore } from './store';

interface Log {
  readonly records: SessionRecord[];
  /** Whether somebody writes to it. */
  isOpen: boolean;
}

/** A store in memory. */
export function createMemoryStore(): SessionStore {
  const logs = new Map<string, Log>();
  const documents = new Map<string, unknown>();

  const found = (id: string): Log => {
    fileNameOf(id);
    const log = logs.get(id);
    if (log !== undefined) return log;
    throw new PithError('PITH_SESSION_NOT_FOUND', `No session "${id}" is kept in memory.`);
  };

  return {
    create: async (id, records = []) => {
      fileNameOf(id);
      if (logs.has(id)) throw new PithError('PITH_SESSION_EXISTS', `Session "${id}" exists already; open it instead.`);
      const log: Log = { records: [...records], isOpen: true };
      logs.set(id, log);
      return writerOf(id, log);
    },
    open: async (id) => {
      const log = found(id);
      if (log.isOpen) {
        throw new PithError(
          'PITH_SESSION_LOCKED',
          `Session "${id}" is written to already; close it there, or fork it.`,
        );
      }
      log.isOpen = true;
      return { records: log.records.slice(), warnings: [], writer: writerOf(id, log) };
    },
    read: async (id) => ({ records: found(id).records.slice(), warnings: [] }),
    async *newest(id) {
      yield* found(id).records.toReversed();
    },
    list: async () =>
      [...logs].map(([id, { records, isOpen }]) => ({
        id,
        modifiedAt: records.at(-1)?.at ?? 0,
        ...(isOpen && { owner: thisProcess() }),
      })),
    document: (name) => ({
      read: async () => documents.get(name),
      update: async (merge) => void documents.set(name, merge(documents.get(name))),
    }),
  };
}

function writerOf(id: string, log: Log): LogWriter {
  let isClosed = false;
  return {
    append: (record) => {
      if (isClosed) throw new PithError('PITH_SESSION_CLOSED', `The log of session "${id}" is closed; open it again.`);
      log.records.push(record);
    },
    flush: () => Promise.resolve(),
    close: async () => {
      if (!isClosed) log.isOpen = false;
      isClosed = true;
    },
  };
}

function thisProcess(): LogOwner {
  const since = new Date(Date.now() - process.uptime() * 1000).toISOString();
  return { pid: process.pid, since, host: hostname() };
}
