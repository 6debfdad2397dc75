/**
 * The projection (S5.4): folds the records of a log, one by one, into what a request sends. A pure function of the log:
 * the same records give the same context, whether folded as they came or all at once.
 */
import type { Item, ItemId } from '../session/items';
import type { Checkpoint, Edit, Position, SessionRecord, ToolSchema } from '../session/records';
import { hasContent } from '../session/well-formed';
import { blocksBefore } from './digest';
import { ChangeTable } from './edits';
import { answerGroup, continuesReply, extendGroup, flattenGroup, openGroup } from './groups';
import type { Group } from './groups';
import type { SystemPart } from './view';

/** The items of a log by number and id. */
export interface ItemLog {
  item(index: number): Item;
  indexOf(id: ItemId): number | undefined;
}

/** A checkpoint in force, with the place of its record. */
export interface PlacedCheckpoint extends Checkpoint {
  readonly seq: Position;
}

/** An edit that stays in force; one of a checkpoint goes when that is undone. */
interface KeptEdit {
  readonly edit: Edit;
  readonly checkpoint?: Position;
}

export class Projection {
  readonly #log: ItemLog;
  #settings: { system?: string; tools: readonly ToolSchema[]; model?: string } = { tools: [] };
  /** Pinned content by its text: it stands once, however often it is pinned. */
  readonly #pins = new Map<string, SystemPart>();
  readonly #checkpoints: PlacedCheckpoint[] = [];
  /** All edits in force, in the order of the log. */
  #kept: KeptEdit[] = [];
  readonly #openings: number[] = [];
  #turnsRecorded = false;
  #awaitsOpening = false;
  /** Number of the first item that is not leading system content. */
  #firstSpoken: number | undefined;
  /** How many items of the log have been folded in; it may hold more. */
  #taken = 0;
  #table = new ChangeTable();
  #groups: Group[] = [];
  #groupOf = new Map<ItemId, number>();
  #waiting = new Map<string, number>();
  #entries: Item[] = [];
  /** Digests of whole blocks of entries that were handed out, as far as they are known. */
  #digests: string[] = [];
  #starts: number[] = [];
  #shared = 0;
  #sharedStarts = 0;
  /** First group that is not sent as it stands now. */
  #dirtyFrom = Infinity;
  #changedFrom = 0;
  #rebuilt = false;
  #fixedChanged = false;

  constructor(log: ItemLog) {
    this.#log = log;
  }

  get settings(): { readonly system?: string; readonly tools: readonly ToolSchema[]; readonly model?: string } {
    return this.#settings;
  }

  get checkpoint(): PlacedCheckpoint | undefined {
    return this.#checkpoints.at(-1);
  }

  /** Edits in force on the conversation. */
  get changes(): ChangeTable {
    return this.#table;
  }

  /** Numbers of the items that opened the turns, ascending. */
  get openings(): readonly number[] {
    return this.#openings;
  }

  /** Prompt, pins and blocks in the order they are sent. */
  get system(): readonly SystemPart[] {
    const { system } = this.#settings;
    const blocks = this.checkpoint?.blocks ?? [];
    return [
      ...(system === undefined || system === '' ? [] : [{ kind: 'prompt' as const, text: system }]),
      ...[...this.#pins.values()].filter((pin) => pin.text !== system),
      ...blocks.map((block) => ({ kind: 'block' as const, text: block.text, block })),
    ];
  }

  /** The conversation. Positions below what was handed out never change under the holder: the list is replaced instead. */
  share(): {
    readonly entries: readonly Item[];
    readonly starts: readonly number[];
    readonly groups: readonly Group[];
    readonly digests: string[];
  } {
    this.#flatten();
    this.#shared = this.#entries.length;
    this.#sharedStarts = this.#starts.length;
    return { entries: this.#entries, starts: this.#starts, groups: this.#groups, digests: this.#digests };
  }

  get length(): number {
    return this.entries.length;
  }

  get entries(): readonly Item[] {
    this.#flatten();
    return this.#entries;
  }

  /** Number of the group that holds an item of the context. */
  groupOf(id: ItemId): number | undefined {
    return this.#groupOf.get(id);
  }

  /** First entry of the newest reply: all before it was the prompt of that reply. */
  get replyStart(): number {
    this.#flatten();
    return this.#starts.at(-1) ?? 0;
  }

  /** What changed since the last call: the first entry that is not what it was, whether a checkpoint came or went, and whether system content did. */
  takeChanges(): { readonly from: number; readonly rebuilt: boolean; readonly fixed: boolean } {
    this.#flatten();
    const changes = { from: this.#changedFrom, rebuilt: this.#rebuilt, fixed: this.#fixedChanged };
    this.#changedFrom = this.#entries.length;
    this.#rebuilt = false;
    this.#fixedChanged = false;
    return changes;
  }

  /** The projection with a checkpoint that is not in the log; this one stays as it is. Costs what the tail costs. */
  foresee(checkpoint: Checkpoint): Projection {
    const other = new Projection(this.#log);
    other.#settings = this.#settings;
    for (const [text, pin] of this.#pins) other.#pins.set(text, pin);
    other.#kept.push(...this.#kept);
    other.#firstSpoken = this.#firstSpoken;
    other.#taken = this.#taken;
    other.#enter({ ...checkpoint, seq: -1 });
    return other;
  }

  apply(record: SessionRecord): void {
    switch (record.t) {
      case 'item':
        return this.#takeItem(record.item);
      case 'settings': {
        this.#fixedChanged = true;
        const { system, tools, model } = record;
        this.#settings = {
          ...this.#settings,
          ...(system !== undefined && { system }),
          ...(tools && { tools }),
          ...(model !== undefined && { model }),
        };
        return;
      }
      case 'pin':
        return this.#pin(record.item, record.text);
      case 'turn':
        this.#turnsRecorded = true;
        this.#awaitsOpening = record.phase === 'start';
        return;
      case 'edits':
        return this.#keep(record.edits);
      case 'checkpoint':
        return this.#enter(record);
      case 'undo': {
        const undone = this.#checkpoints.findIndex((checkpoint) => checkpoint.seq === record.checkpoint);
        if (undone === -1) return;
        this.#checkpoints.length = undone;
        this.#kept = this.#kept.filter(({ checkpoint = -1 }) => checkpoint < record.checkpoint);
        return this.#restart();
      }
      default:
        return;
    }
  }

  #takeItem(item: Item): void {
    this.#taken++;
    if (item.kind === 'message' && item.role === 'system' && this.#firstSpoken === undefined) {
      this.#addPin(textOf(item));
      return;
    }
    this.#firstSpoken ??= this.#taken - 1;
    if (item.kind === 'message' && item.role === 'user' && hasContent(item)) this.#noteOpening(item);
    this.#fold(item);
  }

  #noteOpening(item: Item): void {
    if (this.#turnsRecorded && !this.#awaitsOpening) return;
    this.#awaitsOpening = false;
    const number = this.#log.indexOf(item.id);
    if (number !== undefined) this.#openings.push(number);
  }

  #fold(item: Item): void {
    if (item.kind === 'tool_result') {
      const at = this.#waiting.get(item.callId);
      const group = at === undefined ? undefined : this.#groups[at];
      if (at === undefined || group === undefined || !answerGroup(group, item)) return;
      this.#waiting.delete(item.callId);
      this.#groupOf.set(item.id, at);
      return this.#touch(at);
    }
    let at = this.#groups.length - 1;
    const newest = this.#groups[at];
    if (newest !== undefined && continuesReply(newest, item)) {
      if (!extendGroup(newest, item)) return;
    } else {
      this.#groups.push(openGroup(item));
      at++;
    }
    this.#groupOf.set(item.id, at);
    if (item.kind === 'tool_call') this.#waiting.set(item.callId, at);
    this.#touch(at);
  }

  #touch(group: number): void {
    this.#dirtyFrom = Math.min(this.#dirtyFrom, group);
  }

  /** Sends the groups that changed, and those behind them, anew; everything before stays as it is. Only when somebody looks, so that a reply of many calls is not sent anew for each of them. */
  #flatten(): void {
    const at = this.#dirtyFrom;
    if (at >= this.#groups.length) return;
    this.#dirtyFrom = Infinity;
    const start = at < this.#starts.length ? (this.#starts[at] ?? 0) : this.#entries.length;
    const fresh: Item[] = [];
    const starts: number[] = [];
    for (let index = at; index < this.#groups.length; index++) {
      const group = this.#groups[index];
      starts.push(start + fresh.length);
      if (group !== undefined) for (const item of flattenGroup(group, this.#table)) fresh.push(item);
    }
    let same = 0;
    while (start + same < this.#entries.length && same < fresh.length && this.#entries[start + same] === fresh[same])
      same++;
    const changed = start + same;
    if (changed < this.#entries.length) {
      this.#changedFrom = Math.min(this.#changedFrom, changed);
      if (changed < this.#shared) {
        this.#entries = this.#entries.slice(0, changed);
        this.#digests = blocksBefore(this.#digests, changed);
        this.#shared = 0;
      } else {
        this.#entries.length = changed;
      }
    }
    for (let index = same; index < fresh.length; index++) this.#entries.push(fresh[index] as Item);
    this.#placeStarts(at, starts);
  }

  /** Starts that were handed out never change under the holder either. */
  #placeStarts(at: number, starts: readonly number[]): void {
    for (const [offset, start] of starts.entries()) {
      const index = at + offset;
      if (this.#starts[index] === start) continue;
      if (index < this.#sharedStarts) {
        this.#starts = this.#starts.slice(0, index);
        this.#sharedStarts = 0;
      }
      this.#starts[index] = start;
    }
  }

  #pin(id: ItemId | undefined, text: string | undefined): void {
    if (text !== undefined) this.#addPin(text);
    if (id === undefined) return;
    const number = this.#log.indexOf(id);
    const item = number === undefined ? undefined : this.#log.item(number);
    if (item?.kind !== 'message') return;
    this.#addPin(textOf(item));
    this.#keep([{ edit: 'drop', items: [id] }]);
  }

  #addPin(given: string): void {
    const text = given.toWellFormed();
    if (text.trim() === '' || this.#pins.has(text)) return;
    this.#pins.set(text, { kind: 'pin', text });
    this.#fixedChanged = true;
  }

  #keep(edits: readonly Edit[]): void {
    for (const edit of edits) {
      this.#kept.push({ edit });
      for (const id of this.#table.add(edit)) this.#touch(this.#groupOf.get(id) ?? Infinity);
    }
  }

  /** Puts a checkpoint in force. Edits of earlier ones stay, since what they cut down may be carried over once more. */
  #enter(checkpoint: PlacedCheckpoint): void {
    this.#checkpoints.push(checkpoint);
    for (const edit of checkpoint.edits) this.#kept.push({ edit, checkpoint: checkpoint.seq });
    this.#restart();
  }

  /** Folds the conversation anew from the newest checkpoint on. */
  #restart(): void {
    const checkpoint = this.checkpoint;
    this.#groups = [];
    this.#groupOf = new Map();
    this.#waiting = new Map();
    this.#entries = [];
    this.#digests = [];
    this.#starts = [];
    this.#shared = 0;
    this.#sharedStarts = 0;
    this.#dirtyFrom = Infinity;
    this.#changedFrom = 0;
    this.#rebuilt = true;
    this.#table = new ChangeTable();
    for (const { edit } of this.#kept) this.#table.add(edit);
    const lead = checkpoint?.lead === undefined ? undefined : this.#log.indexOf(checkpoint.lead);
    if (lead !== undefined && lead < (checkpoint?.cut ?? 0)) this.#fold(this.#log.item(lead));
    for (let number = Math.max(checkpoint?.cut ?? 0, this.#firstSpoken ?? Infinity); number < this.#taken; number++) {
      this.#fold(this.#log.item(number));
    }
  }
}

function textOf(item: Item): string {
  if (item.kind !== 'message') return '';
  return item.parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}
