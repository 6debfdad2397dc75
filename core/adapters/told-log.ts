/**
 * What of a log the host has told: its side of the session. Everything else in the log is Pith's own (what plugins appended),
 * which the host does not know of. Each look costs what is new in the log.
 */
import type { Item, Json, NewItem } from '../session/items';
import type { Position, SessionRecord } from '../session/records';
import type { Session } from '../session/session';
import { hasContent } from '../session/well-formed';
import { digestOf, isOfReply, isSame } from './same-item';

/** Under which a log says what it has to say for an adapter. */
export const HOST_NAMESPACE = 'host';

/** Who asked for the edits by which a context is what the host sends. */
export const BY_HOST = 'host';

export class ToldLog {
  readonly session: Session;
  /** Numbers of the messages and calls that the host told, ascending. */
  readonly spoken: number[] = [];
  /** Numbers of its reasoning, ascending. */
  readonly reasoning: number[] = [];
  /** Numbers of its results, by the number of the call. */
  readonly results = new Map<number, number>();
  /** Ids of reasoning that the host does not send. */
  readonly unsent = new Set<string>();
  /** Newest call by its id. */
  readonly #calls = new Map<string, number>();
  /** What the host told where plugins had something else logged, by the number of that. */
  readonly #revised = new Map<number, string>();
  #next: Position = 0;

  constructor(session: Session) {
    this.session = session;
  }

  /** Takes in what is new in the log. */
  catchUp(): void {
    for (const record of this.session.records(this.#next)) this.#take(record);
  }

  /** Whether the item with this number stands for what the host says. */
  holds(number: number, item: NewItem): boolean {
    const digest = this.#revised.get(number);
    return digest === undefined ? isSame(this.session.item(number), item) : digest === digestOf(item);
  }

  /** Whether something else than what the host told stands in the log, which is what is sent. */
  isRevised(number: number): boolean {
    return this.#revised.has(number);
  }

  /** Says in the log what the host told where the item with this number says something else. */
  note(number: number, told: NewItem): void {
    const logged = this.session.item(number);
    if (logged.by === undefined && isSame(logged, told)) return;
    this.session.record({ t: 'state', namespace: HOST_NAMESPACE, value: { [logged.id]: digestOf(told) } });
  }

  /** Whether the reply that the host told last leaves nothing to be done: the next prompt opens a turn. */
  get hasFinished(): boolean {
    const last = Math.max(this.spoken.at(-1) ?? -1, this.reasoning.at(-1) ?? -1);
    if (last < 0 || !isOfReply(this.session.item(last))) return false;
    const { reply } = this.session.item(last);
    for (let at = last; at >= 0; at--) {
      const said = this.session.item(at);
      if (said.reply !== reply || !isOfReply(said)) break;
      if (said.kind === 'tool_call') return false;
    }
    return true;
  }

  /** Number of the first item of the reply that holds this one. */
  replyStart(number: number): number {
    const { reply } = this.session.item(number);
    let start = number;
    while (reply !== undefined && start > 0 && this.session.item(start - 1).reply === reply) start--;
    return start;
  }

  #take(record: SessionRecord): void {
    this.#next = record.seq + 1;
    if (record.t === 'item' && record.item.by === undefined) this.#told(record.item);
    else if (record.t === 'state' && record.namespace === HOST_NAMESPACE) this.#noted(record.value);
    else if (record.t === 'edits' && record.by === BY_HOST)
      for (const edit of record.edits) if (edit.edit === 'drop') for (const id of edit.items) this.unsent.add(id);
  }

  #noted(value: Json): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [id, digest] of Object.entries(value)) {
      const number = this.session.indexOf(id);
      if (number === undefined || typeof digest !== 'string') continue;
      const item = this.session.item(number);
      if (item.by !== undefined && !this.#revised.has(number)) this.#told(item);
      this.#revised.set(number, digest);
    }
  }

  #told(item: Item): void {
    const number = this.session.indexOf(item.id);
    if (number === undefined || !hasContent(item)) return;
    if (item.kind === 'reasoning') this.reasoning.push(number);
    else if (item.kind === 'tool_result') {
      const call = this.#calls.get(item.callId);
      if (call !== undefined && !this.results.has(call)) this.results.set(call, number);
    } else {
      this.spoken.push(number);
      if (item.kind === 'tool_call') this.#calls.set(item.callId, number);
    }
  }
}
