/** A record as one line of a file (S5.2): what is written can be read back, and nothing else is written. */
import { isUtf8 } from 'node:buffer';
import { messageOf, PithError } from '../errors';
import { walkable } from './nesting';
import { faultOfRecord } from './record-shape';
import type { Position, SessionRecord } from './records';

/** The major version of the schema that is read and written. */
const MAJOR = 1;

/**
 * The bytes of a record, with the line end. Throws `PITH_SESSION_WRITE` for a record that could not be read back: one that is not
 * next in its log, lacks fields, or cannot be put as JSON.
 */
export function encodeRecord(record: SessionRecord, next: Position): Buffer {
  const fault = faultOfRecord(record, next);
  if (fault !== undefined) throw unwritable(record, fault);
  try {
    return Buffer.from(`${JSON.stringify(record)}\n`);
  } catch (error) {
    throw unwritable(record, messageOf(error), error);
  }
}

/** The value of a line, without its line end; undefined where it is no JSON, as a torn line is. */
export function parseLine(line: Buffer): unknown {
  try {
    return isUtf8(line) ? (JSON.parse(line.toString('utf8')) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

/** Where a line stands. */
export interface LinePlace {
  readonly path: string;
  /** 1-based; unknown where the file is read from its end. */
  readonly line?: number;
  /** 0-based, of its first byte. */
  readonly byte: number;
}

/**
 * A value as the record at a position, frozen as records are. Throws `PITH_SESSION_SCHEMA` for the header of a newer version, and
 * `PITH_SESSION_CORRUPT` for what is not that record.
 */
export function recordOf(value: unknown, seq: Position, place: LinePlace): SessionRecord {
  if (seq === 0) requireSchema(value, place);
  const fault = faultOfRecord(value, seq);
  if (fault !== undefined) throw corruptLine(place, fault);
  const record = value as SessionRecord;
  if (record.t !== 'item') return Object.freeze(record);
  return Object.freeze({ ...record, item: Object.freeze(walkable(record.item)) });
}

/** The error about a line that is not what it should be. */
export function corruptLine(place: LinePlace, fault: string): PithError {
  const message = `${nameOf(place)} is malformed: ${fault}. Restore the file from a copy, or keep only the lines before it.`;
  return new PithError('PITH_SESSION_CORRUPT', message, { details: { ...place } });
}

function requireSchema(header: unknown, place: LinePlace): void {
  const schema = (header as { readonly schema?: unknown } | null)?.schema;
  const major = typeof schema === 'string' ? /^pith\.session\/(\d+)/.exec(schema)?.[1] : undefined;
  if (major === undefined) throw corruptLine(place, 'it is no header of a session');
  if (Number(major) === MAJOR) return;
  throw new PithError(
    'PITH_SESSION_SCHEMA',
    `${place.path} is written in ${JSON.stringify(schema)}; this version reads "pith.session/${MAJOR}". Update Pith to read it.`,
  );
}

function nameOf({ path, line, byte }: LinePlace): string {
  return line === undefined ? `${path}, the line at byte ${byte}` : `${path}, line ${line}`;
}

function unwritable({ seq, t }: SessionRecord, fault: string, cause?: unknown): PithError {
  return new PithError('PITH_SESSION_WRITE', `Record ${seq} (${t}) cannot be written: ${fault}.`, { cause });
}
