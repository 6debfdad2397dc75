/** Reading the file of a log (S5.5): line by line and in pieces, so that nothing is held up and no text is held twice. */
import { constants } from 'node:buffer';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { messageOf, PithError } from '../errors';
import { corruptLine, parseLine, recordOf } from './record-line';
import type { Position, SessionRecord } from './records';
import type { StoredLog } from './store';

/** Bytes that are read and taken apart at a stretch: one or two milliseconds of work. */
const CHUNK = 256 * 1024;

/** Bytes at the end of a file that are read first when it is read backwards; each further piece is twice as long. */
const TAIL = 16 * 1024;

const NEWLINE = 0x0a;

/** The log of a file, and where the file goes on. */
export interface LogFile extends StoredLog {
  /** Bytes up to the end of the newest record; a torn line may follow. */
  readonly size: number;
  /** Whether the line of the newest record lacks its end. */
  readonly isUnended: boolean;
}

/**
 * Reads a whole log. A last line that is no JSON is torn and left out, with a warning. Rejects with `PITH_SESSION_NOT_FOUND`,
 * `PITH_SESSION_CORRUPT`, `PITH_SESSION_SCHEMA`.
 */
export function readLogFile(path: string, id: string): Promise<LogFile> {
  return withFile(path, id, async (file) => {
    const log = new LogReader(path);
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let at = 0; ;) {
      const chunk = await readAt(file, path, buffer, at);
      if (chunk.length === 0) return log.end();
      log.take(chunk);
      at += chunk.length;
    }
  });
}

/**
 * The records of a log from the newest back; reads no more of the file than is asked for. A torn last line is left out. Rejects
 * like {@link readLogFile}.
 */
export async function* newestRecords(path: string, id: string): AsyncIterable<SessionRecord> {
  const file = await openLog(path, id);
  try {
    let seq: Position | undefined;
    for await (const { bytes, byte, isLast } of linesBackwards(file, path)) {
      const value = parseLine(bytes);
      if (value === undefined && isLast) continue;
      if (value === undefined) throw corruptLine({ path, byte }, 'it is no JSON');
      seq = seq === undefined ? ((value as { readonly seq?: Position } | null)?.seq ?? 0) : seq - 1;
      yield recordOf(value, seq, { path, byte });
    }
    if (seq === undefined) throw noHeader(path);
  } finally {
    await file.close();
  }
}

/** Takes the bytes of a log and makes records of its lines. */
class LogReader {
  readonly #path: string;
  readonly #records: SessionRecord[] = [];
  /** The line that is being read, as far as it has come. */
  #pieces: Buffer[] = [];
  #length = 0;
  /** Lines and bytes before it. */
  #lines = 0;
  #bytes = 0;
  #size = 0;
  #isUnended = false;
  /** What is wrong with the line before, which may be if it is the last one. */
  #fault: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, end));
      this.#endLine(true);
      from = end + 1;
    }
    this.#hold(Buffer.from(chunk.subarray(from)));
  }

  end(): LogFile {
    if (this.#length > 0) this.#endLine(false);
    if (this.#records.length === 0) throw noHeader(this.#path);
    const torn = `${this.#path}: the last line (${this.#lines}) is torn and was left out.`;
    return {
      records: this.#records,
      warnings: this.#fault === undefined ? [] : [torn],
      size: this.#size,
      isUnended: this.#isUnended,
    };
  }

  #hold(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > constants.MAX_STRING_LENGTH) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  #endLine(isEnded: boolean): void {
    const place = { path: this.#path, line: this.#lines + 1, byte: this.#bytes };
    if (this.#fault !== undefined) {
      throw corruptLine({ ...place, line: this.#lines, byte: this.#size }, this.#fault);
    }
    const isTooLong = this.#length > constants.MAX_STRING_LENGTH;
    const value = isTooLong ? undefined : parseLine(Buffer.concat(this.#pieces));
    this.#lines++;
    this.#bytes += this.#length + (isEnded ? 1 : 0);
    if (value === undefined) {
      this.#fault = isTooLong ? `its ${this.#length} bytes are more than a text can hold` : 'it is no JSON';
    } else {
      this.#records.push(recordOf(value, this.#records.length, place));
      this.#size = this.#bytes;
      this.#isUnended = !isEnded;
    }
    this.#pieces = [];
    this.#length = 0;
  }
}

interface Line {
  readonly bytes: Buffer;
  /** 0-based place of its first byte. */
  readonly byte: number;
  readonly isLast: boolean;
}

/** The lines of a file without their ends, the last one first. */
async function* linesBackwards(file: FileHandle, path: string): AsyncIterable<Line> {
  let from = (await file.stat()).size;
  let isLast = true;
  /** What has been read of the line that begins before `from`. */
  let rest: Buffer = Buffer.alloc(0);
  for (let length = TAIL; from > 0; length *= 2) {
    const upTo = from;
    from = Math.max(0, upTo - length);
    const piece = await readAt(file, path, Buffer.allocUnsafe(upTo - from), from);
    const bytes = Buffer.concat([piece, rest]);
    let end = bytes.length;
    for (let newline = end; newline !== -1; end = newline) {
      newline = end === 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);
      if (newline === -1 && from > 0) break;
      // Behind the end of the last line there is none.
      if (isLast && end === bytes.length && newline === end - 1) continue;
      yield { bytes: bytes.subarray(newline + 1, end), byte: from + newline + 1, isLast };
      isLast = false;
    }
    rest = bytes.subarray(0, Math.max(0, end));
  }
}

async function withFile<T>(path: string, id: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await openLog(path, id);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

async function openLog(path: string, id: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    throw (cause as { readonly code?: unknown }).code === 'ENOENT' ? notFound(path, id) : unreadable(path, cause);
  }
}

/** The error about a log that is not there. */
export function notFound(path: string, id: string): PithError {
  return new PithError('PITH_SESSION_NOT_FOUND', `There is no session "${id}": ${path} does not exist.`);
}

/** The part of the buffer that could be filled with what stands at a place of the file. */
async function readAt(file: FileHandle, path: string, buffer: Buffer, at: number): Promise<Buffer> {
  try {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    return buffer.subarray(0, bytesRead);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): PithError {
  return new PithError('PITH_INPUT_UNREADABLE', `${path} cannot be read: ${messageOf(cause)}`, { cause });
}

function noHeader(path: string): PithError {
  return new PithError(
    'PITH_SESSION_CORRUPT',
    `${path} has no header: whoever began it was interrupted before anything was kept. Remove the file.`,
    { details: { path } },
  );
}
