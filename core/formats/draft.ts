/** Turns the messages of a foreign session into the records of a log (S5.1 to S5.3). Every reader writes through it. */
import type { ItemId, Json, MessageItem, NewItem, Part } from '../session/items';
import type { RecordDraft, ToolSchema } from '../session/records';
import { summariseResult } from '../session/result-summary';
import { AnsweredCalls } from './answered-calls';
import { checkUsage } from './foreign-usage';
import type { ForeignUsage } from './foreign-usage';
import type { ImportedSession } from './format';
import { joinText, partsOf } from './parts';
import { argumentsOf, countOf, stringOf, textOf } from './shape';

/** What goes with an item beside its content. */
export interface ItemExtras {
  /** Data of the provider that is handed back as it came. */
  readonly provider?: { readonly [key: string]: Json };
}

interface ResultExtras extends ItemExtras {
  readonly isError?: boolean;
  /** What the tool itself gave as its summary. */
  readonly summary?: string;
  /** The output proper, where the content puts a header before it; the summary is made of this. */
  readonly output?: string;
  /** The tool's name, where the session tells it with the result. */
  readonly tool?: unknown;
  /** Whether the foreign agent has dropped the content from what the model sees. */
  readonly isPruned?: boolean;
}

/** A compaction that the foreign agent made. */
interface ForeignCompaction {
  /** Its summary as the model was given it; empty where the session does not hold it in the clear. */
  readonly summary: string;
  /** 0-based number of the first item that the model still sees. */
  readonly cut: number;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * The records of one session, in the making. Calls come in the order things happened; foreign values may be of any type
 * and are taken as well as they can be. Assistant items in a row form one reply; {@link reply} starts a new one.
 */
export class SessionDraft {
  id: string | undefined;
  root: string | undefined;
  /** Sub-agent records that were left out. */
  sidechains = 0;
  /** Malformed lines or entries that were left out. */
  malformed: number;

  readonly #format: string;
  readonly #records: RecordDraft[] = [];
  readonly #warnings = new Set<string>();
  readonly #tools = new Map<string, string>();
  readonly #answered = new AnsweredCalls();
  #system: string | undefined;
  #schemas: readonly ToolSchema[] | undefined;
  #model: string | undefined;
  #items = 0;
  #replies = 0;
  #reply: string | undefined;
  #turn = 0;
  #turnIsOpen = false;
  #turnHasWork = false;
  #endsWithText = false;
  #compactions = 0;
  readonly #pruned: ItemId[] = [];

  constructor(format: string, malformed = 0) {
    this.#format = format;
    this.malformed = malformed;
  }

  /** Number of items so far, which is the 0-based number of the next one. */
  get items(): number {
    return this.#items;
  }

  /** Says what a person should know, in one sentence; the same sentence is said once. */
  warn(sentence: string): void {
    this.#warnings.add(sentence);
  }

  /** Settings from here on; only what is given and differs changes. */
  settings(change: {
    readonly system?: unknown;
    readonly tools?: readonly ToolSchema[] | undefined;
    readonly model?: unknown;
  }): void {
    const system = stringOf(change.system) ?? this.#system;
    const model = stringOf(change.model) ?? this.#model;
    const tools = change.tools ?? this.#schemas;
    if (system === this.#system && model === this.#model && tools === this.#schemas) return;
    this.#system = system;
    this.#model = model;
    this.#schemas = tools;
    this.#records.push({
      t: 'settings',
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
      ...(model === undefined ? {} : { model }),
    });
  }

  /**
   * A prompt of the user: opens a turn, unless nothing has happened since the last prompt, which makes both one turn.
   * Text that the agent injects as the user is a {@link message}, no prompt.
   */
  prompt(content: unknown, extras?: ItemExtras): void {
    const parts = partsOf(content);
    if (parts.length === 0) return;
    if (!this.#turnIsOpen || this.#turnHasWork) {
      this.#endTurn();
      this.#turn++;
      this.#turnIsOpen = true;
      this.#turnHasWork = false;
      this.#records.push({ t: 'turn', phase: 'start', turn: this.#turn });
    }
    this.message('user', parts, extras);
  }

  /** Starts a reply of the model; its items up to the next result or user message share the id. */
  reply(id?: unknown): void {
    this.#replies++;
    this.#reply = stringOf(id) ?? `reply-${String(this.#replies)}`;
  }

  /** A message without a turn of its own: assistant text, system text, text injected as the user. Empty ones are left out. */
  message(role: MessageItem['role'], content: unknown, extras?: ItemExtras): void {
    const parts = partsOf(content);
    if (parts.length === 0) return;
    if (role === 'assistant') this.#modelItem({ kind: 'message', role, parts, ...extras });
    else this.#otherItem({ kind: 'message', role, parts, ...extras });
    this.#endsWithText = role === 'assistant';
  }

  /** Reasoning of the model, readable or opaque (encrypted, or a signature). */
  reasoning(text: unknown, opaque?: unknown, extras?: ItemExtras): void {
    const readable = joinText(partsOf(text));
    const hidden = stringOf(opaque);
    if (readable === '' && hidden === undefined) return;
    this.#modelItem({
      kind: 'reasoning',
      ...(readable === '' ? {} : { text: readable }),
      ...(hidden === undefined ? {} : { opaque: hidden }),
      ...extras,
    });
  }

  /** A tool call. Arguments that are text are parsed where they are JSON. */
  call(callId: unknown, name: unknown, args: unknown, extras?: ItemExtras): void {
    if (this.#reply === undefined) this.reply();
    const id = this.#answered.call(stringOf(callId) ?? '', this.#reply as string, this.#items);
    const tool = stringOf(name) ?? 'unknown';
    this.#tools.set(id, tool);
    this.#modelItem({ kind: 'tool_call', callId: id, name: tool, arguments: argumentsOf(args), ...extras });
  }

  /** The result of a call; its summary is name, size and first line unless the tool gave one. */
  result(callId: unknown, content: unknown, options: ResultExtras = {}): void {
    const { isError = false, isPruned = false, summary, output, tool, ...extras } = options;
    const id = this.#answered.answered(stringOf(callId) ?? textOf(callId));
    const name = stringOf(tool) ?? this.#tools.get(id) ?? 'tool';
    const parts: readonly Part[] = partsOf(content);
    if (isPruned) this.#pruned.push(`pruned-${String(this.#items)}`);
    this.#otherItem({
      ...(isPruned ? { id: `pruned-${String(this.#items)}` } : {}),
      kind: 'tool_result',
      callId: id,
      summary: summary ?? summariseResult(name, output === undefined ? parts : partsOf(output), isError),
      ...(parts.length === 0 ? {} : { content: parts }),
      ...(isError ? { isError } : {}),
      ...extras,
    });
    this.#turnHasWork = true;
  }

  /** A call that the provider ran itself: its result does not end the reply, and may be for the provider alone. */
  served(callId: unknown, name: unknown, args: unknown, content: unknown): void {
    const id = stringOf(callId) ?? `call-${String(this.#items)}`;
    this.call(id, name, args);
    const reply = this.#reply;
    const tool = stringOf(name) ?? 'unknown';
    this.result(id, content, content === undefined ? { summary: `${tool}, run by the provider` } : {});
    this.#reply = reply;
  }

  /** What the reply before it used; nothing where the figures do not hold. */
  usage(reported: ForeignUsage): void {
    const usage = checkUsage(reported, this.#model);
    if (usage !== undefined) this.#records.push({ t: 'usage', usage });
  }

  /** A compaction of the foreign agent, as the checkpoint from which the model's view goes on. */
  checkpoint(compaction: ForeignCompaction): void {
    this.#compactions++;
    this.#reply = undefined;
    this.#records.push({
      t: 'checkpoint',
      compaction: `${this.#format}-${String(this.#compactions)}`,
      blocks: compaction.summary === '' ? [] : [{ kind: 'summary', text: compaction.summary }],
      cut: compaction.cut,
      edits: [],
      before: countOf(compaction.before) ?? 0,
      after: countOf(compaction.after) ?? 0,
    });
  }

  /** The session. The last turn is closed only where the model had the last word. */
  finish(): ImportedSession {
    if (this.#pruned.length > 0) {
      const edits = this.#pruned.map((item) => ({ edit: 'content' as const, item, text: null }));
      this.#records.push({ t: 'edits', by: this.#format, edits, reason: 'dropped by the agent whose session this is' });
    }
    if (this.#endsWithText) this.#endTurn();
    return {
      format: this.#format,
      ...(this.id === undefined ? {} : { id: this.id }),
      ...(this.root === undefined ? {} : { root: this.root }),
      records: this.#records,
      sidechains: this.sidechains,
      malformed: this.malformed,
      warnings: [...this.#warnings],
    };
  }

  #modelItem(item: NewItem): void {
    if (this.#reply === undefined) this.reply();
    this.#turnHasWork = true;
    this.#push({ ...item, reply: this.#reply as string });
  }

  #otherItem(item: NewItem): void {
    this.#reply = undefined;
    this.#push(item);
  }

  #push(item: NewItem): void {
    this.#items++;
    this.#endsWithText = false;
    this.#records.push({ t: 'item', item });
  }

  #endTurn(): void {
    if (!this.#turnIsOpen) return;
    this.#turnIsOpen = false;
    this.#records.push({ t: 'turn', phase: 'end', turn: this.#turn });
  }
}
