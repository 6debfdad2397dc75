/**
 * The projection (S5.4): folds the records of a log, one by one, into what a request sends. A pure function of the log:
 * the same records give the same context, whether folded as they came or all at once.
 */
import type { Item, ItemId, MessageItem } from '../session/items';
import type { Checkpoint, Edit, Position, SessionRecord, ToolSchema } from '../session/records';
import { hasContent } from '../session/well-formed';
import { EntryList } from './entry-list';
import type { SharedEntries } from './entry-list';
import type { ChangeTable } from './edits';
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
  /** Pinned content by its key, or else by its text. */
  readonly #pins = new Map<string, SystemPart>();
  readonly #checkpoints: PlacedCheckpoint[] = [];
  /** All edits in force, in the order of the log. */
  #kept: KeptEdit[] = [];
  readonly #openings: number[] = [];
  #turnsRecorded = false;
  #awaitsOpening = false;
  /** How many items the log begins with that are system content. */
  #leading = 0;
  /** How many items of the log have been folded in; it may hold more. */
  #taken = 0;
  /** From the newest checkpoint on. */
  #list = new EntryList();
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
    return this.#list.changes;
  }

  /** Numbers of the items that opened the turns, ascending. */
  get openings(): readonly number[] {
    return this.#openings;
  }

  /** Pinned content in the order it came. A text stands once, however often it is pinned, and not where it is the prompt. */
  get pins(): readonly SystemPart[] {
    const sent = new Set([this.#settings.system]);
    return [...this.#pins.values()].filter(({ text }) => !sent.has(text) && sent.add(text));
  }

  /** Prompt, pins and blocks in the order they are sent. */
  get system(): readonly SystemPart[] {
    const { system } = this.#settings;
    const blocks = this.checkpoint?.blocks ?? [];
    return [
      ...(system === undefined || system === '' ? [] : [{ kind: 'prompt' as const, text: system }]),
      ...this.pins,
      ...blocks.map((block) => ({ kind: 'block' as const, text: block.text, block })),
    ];
  }

  /** Hands the conversation out; it may grow and change behind that. */
  share(): SharedEntries {
    return this.#list.share();
  }

  get entries(): readonly Item[] {
    return this.#list.entries;
  }

  /** Number of the group that holds an item of the context. */
  groupOf(id: ItemId): number | undefined {
    return this.#list.groupOf(id);
  }

  /** An item as the conversation sends it; undefined where it does not. */
  sent(id: ItemId): Item | undefined {
    return this.#list.sent(id);
  }

  /** First entry of the newest reply: all before it was the prompt of that reply. */
  get replyStart(): number {
    return this.#list.replyStart;
  }

  /** What changed since the last call: the first entry that is not what it was, whether a checkpoint came or went, and whether system content did. */
  takeChanges(): { readonly from: number; readonly rebuilt: boolean; readonly fixed: boolean } {
    const changes = { from: this.#list.takeChanged(), rebuilt: this.#rebuilt, fixed: this.#fixedChanged };
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
    other.#leading = this.#leading;
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
        if (record.text !== undefined) this.#addPin(record.text, record.key);
        return record.item === undefined ? undefined : this.#pinItem(record.item);
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
      // All else bears on other things than the context.
    }
  }

  #takeItem(item: Item): void {
    const number = this.#taken++;
    if (number === this.#leading && item.kind === 'message' && item.role === 'system') {
      this.#leading++;
      return this.#addPin(textOf(item));
    }
    if (item.kind === 'message' && item.role === 'user' && hasContent(item)) this.#noteOpening(number);
    this.#list.fold(item);
  }

  #noteOpening(number: number): void {
    if (this.#turnsRecorded && !this.#awaitsOpening) return;
    this.#awaitsOpening = false;
    this.#openings.push(number);
  }

  #pinItem(id: ItemId): void {
    const number = this.#log.indexOf(id);
    const item = number === undefined ? undefined : this.#log.item(number);
    if (item?.kind !== 'message') return;
    this.#addPin(textOf(item));
    this.#keep([{ edit: 'drop', items: [id] }]);
  }

  #addPin(given: string, key?: string): void {
    const text = given.toWellFormed();
    const name = key === undefined ? `text ${text}` : `key ${key}`;
    if (text.trim() === '') this.#pins.delete(name);
    else this.#pins.set(name, { kind: 'pin', text, ...(key !== undefined && { key }) });
    this.#fixedChanged = true;
  }

  #keep(edits: readonly Edit[]): void {
    for (const edit of edits) {
      this.#kept.push({ edit });
      this.#list.edit(edit);
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
    const list = new EntryList();
    const { cut = 0, lead: leadId } = this.checkpoint ?? {};
    for (const { edit } of this.#kept) list.edit(edit);
    const lead = leadId === undefined ? undefined : this.#log.indexOf(leadId);
    if (lead !== undefined && lead < cut) list.fold(this.#log.item(lead));
    for (let number = Math.max(cut, this.#leading); number < this.#taken; number++) {
      list.fold(this.#log.item(number));
    }
    this.#list = list;
    this.#rebuilt = true;
  }
}

function textOf(message: MessageItem): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}
