/** How the context of a session filled (S12.2): a pure reading of its log, as `pith inspect --json` prints it. */
import { CONTEXT } from '../context/context';
import { countLooseEnds } from '../context/integrity';
import type { ContextView } from '../context/view';
import { saysFailed } from '../files/read-output';
import { pathsOfCall } from '../files/tool-paths';
import type { FileSource } from '../files/file-source';
import type { Item, ToolCallItem } from '../session/items';
import type { Session } from '../session/session';
import type { EstimateSource } from '../tokens/occupancy';
import type { Tokenizer } from '../tokens/tokenizer';
import { occupancyOf, pastRequests } from './past-requests';
import type { PastRequest } from './past-requests';

/** What tokens of a context are spent on; `system` is all that stands before checkpoint and conversation. */
export type ContextKind = 'system' | 'checkpoint' | 'user' | 'assistant' | 'reasoning' | 'tool_call' | 'tool_result';

/** Item positions are 0-based; turns and requests 1-based; tokens are whole numbers. */
export interface Inspection {
  readonly tokens: {
    readonly total: number;
    readonly source: EstimateSource;
    readonly byKind: Readonly<Partial<Record<ContextKind, number>>>;
    readonly byTool: Readonly<Record<string, number>>;
  };
  readonly occupancy: readonly {
    readonly request: number;
    readonly item: number;
    readonly tokens: number;
    readonly source: EstimateSource;
  }[];
  readonly turns: readonly {
    readonly turn: number;
    readonly fromItem: number;
    readonly requests: number;
    readonly tokens: number;
  }[];
  readonly files: readonly InspectedFile[];
  readonly integrity: { readonly orphanResults: number; readonly unansweredCalls: number };
}

/** A file that the session touched, and how often. */
export interface InspectedFile {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  readonly lastItem: number;
}

/** What an inspection counts and reads with. */
export interface InspectParts {
  readonly tokenizer: Tokenizer;
  /** How the files of the session are named. */
  readonly files: Pick<FileSource, 'canonical' | 'display'>;
}

/** Inspects a session; costs one walk through its log. The session needs a kernel, for its context. */
export function inspectSession(session: Session, { tokenizer, files }: InspectParts): Inspection {
  const context = session.get(CONTEXT);
  const requests = pastRequests(session);
  const { tokens, source } = context.view().occupancy();
  return {
    tokens: { total: Math.round(tokens), source, ...composition(context.view(), tokenizer) },
    occupancy: occupancyOf(session, requests, tokenizer).map((estimate, at) => ({
      request: at + 1,
      item: requests[at]?.item ?? 0,
      tokens: Math.round(estimate.tokens),
      source: estimate.source,
    })),
    turns: turnsOf(session, openingsOf(session), requests, tokenizer),
    files: touchedFiles(session.items(), files),
    integrity: countLooseEnds(session.items()),
  };
}

/** How much there is in a session: items, prompts of the user, replies of the model. */
export function countConversation(session: Session): {
  readonly items: number;
  readonly turns: number;
  readonly requests: number;
} {
  return { items: session.itemCount, turns: openingsOf(session).length, requests: pastRequests(session).length };
}

function composition(view: ContextView, tokenizer: Tokenizer): Pick<Inspection['tokens'], 'byKind' | 'byTool'> {
  const kinds = new Map<ContextKind, number>();
  const tools = new Map<string, number>();
  const add = <K>(to: Map<K, number>, key: K, tokens: number): void => void to.set(key, (to.get(key) ?? 0) + tokens);
  const blocks = view.system.reduce(
    (sum, part) => sum + (part.kind === 'block' ? tokenizer.countText(part.text) : 0),
    0,
  );
  add(kinds, 'system', Math.max(0, view.prefix(0).tokens - blocks));
  add(kinds, 'checkpoint', blocks);
  const calls = new Map<string, string>();
  let position = 0;
  for (const item of view.items()) {
    const tokens = view.tokens(position, ++position);
    add(kinds, kindOf(item), tokens);
    if (item.kind === 'tool_call') calls.set(item.callId, item.name);
    if (item.kind === 'tool_call' || item.kind === 'tool_result')
      add(tools, calls.get(item.callId) ?? 'unknown', tokens);
  }
  return { byKind: inDescendingOrder(kinds), byTool: inDescendingOrder(tools) };
}

function kindOf(item: Item): ContextKind {
  if (item.kind !== 'message') return item.kind;
  return item.role === 'assistant' ? 'assistant' : 'user';
}

/** Whole tokens, the most first; what takes none is left out. A name such as `__proto__` is a name like any other. */
function inDescendingOrder<K extends string>(tokens: ReadonlyMap<K, number>): Readonly<Record<K, number>> {
  const rounded = [...tokens].map(([key, value]) => [key, Math.round(value)] as const).filter(([, value]) => value > 0);
  return Object.fromEntries(rounded.sort((a, b) => b[1] - a[1])) as Record<K, number>;
}

/** Numbers of the messages that opened turns; by the recorded turns, else every message of the user behind a reply. */
function openingsOf(session: Session): readonly number[] {
  const openings: number[] = [];
  const guesses: number[] = [];
  let number = 0;
  let awaits = false;
  let isRecorded = false;
  let previous: Item | undefined;
  for (const record of session.records()) {
    if (record.t === 'turn') {
      isRecorded = true;
      awaits = record.phase === 'start';
    }
    if (record.t !== 'item') continue;
    const { item } = record;
    if (item.kind === 'message' && item.role === 'user') {
      if (awaits) openings.push(number);
      if (previous?.kind !== 'message' || previous.role !== 'user') guesses.push(number);
      awaits = false;
    }
    previous = item;
    number++;
  }
  return isRecorded ? openings : guesses;
}

function turnsOf(
  session: Session,
  openings: readonly number[],
  requests: readonly PastRequest[],
  tokenizer: Tokenizer,
): Inspection['turns'] {
  let next = requests.findIndex(({ item }) => item >= (openings[0] ?? Infinity));
  return openings.map((fromItem, at) => {
    const end = openings[at + 1] ?? session.itemCount;
    const first = next;
    while ((requests[next]?.item ?? Infinity) < end) next++;
    return {
      turn: at + 1,
      fromItem,
      requests: next - first,
      tokens: Math.round(tokenizer.countItems(session.items(fromItem, end))),
    };
  });
}

/** Files that calls touched, newest first. Calls that failed or were never answered touched nothing. */
function touchedFiles(items: Iterable<Item>, files: InspectParts['files']): readonly InspectedFile[] {
  const touched = new Map<string, { path: string; reads: number; writes: number; lastItem: number }>();
  const open = new Map<string, { readonly call: ToolCallItem; readonly number: number }>();
  let number = 0;
  for (const item of items) {
    if (item.kind === 'tool_call') open.set(item.callId, { call: item, number });
    else if (item.kind === 'tool_result') {
      const asked = open.get(item.callId);
      open.delete(item.callId);
      if (asked !== undefined && !failed(item)) note(asked.call, asked.number);
    }
    number++;
  }
  return [...touched.values()].sort((a, b) => b.lastItem - a.lastItem);

  function note(call: ToolCallItem, lastItem: number): void {
    for (const { path, access } of pathsOfCall(call.name, call.arguments)) {
      const key = files.canonical(path);
      const known = touched.get(key) ?? { path: files.display(path), reads: 0, writes: 0, lastItem };
      touched.set(key, known);
      known.lastItem = lastItem;
      if (access === 'read') known.reads++;
      else known.writes++;
    }
  }
}

function failed(result: Extract<Item, { kind: 'tool_result' }>): boolean {
  if (result.isError === true) return true;
  return (result.content ?? []).some((part) => part.type === 'text' && saysFailed(part.text));
}
