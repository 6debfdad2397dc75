/** Pith's own session file: one record per line, the header first (S5.2, S5.5). */
import { PithError } from '../errors';
import { hasShape, isKnownKind } from '../session/record-shape';
import type { RecordDraft } from '../session/records';
import type { ImportedSession, SessionFormat, Source } from './format';
import { fieldsOf, isFields, parseJson, stringOf } from './shape';
import type { Fields } from './shape';

const SCHEMA = 'pith.session/1';

/**
 * Reads a log as it was written; records of kinds that this version does not know are left out. Unlike foreign formats it
 * throws: `PITH_SESSION_SCHEMA` where a newer version wrote the file, `PITH_SESSION_CORRUPT` where a line that is not the
 * last is malformed. A torn last line is dropped with a warning.
 */
export const pith: SessionFormat = {
  name: 'pith',
  title: 'Pith session: JSON lines, the first with "schema": "pith.session/1"',
  marks: ['schema', 'seq', 't'],
  detect: (source) => (stringOf(headerOf(source).schema)?.startsWith('pith.session/') === true ? 1 : 0),
  read: (source) => [readLog(source)],
};

function headerOf(source: Source): Fields {
  const end = source.text.indexOf('\n');
  const line = end === -1 ? source.text : source.text.slice(0, end);
  return line.length < 100_000 ? fieldsOf(parseJson(line)) : {};
}

function readLog(source: Source): ImportedSession {
  const header = headerOf(source);
  if (header.schema !== SCHEMA) {
    throw new PithError(
      'PITH_SESSION_SCHEMA',
      `${source.path} is written in ${JSON.stringify(header.schema)}; this version reads ${SCHEMA}. Update Pith to read it`,
    );
  }
  const records: RecordDraft[] = [];
  const warnings: string[] = [];
  const moved = new Map<unknown, number>();
  let unknown = 0;
  for (const { number, text, last } of linesOf(source.text)) {
    const record = parseJson(text);
    if (record === undefined && last) {
      warnings.push(`The last line (${String(number)}) is torn and was dropped.`);
      continue;
    }
    if (!isFields(record) || typeof record.t !== 'string') throw corrupt(source, number, 'it is no record');
    if (record.t === 'session') continue;
    if (!isKnownKind(record.t)) {
      unknown++;
      continue;
    }
    if (!hasShape(record, record.t))
      throw corrupt(source, number, `its record "${record.t}" lacks fields or has them of a wrong type`);
    records.push(draftOf(record));
    moved.set(record.seq, records.length);
  }
  if (unknown > 0) warnings.push(`Records of kinds that this version does not know were left out: ${String(unknown)}.`);
  const { id, root } = header;
  return {
    format: pith.name,
    ...(typeof id === 'string' && { id }),
    ...(typeof root === 'string' && { root }),
    records: records.map((record) =>
      record.t === 'undo' ? { ...record, checkpoint: moved.get(record.checkpoint) ?? -1 } : record,
    ),
    sidechains: 0,
    malformed: 0,
    warnings,
  };
}

/** Without its stamp: whoever appends it gives it a new one. */
function draftOf(record: Fields): RecordDraft {
  const fields = Object.entries(record).filter(([name]) => name !== 'seq' && name !== 'at');
  return Object.fromEntries(fields) as unknown as RecordDraft;
}

function corrupt(source: Source, line: number, why: string): PithError {
  return new PithError(
    'PITH_SESSION_CORRUPT',
    `${source.path}, line ${String(line)} is malformed: ${why}. Take the line out, or restore the file from a copy`,
    {
      details: { path: source.path, line },
    },
  );
}

/** Lines that are not blank, with their 1-based numbers. */
function* linesOf(text: string): Iterable<{ readonly number: number; readonly text: string; readonly last: boolean }> {
  const end = text.trimEnd().length;
  let number = 1;
  for (let start = 0; start < end; number++) {
    const newline = text.indexOf('\n', start);
    const stop = newline === -1 ? text.length : newline;
    const line = text.slice(start, stop).trim();
    if (line !== '') yield { number, text: line, last: stop >= end };
    start = stop + 1;
  }
}
