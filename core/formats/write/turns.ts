/**
 * A context as the turns that every written shape is made of: what the user says, and what the model says with the results
 * of its calls. What no provider takes is settled here once: ids and names, ill-formed text, empty messages, who begins.
 */
import type { ContextView } from '../../context/view';
import type { Item, Json, MessageItem, Part, ReasoningItem, ToolResultItem } from '../../session/items';
import { wellFormed } from '../../session/well-formed';
import { isFields } from '../shape';

interface UserTurn {
  readonly from: 'user';
  readonly parts: readonly Part[];
  /** Number of items of the context up to the last one that it holds. */
  readonly end: number;
}

/** A reply with its results; a reply of which nothing may be written has results alone. */
export interface ReplyTurn {
  readonly from: 'assistant';
  readonly said: readonly Said[];
  readonly results: readonly WrittenResult[];
  readonly end: number;
}

export type WrittenTurn = UserTurn | ReplyTurn;

export type Said =
  | { readonly kind: 'message'; readonly parts: readonly Part[]; readonly item: MessageItem }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
      readonly provider: Item['provider'];
    }
  | { readonly kind: 'reasoning'; readonly item: ReasoningItem };

export interface WrittenResult {
  /** Id of the call as it is written, and the tool it was made to. */
  readonly id: string;
  readonly name: string;
  /** Content if present, else the summary (S5.1); never blank. */
  readonly parts: readonly Part[];
  readonly isError: boolean;
}

export interface JsonObject {
  readonly [key: string]: Json;
}

/** What stands for the user where a conversation does not begin with one (S9.9). */
const CONTINUES = '[Conversation continues]';

/** System content in the order it is sent, without what is blank. */
export function systemTexts(context: Pick<ContextView, 'system'>): readonly string[] {
  return context.system.map((part) => part.text.toWellFormed()).filter((text) => text.trim() !== '');
}

/** The conversation in turns. The first is the user's, unless there is none at all. */
export function turnsOf(context: Pick<ContextView, 'items'>): readonly WrittenTurn[] {
  const turns = turnsIn(context.items());
  const begins = turns[0]?.from === 'assistant';
  return begins ? [{ from: 'user', parts: [{ type: 'text', text: CONTINUES }], end: 0 }, ...turns] : turns;
}

/** Turns of a piece of a conversation, which may begin with a reply. */
export function turnsIn(items: Iterable<Item>): readonly WrittenTurn[] {
  const builder = new TurnBuilder();
  for (const item of items) builder.add(wellFormed(item));
  return builder.end();
}

interface OpenReply {
  readonly reply: string | undefined;
  readonly said: Said[];
  readonly results: WrittenResult[];
  readonly calls: Map<string, { readonly id: string; readonly name: string }>;
}

class TurnBuilder {
  readonly #turns: WrittenTurn[] = [];
  readonly #ids = new CallIds();
  #open: OpenReply | undefined;
  #items = 0;

  add(item: Item): void {
    this.#put(item);
    this.#items++;
  }

  #put(item: Item): void {
    if (item.kind === 'tool_result') return this.#addResult(item);
    if (item.kind === 'message' && item.role !== 'assistant') {
      this.#close();
      const parts = visible(item.parts);
      if (parts.length > 0) this.#turns.push({ from: 'user', parts, end: this.#items + 1 });
      return;
    }
    const open = this.#replyFor(item);
    if (item.kind === 'message') open.said.push({ kind: 'message', parts: visible(item.parts), item });
    else if (item.kind === 'reasoning') open.said.push({ kind: 'reasoning', item });
    else {
      const call = { id: this.#ids.next(item.callId), name: toolName(item.name) };
      open.calls.set(item.callId, call);
      open.said.push({ kind: 'call', ...call, input: inputOf(item.arguments), provider: item.provider });
    }
  }

  end(): readonly WrittenTurn[] {
    this.#close();
    return this.#turns;
  }

  /** A reply goes on as long as its id does; without ids, up to the first result (S5.1). */
  #replyFor(item: Item): OpenReply {
    const open = this.#open;
    const named = item.reply !== undefined || open?.reply !== undefined;
    if (open !== undefined && (named ? item.reply === open.reply : open.results.length === 0)) return open;
    this.#close();
    return (this.#open = { reply: item.reply, said: [], results: [], calls: new Map() });
  }

  #addResult(item: ToolResultItem): void {
    this.#open ??= { reply: undefined, said: [], results: [], calls: new Map() };
    const call = this.#open.calls.get(item.callId) ?? { id: this.#ids.next(item.callId), name: 'unknown' };
    const content = visible(item.content ?? []);
    const parts: readonly Part[] = content.length > 0 ? content : [{ type: 'text', text: item.summary }];
    this.#open.results.push({ ...call, parts, isError: item.isError === true });
  }

  /** A reply that is reasoning alone is refused everywhere, so it goes with what it belonged to. */
  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const speaks = open.said.some((one) => one.kind === 'call' || (one.kind === 'message' && one.parts.length > 0));
    const said = speaks ? open.said : [];
    if (said.length > 0 || open.results.length > 0)
      this.#turns.push({ from: 'assistant', said, results: open.results, end: this.#items });
  }
}

/** Ids that every provider takes (letters, digits, `_`, `-`, at most 40), each for one call only. Good ones stay. */
class CallIds {
  readonly #taken = new Map<string, number>();

  next(callId: string): string {
    const base = callId.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 40) || 'call';
    let count = this.#taken.get(base) ?? 0;
    let id = base;
    while (this.#taken.has(id)) id = `${base.slice(0, 32)}_${String(++count)}`;
    this.#taken.set(base, count);
    this.#taken.set(id, this.#taken.get(id) ?? 0);
    return id;
  }
}

/** A name that every provider takes: letters, digits, `_`, `-`, at most 64. Good ones stay. */
export function toolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

/** Providers take objects only; what is none is wrapped. */
function inputOf(args: Json): JsonObject {
  return isFields(args) ? (args as JsonObject) : { input: args };
}

/** Without blank texts, which no provider takes as a block of their own. */
function visible(parts: readonly Part[]): readonly Part[] {
  const blank = (part: Part): boolean => part.type === 'text' && part.text.trim() === '';
  return parts.some(blank) ? parts.filter((part) => !blank(part)) : parts;
}
