/** What the tests of the readers share: fixtures by name, and short views of what was read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSource, readSessions } from '../../core/formats';
import type { ImportedSession, Source } from '../../core/formats';
import type { NewItem } from '../../core/session/items';
import type { RecordBody, RecordDraft, Usage } from '../../core/session/records';

export const FIXTURES = join(__dirname, '../fixtures/formats');

export function fixture(name: string): Source {
  return createSource(name, readFileSync(join(FIXTURES, name), 'utf8'));
}

/** The first session of a fixture, its format detected. */
export function read(name: string): ImportedSession {
  return readSessions(fixture(name))[0]!;
}

export function itemsOf(session: ImportedSession): readonly NewItem[] {
  return session.records.flatMap((record) => (record.t === 'item' ? [record.item] : []));
}

export function usageOf(session: ImportedSession): readonly Usage[] {
  return session.records.flatMap((record) => (record.t === 'usage' ? [record.usage] : []));
}

export function checkpointsOf(session: ImportedSession): readonly Extract<RecordBody, { t: 'checkpoint' }>[] {
  return session.records.filter((record) => record.t === 'checkpoint');
}

/** One short line per record, in order: enough to see what stands where. */
export function outline(session: ImportedSession): readonly string[] {
  return session.records.map(lineOf);
}

function lineOf(record: RecordDraft): string {
  if (record.t === 'turn') return `turn ${String(record.turn)} ${record.phase}`;
  if (record.t === 'checkpoint') return `checkpoint at ${String(record.cut)}`;
  return record.t === 'item' ? itemLine(record.item) : record.t;
}

function itemLine(item: NewItem): string {
  switch (item.kind) {
    case 'message':
      return `${item.role}: ${textOf(item)}`;
    case 'tool_call':
      return `call ${item.callId} ${item.name}`;
    case 'tool_result':
      return `result ${item.callId}${item.isError === true ? ' failed' : ''}`;
    case 'reasoning':
      return `reasoning: ${item.text ?? '(opaque)'}`;
  }
}

/** The texts of a message or result. */
export function textOf(item: NewItem): string {
  const parts = item.kind === 'message' ? item.parts : item.kind === 'tool_result' ? (item.content ?? []) : [];
  return parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join(' | ');
}
