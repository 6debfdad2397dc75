/**
 * The text form of history (S9.5): what `read_history` and `search_history` hand out. A page is made for any reader,
 * model or program:
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
import type { Item, Part, ToolCallItem } from '../../core/index';
import { oneLine } from './blocks';
import { clipJson, clipText } from './clip';

/** `brief`: messages in a few lines, results as their summary, no reasoning. `full`: all, long texts without their middle. */
export type Detail = 'brief' | 'full';

/** A file that a call touched, by a path that stands in the log. */
export interface Touch {
  readonly path: string;
  readonly access: 'read' | 'write' | 'edit' | 'delete';
  /** 1-based line that a read began at, and number of lines it asked for. */
  readonly offset?: number;
  readonly limit?: number;
  /** Lines that an edit put in, by which its place in the file can be found. */
  readonly anchors?: readonly string[];
}

/** What pages are made of. */
export interface History {
  /** The part to summarise: numbers of its first item and of the first behind it. */
  readonly from: number;
  readonly to: number;
  /** Number behind the newest item; what lies from `to` on is carried over. */
  readonly end: number;
  /** The item with this number as it will be carried over or summarised; undefined where it is left out. */
  item(number: number): Item | undefined;
  /** Number of the call that the result with this number answers. */
  callOf(result: number): number | undefined;
  touches(call: ToolCallItem): readonly Touch[];
  tokens(item: Item): number;
  mask(text: string): string;
  readonly previousSummary: string | undefined;
  /** Files that were touched before the part to summarise, newest first; a few. */
  readonly earlierFiles: readonly Touch[];
  /** Numbers of the newest messages of the user before the part to summarise, ascending; a few short ones. */
  readonly earlierWords: readonly number[];
}

/** UTF-8 bytes of a page; one item is always shown. */
export const PAGE_BYTES = 16_000;
/** Bytes of an item that is asked for alone. */
const ALONE_BYTES = 12_000;
const ROOM: Readonly<
  Record<Detail, Readonly<Record<'user' | 'said' | 'result' | 'reasoning' | 'args' | 'string', number>>>
> = {
  brief: { user: 600, said: 400, result: 300, reasoning: 0, args: 300, string: 120 },
  full: { user: 6000, said: 4000, result: 1500, reasoning: 600, args: 4000, string: 1000 },
};

/** A page from an item on; from -1 on, the page begins with what lies before the part to summarise. */
export function historyPage(history: History, from: number, limit: number, detail: Detail): string {
  const lines: string[] = [];
  let bytes = 0;
  let next = Math.max(from, history.from);
  let shown = 0;
  let kept = false;
  if (from === -1) {
    const earlier = earlierText(history);
    lines.push(...earlier);
    bytes += Buffer.byteLength(earlier.join('\n'));
  }
  for (; next < history.end && shown < limit; next++) {
    const item = history.item(next);
    const text = item && itemText(history, next, item, detail, limit === 1);
    if (text === undefined) continue;
    const size = Buffer.byteLength(text);
    if (bytes + size > PAGE_BYTES && bytes > 0) break;
    if (next >= history.to && !kept) lines.push(RETAINED);
    kept = next >= history.to;
    lines.push(text);
    bytes += size + 1;
    shown++;
  }
  lines.push(closing(history, Math.max(from, history.from), next));
  return lines.join('\n').toWellFormed();
}

/** What lies before the part to summarise: its summary, the files it touched, the last words of the user. */
function earlierText(history: History): readonly string[] {
  const { previousSummary, earlierFiles, earlierWords, mask } = history;
  return [
    ...(previousSummary === undefined ? [] : [body('#-1 summary', clipText(previousSummary, PAGE_BYTES, mask))]),
    ...(earlierFiles.length === 0 ? [] : [body('#-1 files', earlierFiles.map(touchText).join('\n'))]),
    ...earlierWords.flatMap((number) => {
      const item = history.item(number);
      if (item?.kind !== 'message') return [];
      const head = `#${String(number)} earlier user (${String(history.tokens(item))} tokens)`;
      return [body(head, clipText(partsText(item.parts), ROOM.full.user, mask))];
    }),
  ];
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
      return body(
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
      return body(headerOf(history, number, item, args), history.touches(item).map(touchText).join('\n'));
    }
    case 'tool_result': {
      const text = detail === 'full' && item.content !== undefined ? partsText(item.content) : item.summary;
      return body(headerOf(history, number, item), clip(text, room.result));
    }
    case 'reasoning':
      if (room.reasoning === 0 || item.text === undefined) return undefined;
      return body(headerOf(history, number, item), clip(item.text, room.reasoning));
  }
}

/** The header of an item; a call's with its arguments, where they are given. */
export function headerOf(history: History, number: number, item: Item, args?: string): string {
  const size = (): string => `(${String(history.tokens(item))} tokens)`;
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

function body(head: string, text: string): string {
  return text === '' ? head : `${head}\n${indented(text)}`;
}

/** Text whose every line stands behind two blanks; all kinds of line breaks count. */
export function indented(text: string): string {
  return `  ${text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/gu, '\n').replaceAll('\n', '\n  ')}`;
}

/** `read src/a.ts:10-60`, `edit src/a.ts ["a line that it put in"]`. */
function touchText({ path, access, offset, limit, anchors }: Touch): string {
  const last = limit === undefined ? '' : String((offset ?? 1) + limit - 1);
  const lines = offset === undefined && limit === undefined ? '' : `:${String(offset ?? 1)}-${last}`;
  return `${access} ${oneLine(path)}${lines}${anchors === undefined || anchors.length === 0 ? '' : ` ${JSON.stringify(anchors)}`}`;
}

function toolName(name: string): string {
  return name.replace(/\s+/gu, '_').slice(0, 80) || 'tool';
}

const TERMINAL = /\u001b\[[0-9;?]{0,20}[A-Za-z]/g;

/** The text of parts; images are placeholders, terminal colours are left out. */
export function partsText(parts: readonly Part[]): string {
  const text = parts
    .map((part) => (part.type === 'text' ? part.text : `[image ${oneLine(part.mediaType)}]`))
    .join('\n');
  return withoutColours(text);
}

/** Text without colours and other commands to a terminal. */
export function withoutColours(text: string): string {
  return text.includes('\u001b[') ? text.replace(TERMINAL, '') : text;
}
