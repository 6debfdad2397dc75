/** The history that a desk hands out (S9.5): the part to summarise, then the newest items as they will be carried over. */
import type { FileSource, Item, Json, Session, Tokenizer, Tool, ToolCallItem, ToolResult } from '../../core/index';
import type { Guard } from '../guard/token';
import type { JobSize } from './allowance';
import { touchText, type DeskHistory, type Touch } from './history';
import type { SummaryFormat } from './summary';
import type { SessionTouches, TouchedFile } from './touches';

/** What a desk is opened on. */
export interface DeskOptions {
  readonly compaction: string;
  readonly session: Session;
  /** Numbers of the part to summarise, `to` exclusive. */
  readonly range: { readonly from: number; readonly to: number };
  /** The newest items as they will be carried over. */
  readonly retained: Iterable<Item>;
  readonly previousSummary?: string;
  readonly defaultReferences: readonly string[];
  /** Whether the worker is shown what files hold and what tools were given and put out; true by default. */
  readonly readsFiles?: boolean;
  readonly format: SummaryFormat;
  readonly summaryMaxTokens: number;
  readonly tokenizer: Tokenizer;
  readonly files: FileSource;
  readonly guard?: Pick<Guard, 'neverAutoRead' | 'mask'> | undefined;
  /** How much there is to read; bounds what is handed out in all. */
  readonly size: JobSize;
  /** Runs a tool with the hooks of role `compact-worker` around it. */
  runTool(tool: Tool, args: Json, signal: AbortSignal): Promise<ToolResult>;
}

/** Files of before the part to summarise that are named beside the earlier summary. */
const EARLIER_FILES = 20;
/** Messages of the user of before that are shown there, tokens of one, and items that are looked back at for them. */
const EARLIER_WORDS = { messages: 5, tokens: 200, items: 5000 } as const;

/** The history behind the pages of a desk. Items are rendered when they are asked for. */
export function historyOf(
  { session, range, retained, previousSummary, readsFiles = true, tokenizer }: DeskOptions,
  touches: SessionTouches,
  touched: () => ReadonlyMap<string, TouchedFile>,
  mask: (text: string) => string,
): DeskHistory {
  const kept = new Map<number, Item>();
  for (const item of retained) {
    const number = session.indexOf(item.id);
    if (number !== undefined && number >= range.to) kept.set(number, item);
  }
  const whole = (number: number): Item | undefined => (number < range.to ? session.item(number) : kept.get(number));
  const item = (number: number): Item | undefined => {
    const found = whole(number);
    return found === undefined || readsFiles ? found : withoutContents(found);
  };
  let end = range.to;
  for (const number of kept.keys()) end = Math.max(end, number + 1);
  const open = new Map<string, number>();
  const calls = new Map<number, number>();
  for (let number = range.from; number < end; number++) {
    const entry = item(number);
    if (entry?.kind === 'tool_call') open.set(entry.callId, number);
    const call = entry?.kind === 'tool_result' ? open.get(entry.callId) : undefined;
    if (call !== undefined) calls.set(number, call);
  }
  // Lines that were put into a file are contents of it.
  const shown = ({ anchors = [], ...touch }: Touch): Touch => ({
    ...touch,
    anchors: readsFiles ? anchors.map(mask) : [],
  });
  const touchesOf = (call: ToolCallItem): readonly Touch[] => {
    if (readsFiles) return touches.of(call).map(shown);
    const number = session.indexOf(call.id);
    const found = number === undefined ? undefined : session.item(number);
    return found?.kind === 'tool_call' ? touches.of(found).map(shown) : [];
  };
  return {
    from: range.from,
    to: range.to,
    end,
    item,
    callOf: (result) => calls.get(result),
    notes: (call) => touchesOf(call).map(touchText),
    size: (entry) => `${String(tokenizer.countItem(entry).text)} tokens`,
    mask,
    previousSummary,
    get earlierFiles() {
      const before = [...touched().values()].filter(({ lastItem }) => lastItem < range.from);
      const newest = before.sort((a, b) => b.lastItem - a.lastItem).slice(0, EARLIER_FILES);
      return newest.flatMap((file) => file.newest.map(shown));
    },
    get earlierWords() {
      const found: number[] = [];
      const last = Math.max(0, range.from - EARLIER_WORDS.items);
      for (let number = range.from - 1; number >= last && found.length < EARLIER_WORDS.messages; number--) {
        const entry = session.item(number);
        if (entry.kind !== 'message' || entry.role !== 'user') continue;
        if (tokenizer.countItem(entry).text <= EARLIER_WORDS.tokens) found.unshift(number);
      }
      return found;
    },
  };
}

/** Calls by their name, results by their summary; which files a call touched is told beside it. */
function withoutContents(item: Item): Item {
  if (item.kind === 'tool_call') return { ...item, arguments: {} };
  if (item.kind !== 'tool_result') return item;
  const { content: _content, ...rest } = item;
  return rest;
}
