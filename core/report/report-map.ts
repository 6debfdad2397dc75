/** The map of a session: every item, what it takes, and what became of it. */
import { stripVTControlCharacters } from 'node:util';
import { kindOf } from '../agent/inspect';
import type { Touch } from '../agent/touched-files';
import type { SessionContext } from '../context/context';
import type { LineRange } from '../files/file-source';
import { oneLine } from '../session/clip';
import { itemWords } from '../session/history';
import type { Item } from '../session/items';
import type { SessionRecord } from '../session/records';
import type { Session } from '../session/session';
import { wellFormed } from '../session/well-formed';
import type { Tokenizer } from '../tokens/tokenizer';
import type { Fate, MapItem } from './report';

/** Characters that are shown of what an item says. */
const MOST_CHARACTERS = 120;
/** Characters that are looked at for them; the others may be blank. */
const REACH = 4 * MOST_CHARACTERS;

/** What a compaction read anew: all items before its cut may have shown it. */
export interface ReadAnew {
  readonly cut: number;
  /** Ranges by the one spelling of each file. */
  readonly ranges: ReadonlyMap<string, readonly LineRange[]>;
}

/** Keeps the map of one session; it is read from the log once, and only fates are looked at again. */
export class ReportMap {
  readonly #session: Session;
  readonly #tokenizer: Tokenizer;
  readonly #items: MapItem[] = [];
  /** What was read or written as a whole. */
  readonly #shown: Touch[] = [];
  /** Tools of the calls so far. */
  readonly #tools = new Map<string, string>();
  /** Items that are sent as system content. */
  readonly #pinned = new Set<string>();
  #isOpening = true;
  /** Numbers of the items that held what a compaction read anew. */
  #again: ReadonlySet<number> = new Set();

  constructor(session: Session, tokenizer: Tokenizer) {
    this.#session = session;
    this.#tokenizer = tokenizer;
  }

  get length(): number {
    return this.#items.length;
  }

  /** The items from a 0-based number on, as they were judged last. */
  items(from = 0): readonly MapItem[] {
    return this.#items.slice(from);
  }

  /** Takes the next record, with the files that it shows to have been touched. */
  take(record: SessionRecord, touches: readonly Touch[]): void {
    if (record.t === 'pin' && record.item !== undefined) this.#pinned.add(record.item);
    if (record.t !== 'item') return;
    const { item } = record;
    this.#isOpening &&= item.kind === 'message' && item.role === 'system';
    if (this.#isOpening) this.#pinned.add(item.id);
    if (item.kind === 'tool_call') this.#tools.set(item.callId, item.name);
    const tool = item.kind === 'tool_call' || item.kind === 'tool_result' ? this.#tools.get(item.callId) : undefined;
    this.#items.push({
      kind: kindOf(item),
      ...(tool !== undefined && { tool }),
      tokens: Math.round(this.#tokenizer.countItems([item])),
      fate: 'kept',
      text: beginningOf(item),
    });
    for (const touch of touches) if (touch.access !== 'edit') this.#shown.push(touch);
  }

  /** Says what a compaction read anew; undefined where it read nothing. */
  readAnew(anew: ReadAnew | undefined): void {
    this.#again = new Set(anew === undefined ? [] : this.#held(anew));
  }

  /** Looks at what became of the items from a number on, and returns the first of which that is not what it was, if any. */
  judge(context: SessionContext, from: number): number | undefined {
    const cut = context.checkpoint()?.cut ?? 0;
    let changed: number | undefined;
    for (let number = from; number < this.#items.length; number++) {
      const known = this.#items[number] as MapItem;
      const fate = this.#fateOf(this.#session.item(number), number < cut, context);
      const isAgain = this.#again.has(number);
      if (fate === known.fate && isAgain === (known.readAgain === true)) continue;
      const { readAgain: _, text, ...facts } = known;
      this.#items[number] = { ...facts, fate, ...(isAgain && { readAgain: true as const }), text };
      changed ??= number;
    }
    return changed;
  }

  #fateOf(item: Item, isCovered: boolean, context: SessionContext): Fate {
    const sent = context.sent(item.id);
    if (sent !== undefined) return isChanged(item, sent) ? 'changed' : 'kept';
    if (this.#pinned.has(item.id)) return 'kept';
    return isCovered ? 'summarised' : 'dropped';
  }

  /** Numbers of the items that held what was read anew: results of reads, and calls that wrote a file. */
  *#held({ cut, ranges }: ReadAnew): Iterable<number> {
    for (const { key, access, offset = 1, limit = Infinity, call, result } of this.#shown) {
      const number = access === 'read' ? result : call;
      const isRead = ranges.get(key)?.some(({ fromLine, toLine }) => offset <= toLine && fromLine < offset + limit);
      if (number < cut && isRead === true) yield number;
    }
  }
}

/** The beginning of what an item says, on one line without the codes of terminals: of a call its arguments, of a result its summary. */
export function beginningOf(item: Item): string {
  const text = oneLine(stripVTControlCharacters(wordsOf(item).slice(0, REACH)));
  return (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text).toWellFormed();
}

function wordsOf(item: Item): string {
  switch (item.kind) {
    case 'tool_call':
      return typeof item.arguments === 'string' ? item.arguments : JSON.stringify(item.arguments);
    case 'tool_result':
      return item.summary;
    default:
      return itemWords(item);
  }
}

/** Whether an item says something else where it is sent. A note of the system among the conversation is sent under a heading. */
function isChanged(item: Item, sent: Item): boolean {
  if (sent === item) return false;
  const isNote = item.kind === 'message' && item.role === 'system' && sent.kind === 'message';
  return itemWords(isNote ? { ...sent, parts: sent.parts.slice(1) } : sent) !== itemWords(wellFormed(item));
}
