/**
 * The text form of history (S9.5): pages of items for any reader, model or program:
 *
 * ```
 * #12 user (31 tokens)
 *   Add a parser.
 * #13 call read_file {"path":"src/csv.ts"}
 *   read src/csv.ts:1-200
 * #14 result ok read_file of #13 (2310 tokens)
 *   export function …
 * (#12 to #14 of #0 to #229; go on with from=15)
 * ```
 *
 * A line at the left edge is a header (`#`) or a remark (`(`); everything that comes from the conversation is JSON on its header
 * or stands indented by two blanks, so content cannot pass for either.
 */
import { clipJson, clipText, oneLine } from './clip';
import type { Item, Part, ToolCallItem } from './items';

/** `brief`: messages in a few lines, results as their summary, no reasoning. `full`: all, long texts without their middle. */
export type Detail = 'brief' | 'full';

/** What pages are made of. */
export interface History {
  /** Numbers of the first item that is shown and of the first that is only carried over. */
  readonly from: number;
  readonly to: number;
  /** Number behind the newest item. */
  readonly end: number;
  /** The item with this number, as it is to be shown; undefined where it is left out. */
  item(number: number): Item | undefined;
  /** Number of the call that the result with this number answers. */
  callOf(result: number): number | undefined;
  /** What is said beneath a call, a line each. */
  notes(call: ToolCallItem): readonly string[];
  /** How large an item is, in words: `31 tokens`. */
  size(item: Item): string;
  mask(text: string): string;
}

/** Which part of a history a page shows. */
export interface PageRequest {
  /** Number of the first item. */
  readonly from: number;
  /** Number of items at most. */
  readonly limit: number;
  readonly detail: Detail;
  /** What stands before the first item. */
  readonly opening?: readonly string[];
}

/** How large a page may become. One item is always shown. */
export interface PageRoom {
  readonly most: number;
  /** The size of a text, in the unit of `most`. */
  measure(text: string): number;
}

/** Bytes of an item that is asked for alone. */
const ALONE_BYTES = 12_000;
const ROOM: Readonly<
  Record<Detail, Readonly<Record<'user' | 'said' | 'result' | 'reasoning' | 'args' | 'string', number>>>
> = {
  brief: { user: 600, said: 400, result: 300, reasoning: 0, args: 300, string: 120 },
  full: { user: 6000, said: 4000, result: 1500, reasoning: 600, args: 4000, string: 1000 },
};

/** A page of a history, with where to go on. */
export function historyPage(history: History, request: PageRequest, { most, measure }: PageRoom): string {
  const { limit, detail, opening = [] } = request;
  const first = Math.max(request.from, history.from);
  const lines = [...opening];
  let size = measure(opening.join('\n'));
  let next = first;
  let shown = 0;
  let kept = false;
  for (; next < history.end && shown < limit; next++) {
    const item = history.item(next);
    const text = item && itemText(history, next, item, detail, limit === 1);
    if (text === undefined) continue;
    const more = measure(text);
    if (size + more > most && size > 0) break;
    if (next >= history.to && !kept) lines.push(RETAINED);
    kept = next >= history.to;
    lines.push(text);
    size += more + 1;
    shown++;
  }
  lines.push(closing(history, first, next));
  return lines.join('\n').toWellFormed();
}

/** The remark before the first item of the retained tail. */
const RETAINED = '(from here on: the newest items, carried over as they are)';

function closing({ from, to, end }: History, first: number, next: number): string {
  const all = `#${String(from)} to #${String(to - 1)}${end > to ? `, then kept ones to #${String(end - 1)}` : ''}`;
  const here = next > first ? `#${String(first)} to #${String(next - 1)} of ${all}` : `nothing here; there are ${all}`;
  return next < end ? `(${here}; go on with from=${String(next)})` : `(${here}; this is the end)`;
}

function itemText(history: History, number: number, item: Item, detail: Detail, alone: boolean): string | undefined {
  const room = ROOM[detail];
  const clip = (text: string, bytes: number): string => clipText(text, alone ? ALONE_BYTES : bytes, history.mask);
  switch (item.kind) {
    case 'message':
      return entryText(
        headerOf(history, number, item),
        clip(partsText(item.parts), item.role === 'user' ? room.user : room.said),
      );
    case 'tool_call': {
      const args = clipJson(
        item.arguments,
        alone ? ALONE_BYTES : room.args,
        alone ? ALONE_BYTES : room.string,
        history.mask,
      );
      return entryText(headerOf(history, number, item, args), history.notes(item).join('\n'));
    }
    case 'tool_result': {
      const text = detail === 'full' && item.content !== undefined ? partsText(item.content) : item.summary;
      return entryText(headerOf(history, number, item), clip(text, room.result));
    }
    case 'reasoning':
      if (room.reasoning === 0 || item.text === undefined) return undefined;
      return entryText(headerOf(history, number, item), clip(item.text, room.reasoning));
  }
}

/** The header of an item; a call's with its arguments, where they are given. */
export function headerOf(history: History, number: number, item: Item, args?: string): string {
  const size = (): string => `(${history.size(item)})`;
  switch (item.kind) {
    case 'message':
      return `#${String(number)} ${item.role} ${size()}`;
    case 'tool_call':
      return args === undefined
        ? `#${String(number)} call ${toolName(item.name)}`
        : `#${String(number)} call ${toolName(item.name)} ${args}`;
    case 'tool_result': {
      const callNumber = history.callOf(number);
      const call = callNumber === undefined ? undefined : history.item(callNumber);
      const name = call?.kind === 'tool_call' ? ` ${toolName(call.name)} of #${String(callNumber)}` : '';
      return `#${String(number)} result ${item.isError === true ? 'error' : 'ok'}${name} ${size()}`;
    }
    case 'reasoning':
      return `#${String(number)} reasoning`;
  }
}

/** A header with its text beneath it, indented. */
export function entryText(head: string, text: string): string {
  return text === '' ? head : `${head}\n${indented(text)}`;
}

/** Text whose every line stands behind two blanks; all kinds of line breaks count. */
export function indented(text: string): string {
  return `  ${text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/gu, '\n').replaceAll('\n', '\n  ')}`;
}

function toolName(name: string): string {
  return name.replace(/\s+/gu, '_').slice(0, 80) || 'tool';
}

/** The text of parts; images are placeholders, terminal colours are left out. */
export function partsText(parts: readonly Part[]): string {
  const text = parts
    .map((part) => (part.type === 'text' ? part.text : `[image ${oneLine(part.mediaType)}]`))
    .join('\n');
  return withoutColours(text);
}

const TERMINAL = /\u001b\[[0-9;?]{0,20}[A-Za-z]/g;

/** Text without colours and other commands to a terminal. */
export function withoutColours(text: string): string {
  return text.includes('\u001b[') ? text.replace(TERMINAL, '') : text;
}

/** All that an item says: its text, or its name and arguments. */
export function itemWords(item: Item): string {
  switch (item.kind) {
    case 'message':
      return partsText(item.parts);
    case 'tool_call':
      return `${item.name} ${typeof item.arguments === 'string' ? item.arguments : JSON.stringify(item.arguments)}`;
    case 'tool_result':
      return item.content === undefined ? item.summary : `${item.summary}\n${partsText(item.content)}`;
    case 'reasoning':
      return item.text ?? '';
  }
}
