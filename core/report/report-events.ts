/** Prunes and compactions of a session in the order in which they happened. */
import type { CompactionWalk } from '../agent/past-compactions';
import { positive, textOf } from '../agent/recorded-compaction';
import type { Position, SessionRecord } from '../session/records';
import type { ReportEvent } from './report';

/** Where an event stands: before this request, 1-based, with so many items in the log. */
export type EventPlace = Pick<ReportEvent, 'request' | 'item'>;

/** The records that are events. */
export type EventRecord = Extract<SessionRecord, { t: 'edits' | 'checkpoint' | 'compaction' }>;

/** Whether a record tells of an event. */
export function isEvent(record: SessionRecord): record is EventRecord {
  if (record.t === 'edits') return record.by === 'prune';
  return record.t === 'checkpoint' || (record.t === 'compaction' && record.phase === 'failed');
}

/** Collects the events of a log as it is walked through. */
export class ReportEvents {
  readonly #compactions: CompactionWalk;
  readonly #entries: { readonly event: ReportEvent; readonly checkpoint?: Position }[] = [];

  /** @param compactions those of the same log */
  constructor(compactions: CompactionWalk) {
    this.#compactions = compactions;
  }

  list(): readonly ReportEvent[] {
    return this.#entries.map(({ event, checkpoint }) =>
      checkpoint !== undefined && this.#compactions.isUndone(checkpoint) ? { ...event, isUndone: true } : event,
    );
  }

  /** Adds an event; `estimate` tells the tokens before and after it, where the log does not. */
  add(record: EventRecord, place: EventPlace, estimate: { before(): number; after(): number }): void {
    if (record.t === 'edits') {
      this.#entries.push({ event: { kind: 'prune', ...place, before: estimate.before(), after: estimate.after() } });
      return;
    }
    const compaction = { compaction: this.#compactions.numberOf(record.compaction) };
    if (record.t === 'checkpoint') {
      const before = positive(record.before) ?? estimate.before();
      const after = positive(record.after) ?? estimate.after();
      const event = { kind: 'compaction' as const, ...place, before, after, outcome: 'done', ...compaction };
      this.#entries.push({ event, checkpoint: record.seq });
      return;
    }
    const before = positive(record.data['before']) ?? estimate.before();
    const outcome = textOf(record.data['outcome']) ?? 'failed';
    this.#entries.push({ event: { kind: 'compaction', ...place, before, outcome, ...compaction } });
  }
}
