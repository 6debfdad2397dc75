/**
 * The conversation of a context (S5.4): items folded into groups, and the list of what is sent of them. The list is
 * brought up to date only when somebody looks, so that a reply of many calls is not sent anew for each of them.
 */
import type { Item, ItemId, ToolResultItem } from '../session/items';
import type { Edit } from '../session/records';
import { blocksBefore } from './digest';
import { ChangeTable } from './edits';
import { continuesReply, extendGroup, flattenGroup, openGroup } from './groups';
import type { Group } from './groups';

/** The conversation as it was handed out; lists never change below the length they had. */
export interface SharedEntries {
  /** What is sent, in order. */
  readonly entries: readonly Item[];
  /** Start of each group in `entries`; groups of which nothing is sent share the start of the next. */
  readonly starts: readonly number[];
  readonly groups: readonly Group[];
  /** Digests of whole blocks of entries; filled as they are asked for. */
  readonly digests: string[];
}

export class EntryList {
  /** Edits in force. */
  readonly changes = new ChangeTable();
  readonly #groups: Group[] = [];
  readonly #groupOf = new Map<ItemId, number>();
  /** Groups of the calls that have no result yet. */
  readonly #waiting = new Map<string, number>();
  readonly #entries = new SharedList<Item>();
  readonly #starts = new SharedList<number>();
  #digests: string[] = [];
  /** First group that is not sent as it stands now. */
  #dirtyFrom = Infinity;
  #changedFrom = 0;

  get entries(): readonly Item[] {
    this.#flatten();
    return this.#entries.list;
  }

  /** First entry of the newest reply: all before it was the prompt of that reply. */
  get replyStart(): number {
    this.#flatten();
    return this.#starts.list.at(-1) ?? 0;
  }

  /** Number of the group that holds an item. */
  groupOf(id: ItemId): number | undefined {
    return this.#groupOf.get(id);
  }

  /** An item as it is sent; undefined where it is not. Costs what its group is long. */
  sent(id: ItemId): Item | undefined {
    const group = this.#groups[this.#groupOf.get(id) ?? -1];
    return group && flattenGroup(group, this.changes).find((item) => item.id === id);
  }

  /** Hands the conversation out; it may grow and change behind that. */
  share(): SharedEntries {
    this.#flatten();
    return {
      entries: this.#entries.share(),
      starts: this.#starts.share(),
      groups: this.#groups,
      digests: this.#digests,
    };
  }

  /** The first entry that is not what it was at the last call. */
  takeChanged(): number {
    this.#flatten();
    const from = this.#changedFrom;
    this.#changedFrom = this.#entries.list.length;
    return from;
  }

  /** Takes the next item of the log in; what cannot be sent stays out. */
  fold(item: Item): void {
    if (item.kind === 'tool_result') return this.#answer(item);
    const newest = this.#groups.at(-1);
    if (newest === undefined || !continuesReply(newest, item)) this.#groups.push(openGroup(item));
    else if (!extendGroup(newest, item)) return;
    const at = this.#groups.length - 1;
    if (item.kind === 'tool_call') this.#waiting.set(item.callId, at);
    this.#place(item, at);
  }

  /** Puts an edit in force, also on items that come later. */
  edit(edit: Edit): void {
    for (const id of this.changes.add(edit)) this.#touch(this.#groupOf.get(id) ?? Infinity);
  }

  #answer(result: ToolResultItem): void {
    const at = this.#waiting.get(result.callId);
    if (at === undefined) return;
    this.#waiting.delete(result.callId);
    this.#groups[at]?.results.set(result.callId, result);
    this.#place(result, at);
  }

  #place(item: Item, group: number): void {
    this.#groupOf.set(item.id, group);
    this.#touch(group);
  }

  #touch(group: number): void {
    this.#dirtyFrom = Math.min(this.#dirtyFrom, group);
  }

  /** Sends the groups that changed, and those behind them, anew; everything before stays as it is. */
  #flatten(): void {
    const at = this.#dirtyFrom;
    if (at === Infinity) return;
    this.#dirtyFrom = Infinity;
    const start = this.#starts.list[at] ?? this.#entries.list.length;
    const fresh: Item[] = [];
    const starts: number[] = [];
    for (const group of this.#groups.slice(at)) {
      starts.push(start + fresh.length);
      for (const item of flattenGroup(group, this.changes)) fresh.push(item);
    }
    const { list } = this.#entries;
    const changed = this.#entries.replace(start, fresh);
    // Holders of the former list go on to fill its digests.
    if (this.#entries.list !== list) this.#digests = blocksBefore(this.#digests, changed);
    this.#changedFrom = Math.min(this.#changedFrom, changed);
    this.#starts.replace(at, starts);
  }
}

/** A list of which no holder sees an element change: it grows in place and is replaced where it cannot. */
class SharedList<T> {
  #list: T[] = [];
  /** How many elements of the list have been handed out. */
  #shared = 0;

  get list(): readonly T[] {
    return this.#list;
  }

  share(): readonly T[] {
    this.#shared = this.#list.length;
    return this.#list;
  }

  /** Puts elements in the place of all from `start` on, and returns where the list changed. */
  replace(start: number, fresh: readonly T[]): number {
    let same = 0;
    while (same < fresh.length && this.#list[start + same] === fresh[same]) same++;
    const changed = start + same;
    if (changed < this.#shared) {
      this.#list = this.#list.slice(0, changed);
      this.#shared = 0;
    } else {
      this.#list.length = changed;
    }
    for (let index = same; index < fresh.length; index++) this.#list.push(fresh[index] as T);
    return changed;
  }
}
