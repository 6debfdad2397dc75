/** Items and histories in a few words, the same each time they are built. */
import type { ImagePart, Item, Json, NewItem, Part } from '../session/items';

/** What the user says; text, or parts such as images. */
export function userMessage(content: string | readonly Part[]): NewItem {
  return { kind: 'message', role: 'user', parts: partsOf(content) };
}

/** What the model says. */
export function assistantMessage(content: string | readonly Part[]): NewItem {
  return { kind: 'message', role: 'assistant', parts: partsOf(content) };
}

/** A call of the model. */
export function toolCall(callId: string, name = 'read_file', args: Json = {}): NewItem {
  return { kind: 'tool_call', callId, name, arguments: args };
}

/** The result of a call: what it gave, and the line or two that stay when that goes. */
export function toolResult(callId: string, content: string | readonly Part[], summary = 'done'): NewItem {
  return { kind: 'tool_result', callId, summary, content: partsOf(content) };
}

/** Readable reasoning; with `opaque`, thinking with its signature in the way of Anthropic. */
export function reasoning(text: string, opaque?: string): NewItem {
  if (opaque === undefined) return { kind: 'reasoning', text };
  return { kind: 'reasoning', text, opaque, provider: { anthropic: { type: 'thinking' } } };
}

/** A picture of one pixel. */
export function imagePart(): ImagePart {
  return {
    type: 'image',
    mediaType: 'image/png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
    width: 1,
    height: 1,
  };
}

/** One call and what came of it. */
export interface Exchange {
  readonly name?: string;
  readonly arguments?: Json;
  readonly content?: string | readonly Part[];
  readonly summary?: string;
  readonly isError?: boolean;
}

/** A reply that makes calls at the same time, and their results in the same order; ids begin with `id`. */
export function parallelCalls(id: string, ...exchanges: readonly Exchange[]): readonly NewItem[] {
  const calls = exchanges.map((one, at) => toolCall(`${id}-${String(at)}`, one.name, one.arguments));
  const results = exchanges.map((one, at) => ({
    ...toolResult(`${id}-${String(at)}`, one.content ?? 'ok', one.summary),
    ...(one.isError === true && { isError: true }),
  }));
  return [...calls, ...results];
}

/** The size of a history, and what its exchanges look like. */
export interface HistoryShape {
  /** User prompts. */
  readonly turns: number;
  /** Replies with a call in each turn, before the one that ends it; 3 by default. */
  readonly requests?: number;
  /** About so many tokens for each result; 200 by default. */
  readonly resultTokens?: number;
}

/** A history as agents make them: each turn a prompt, replies that read files one after another, and a last word. */
export function agentHistory({ turns, requests = 3, resultTokens = 200 }: HistoryShape): readonly NewItem[] {
  const items: NewItem[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    items.push(userMessage(`Task ${turn}: look into part ${turn} and put it right.`));
    for (let request = 1; request <= requests; request++) {
      const path = `src/part-${turn}/file-${request}.ts`;
      items.push(
        assistantMessage(`I read ${path}.`),
        toolCall(`call-${turn}-${request}`, 'read_file', { path }),
        toolResult(`call-${turn}-${request}`, prose(resultTokens, `${turn}.${request}`), `${path}: read`),
      );
    }
    items.push(assistantMessage(`Part ${turn} is in order.`));
  }
  return items;
}

/** Prose of so many tokens, as the stock encodings count plain words; `about` makes it unlike other prose. */
export function prose(tokens: number, about = ''): string {
  const words = Array.from({ length: Math.max(1, tokens) }, () => 'word');
  return about === '' ? words.join(' ') : `${about} ${words.join(' ')}`;
}

/** Items with ids of their own, `i0`, `i1`, …, for what takes items and no session. */
export function withIds(items: readonly NewItem[]): readonly Item[] {
  return items.map((item, at): Item => ({ ...item, id: item.id ?? `i${String(at)}` }));
}

function partsOf(content: string | readonly Part[]): readonly Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
