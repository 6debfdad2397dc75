/**
 * The messages of a host, each item of them linked to the item of the log that holds it. Messages that are the very objects
 * of the last request are known; the others are compared by what they say.
 */
import type { NewItem } from '../session/items';
import { walkable } from '../session/nesting';
import { hasContent } from '../session/well-formed';
import type { HostCodec } from './host-codec';
import { Linking, NEW } from './linking';
import { isOfReply } from './same-item';
import type { ToldLog } from './told-log';

/** Cannot be sent and is not logged: a result without its call, a second one, a call id twice in one reply. */
const SURPLUS = -2;

/** One item of a message of the host. */
export interface Entry {
  /** Position of the message. */
  readonly message: number;
  /** Position of the item in its message, as the codec read it. */
  readonly index: number;
  readonly item: NewItem;
  /** Number of the item in the log, {@link NEW}, or less where it will never be in it. */
  number: number;
  /** The call that a result answers. */
  readonly call?: Entry | undefined;
  /** Whether a call has its result. */
  isAnswered: boolean;
}

export class HostList<M extends object> {
  readonly #codec: HostCodec<M>;
  readonly #read = new WeakMap<M, readonly NewItem[]>();
  #messages: M[] = [];
  /** First entry of each message. */
  #starts: number[] = [];
  #entries: Entry[] = [];
  /** Newest call of an id. */
  #calls = new Map<string, Entry>();
  /** Entries by the number of what they are linked to. */
  #linked: (number | undefined)[] = [];
  /** Linked entries: messages and calls, and results. */
  #spoken = 0;
  #results = 0;
  /** First entry that may not be in the log. */
  #firstNew = 0;
  #head = 0;

  constructor(codec: HostCodec<M>) {
    this.#codec = codec;
  }

  /** How many messages at the head are the host's system prompt. */
  get head(): number {
    return this.#head;
  }

  /** The items of a message that say something; a system prompt is among them. */
  items(message: M): readonly NewItem[] {
    const known = this.#read.get(message);
    if (known !== undefined) return known;
    const items = this.#codec.read(message).map(walkable);
    this.#read.set(message, items);
    return items;
  }

  /** The entries of a message. */
  entriesOf(message: number): readonly Entry[] {
    return this.#entries.slice(this.#starts[message] ?? 0, this.#starts[message + 1] ?? this.#entries.length);
  }

  /** The entry that is linked to an item of the log. */
  entryAt(number: number): Entry | undefined {
    const at = this.#linked[number];
    return at === undefined ? undefined : this.#entries[at];
  }

  /** Whether two neighbouring entries are of one reply. */
  continuesReply(one: Entry, next: Entry): boolean {
    const { wholeReplies = false } = this.#codec;
    return isOfReply(one.item) && isOfReply(next.item) && (!wholeReplies || one.message === next.message);
  }

  /** What the log does not hold yet, in order. */
  fresh(): readonly Entry[] {
    return this.#entries.slice(this.#firstNew).filter(({ number }) => number === NEW);
  }

  /** Forgets everything, so that all is compared anew. */
  reset(): void {
    this.#cutBack(0);
    this.#messages = [];
  }

  /**
   * Links the messages to a log, and returns the number of its first item that the host does not show any more or shows
   * otherwise; undefined where it shows all.
   */
  link(messages: readonly M[], log: ToldLog): number | undefined {
    let at = 0;
    while (at < this.#messages.length && at < messages.length && this.#messages[at] === messages[at]) at++;
    if (at < this.#messages.length) this.#cutBack(at);
    const linking = new Linking(log, this.#spoken, this.#newestReasoning());
    this.#firstNew = this.#entries.length;
    for (const message of messages.slice(at)) this.#add(message, linking);
    return linking.divergence ?? this.#unseen(log);
  }

  /** Takes back the links to all items of the log from this number on. */
  unlink(from: number): void {
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at] as Entry;
      if (entry.number < from) continue;
      this.#linked[entry.number] = undefined;
      entry.number = NEW;
      this.#count(entry, -1);
      this.#firstNew = Math.min(this.#firstNew, at);
    }
  }

  /** Notes which item of the log holds an entry. */
  settle(entry: Entry, number: number): void {
    entry.number = number;
    this.#count(entry, 1);
    let at = this.#starts[entry.message] ?? 0;
    while (this.#entries[at] !== entry) at++;
    this.#linked[number] = at;
  }

  #add(message: M, linking: Linking): void {
    const items = this.items(message);
    const at = this.#messages.push(message) - 1;
    this.#starts.push(this.#entries.length);
    if (at === this.#head && items.length > 0 && items.every(isSystem)) {
      this.#head++;
      return;
    }
    items.forEach((item, index) => {
      const call = item.kind === 'tool_result' ? this.#calls.get(item.callId) : undefined;
      if (hasContent(item)) this.#link({ message: at, index, item, number: NEW, call, isAnswered: false }, linking);
    });
  }

  #link(entry: Entry, linking: Linking): void {
    const { item, call } = entry;
    const at = this.#entries.push(entry) - 1;
    if (item.kind === 'tool_result') {
      if (call === undefined || call.isAnswered) {
        entry.number = SURPLUS;
        return;
      }
      call.isAnswered = true;
      entry.number = linking.result(call.number, item);
    } else if (item.kind === 'tool_call' && this.#isTwiceInReply(item.callId)) {
      entry.number = SURPLUS;
      return;
    } else {
      entry.number = linking.said(item);
      if (item.kind === 'tool_call') this.#calls.set(item.callId, entry);
    }
    if (entry.number < 0) return;
    this.#count(entry, 1);
    this.#linked[entry.number] = at;
  }

  /** Whether the reply of the newest entry has a call of this id already. */
  #isTwiceInReply(callId: string): boolean {
    const earlier = this.#calls.get(callId);
    for (let at = this.#entries.length - 2; earlier !== undefined && at >= 0; at--) {
      const entry = this.#entries[at] as Entry;
      if (!this.continuesReply(entry, this.#entries[at + 1] as Entry)) return false;
      if (entry === earlier) return true;
    }
    return false;
  }

  #count({ item }: Entry, by: 1 | -1): void {
    if (item.kind === 'tool_result') this.#results += by;
    else if (item.kind !== 'reasoning') this.#spoken += by;
  }

  /** Number of the reasoning behind all messages and calls; -1 where there is none. */
  #newestReasoning(): number {
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const { item, number } = this.#entries[at] as Entry;
      if (item.kind === 'reasoning' && number >= 0) return number;
      if (item.kind !== 'reasoning' && item.kind !== 'tool_result') break;
    }
    return -1;
  }

  /** The first item of the log that no message stands for. */
  #unseen(log: ToldLog): number | undefined {
    const spoken = log.spoken[this.#spoken];
    if (this.#results === log.results.size) return spoken;
    let first = spoken;
    for (const number of log.results.values())
      if (this.#linked[number] === undefined && number < (first ?? Infinity)) first = number;
    return first;
  }

  /** Goes back to the first messages. */
  #cutBack(to: number): void {
    const end = this.#starts[to] ?? this.#entries.length;
    this.#messages.length = Math.min(this.#messages.length, to);
    this.#starts.length = Math.min(this.#starts.length, to);
    this.#head = Math.min(this.#head, to);
    const entries = this.#entries.slice(0, end);
    this.#entries = entries;
    this.#calls = new Map();
    this.#linked = [];
    this.#spoken = this.#results = 0;
    entries.forEach((entry, at) => {
      const { item, call } = entry;
      entry.isAnswered = false;
      if (entry.number === SURPLUS) return;
      if (item.kind === 'tool_call') this.#calls.set(item.callId, entry);
      if (call !== undefined) call.isAnswered = true;
      if (entry.number < 0) return;
      this.#count(entry, 1);
      this.#linked[entry.number] = at;
    });
  }
}

function isSystem(item: NewItem): boolean {
  return item.kind === 'message' && item.role === 'system';
}
