/** Writing the file of a log (S5.5): record by record at its end, whole or not at all. */
import { closeSync, fdatasync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PithError } from '../errors';
import type { FileLock } from './file-lock';
import type { LogFile } from './log-file';
import { encodeRecord } from './record-line';
import type { Position, SessionRecord } from './records';
import type { LogWriter } from './store';

/** Where a log is to go on; a log that begins has no file yet. */
export interface LogEnd extends Pick<LogFile, 'size' | 'isUnended'> {
  /** Position of the next record. */
  readonly next: Position;
}

/** Continues the file of a log, whose lock the caller has taken; closing lets it go. Throws `PITH_SESSION_WRITE`. */
export class LogFileWriter implements LogWriter {
  #path: string;
  readonly #lock: FileLock;
  /** Undefined until the file of a new log is made, with its first record. */
  #file: number | undefined;
  #next: Position = 0;
  /** Bytes of all whole lines. */
  #size = 0;
  /** Whether something stands behind them that is to be cut off. */
  #isTorn = false;
  /** Whether the newest line still lacks its end. */
  #isUnended = false;
  /** Whether the name of the file is on disk for good; who began it may have ended before. */
  #isNameSynced = false;
  #syncedSize = 0;
  #syncing: Promise<void> | undefined;
  #syncFault: PithError | undefined;
  #isClosed = false;

  constructor(path: string, lock: FileLock, end?: LogEnd) {
    this.#path = path;
    this.#lock = lock;
    if (end === undefined) return;
    try {
      this.#file = openSync(path, 'r+');
    } catch (cause) {
      throw this.#failed('The log cannot be gone on with', cause);
    }
    this.#next = end.next;
    this.#size = this.#syncedSize = end.size;
    this.#isUnended = end.isUnended;
    this.#isTorn = true;
  }

  append(record: SessionRecord): void {
    if (this.#isClosed) throw new PithError('PITH_SESSION_CLOSED', `${this.#path} is closed; open the session again.`);
    const line = encodeRecord(record, this.#next);
    try {
      this.#file ??= openSync(this.#path, 'wx', 0o600);
      this.#cutTorn(this.#file);
      this.#isTorn = true;
      const end = this.#isUnended ? this.#write(this.#file, Buffer.from('\n'), this.#size) : this.#size;
      this.#size = this.#write(this.#file, line, end);
      this.#isTorn = this.#isUnended = false;
    } catch (cause) {
      this.#undo();
      throw this.#failed(`Record ${record.seq} (${record.t}) could not be written`, cause);
    }
    this.#next++;
    if (isMilestone(record)) this.#sync(this.#size).catch(() => undefined); // flush tells of it
  }

  flush(): Promise<void> {
    return this.#sync(this.#size);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      await this.flush();
    } finally {
      if (this.#file !== undefined) closeSync(this.#file);
      this.#lock.release();
    }
  }

  /** Gives the file the name that it is to have once all of it is there, for good. Rejects with `PITH_SESSION_WRITE`. */
  async rename(path: string): Promise<void> {
    await this.flush();
    try {
      renameSync(this.#path, path);
    } catch (cause) {
      throw this.#failed(`The log could not be named ${path}`, cause);
    }
    this.#path = path;
    await syncFolder(dirname(path));
  }

  /** Writes at a place, in as many parts as it takes, and returns the place behind. */
  #write(file: number, bytes: Buffer, at: number): number {
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, at + done);
    return at + bytes.length;
  }

  #cutTorn(file: number): void {
    if (this.#isTorn) ftruncateSync(file, this.#size);
  }

  /** Takes back what was half written; where even that fails, it is done before the next record. */
  #undo(): void {
    if (this.#file === undefined) return;
    try {
      this.#cutTorn(this.#file);
      if (this.#size > 0) return;
      closeSync(this.#file);
      rmSync(this.#path, { force: true });
      this.#file = undefined;
    } catch {
      // the error of the record itself is what the caller is told
    }
  }

  /** Makes the first `size` bytes durable; those who ask while that is done share it. */
  async #sync(size: number): Promise<void> {
    while (this.#syncedSize < size) await (this.#syncing ??= this.#syncOnce());
    if (this.#syncFault !== undefined) throw this.#syncFault;
  }

  /** After a failure nobody can tell what is on disk, so from then on every flush fails. */
  async #syncOnce(): Promise<void> {
    const size = this.#size;
    try {
      await promisify(fdatasync)(this.#file as number);
      if (!this.#isNameSynced) await syncFolder(dirname(this.#path));
      this.#isNameSynced = true;
    } catch (cause) {
      this.#syncFault ??= this.#failed('It is not certain that all records are on disk', cause);
    }
    this.#syncedSize = size;
    this.#syncing = undefined;
  }

  #failed(what: string, cause: unknown): PithError {
    const details = { path: this.#path };
    return new PithError('PITH_SESSION_WRITE', `${what} (${this.#path}): ${messageOf(cause)}`, { cause, details });
  }
}

/** What must not be lost even where the machine goes down: the ends of turns, and from where later contexts start. */
function isMilestone(record: SessionRecord): boolean {
  return record.t === 'checkpoint' || record.t === 'undo' || (record.t === 'turn' && record.phase === 'end');
}

/** Makes the name of a new file durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined); // some systems open no folders, and keep names by themselves
  try {
    await folder?.sync().catch(() => undefined);
  } finally {
    await folder?.close();
  }
}
