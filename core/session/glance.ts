/** What a kept session is about, from the newest records of its log alone: for lists of many sessions. */
import type { Item } from './items';
import type { SessionRecord } from './records';
import type { SessionStore } from './store';

/** Records that are looked at; what lies further back stays unknown. */
const MOST_RECORDS = 1000;

/** What is seen of a kept session without restoring it. */
export interface SessionGlance {
  readonly records: number;
  /** Unknown where no item near the end has an id that tells its number. */
  readonly items?: number;
  /** How many turns have begun. */
  readonly turns?: number;
  /** First line of what the user said last. */
  readonly prompt?: string;
  /** Tokens of the newest request, or of the context of a compaction since. */
  readonly tokens?: number;
  /** Whether the newest turn has not ended (S5.5), be it that it runs right now. */
  readonly isTurnOpen: boolean;
}

type Facts = { -readonly [name in keyof SessionGlance]: SessionGlance[name] };

/** Looks at a session without opening it. Rejects like {@link SessionStore.read}. */
export async function glanceAt(store: Pick<SessionStore, 'newest'>, id: string): Promise<SessionGlance> {
  const facts: Facts = { records: 0, isTurnOpen: false };
  /** What an undone compaction tells of tokens no longer holds. */
  let knowsTokens = false;
  let newer = 0;
  let left = MOST_RECORDS;
  for await (const record of store.newest(id)) {
    facts.records ||= record.seq + 1;
    knowsTokens ||= takeTokens(record, facts);
    if (record.t === 'turn' && facts.turns === undefined) {
      facts.turns = record.turn;
      facts.isTurnOpen = record.phase === 'start';
    }
    if (record.t === 'item') takeItem(record.item, newer++, facts);
    const isKnown = knowsTokens && facts.turns !== undefined && facts.prompt !== undefined;
    if (isKnown || --left === 0) return facts;
  }
  return { items: newer, turns: 0, ...facts };
}

/** Returns whether nothing older tells more. */
function takeTokens(record: SessionRecord, facts: Facts): boolean {
  if (record.t === 'usage' && record.usage.inputTokens > 0) facts.tokens = record.usage.inputTokens;
  else if (record.t === 'checkpoint') facts.tokens = record.after;
  else return record.t === 'undo';
  return true;
}

/** @param newer how many items come after this one */
function takeItem(item: Item, newer: number, facts: Facts): void {
  const number = /^i(\d+)'*$/.exec(item.id)?.[1];
  if (facts.items === undefined && number !== undefined) facts.items = Number(number) + 1 + newer;
  if (facts.prompt !== undefined || item.kind !== 'message' || item.role !== 'user' || item.by !== undefined) return;
  const text = item.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const line = /\S.*/.exec(text)?.[0].trimEnd();
  if (line !== undefined) facts.prompt = line;
}
