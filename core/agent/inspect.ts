/** How the context of a session filled (S12.2): a pure reading of its log, as `pith inspect --json` prints it. */
import { CONTEXT } from '../context/context';
import { LooseEnds } from '../context/integrity';
import type { ContextView } from '../context/view';
import type { Item } from '../session/items';
import type { SessionRecord } from '../session/records';
import type { Session } from '../session/session';
import type { EstimateSource } from '../tokens/occupancy';
import type { Tokenizer } from '../tokens/tokenizer';
import { PastContext } from './past-context';
import { RequestWalk, sentTokens } from './past-requests';
import type { PastRequest } from './past-requests';
import { TurnWalk } from './past-turns';
import type { PastTurn } from './past-turns';
import { TouchedFiles } from './touched-files';
import type { FileNames, InspectedFile, Touch } from './touched-files';

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
  readonly turns: readonly PastTurn[];
  readonly files: readonly InspectedFile[];
  readonly integrity: { readonly orphanResults: number; readonly unansweredCalls: number };
}

/** What an inspection counts and reads with. */
export interface InspectParts {
  readonly tokenizer: Tokenizer;
  /** How the files of the session are named. */
  readonly files: FileNames;
}

/** What a walk through a log finds: requests, turns, files and loose ends, as of the records that it was given. */
export class SessionWalk {
  readonly requests = new RequestWalk();
  readonly turns: TurnWalk;
  readonly files: TouchedFiles;
  readonly looseEnds = new LooseEnds();

  constructor({ tokenizer, files }: InspectParts) {
    this.turns = new TurnWalk((item) => tokenizer.countItems([item]));
    this.files = new TouchedFiles(files);
  }

  /** Takes the next record of the log, and returns which files it shows to have been touched. */
  take(record: SessionRecord): readonly Touch[] {
    this.requests.take(record);
    this.turns.take(record, this.requests.requests.length);
    if (record.t !== 'item') return [];
    this.looseEnds.take(record.item);
    return this.files.take(record.item);
  }
}

/** Inspects a session; costs a walk through its log. The session needs a kernel, for its context. */
export function inspectSession(session: Session, parts: InspectParts): Inspection {
  const walk = new SessionWalk(parts);
  for (const record of session.records()) walk.take(record);
  const { requests } = walk.requests;
  const past = new PastContext(session, parts.tokenizer);
  return {
    tokens: tokensOf(session.get(CONTEXT).view(), parts.tokenizer),
    occupancy: requests.map((request, at) => occupancyAt(at + 1, request, past)),
    turns: walk.turns.turns(),
    files: walk.files.list(),
    integrity: walk.looseEnds.count,
  };
}

/** Tokens of a context, in all and by what they are spent on. Costs what the context is long. */
export function tokensOf(view: ContextView, tokenizer: Tokenizer): Inspection['tokens'] {
  const { tokens, source } = view.occupancy();
  return { total: Math.round(tokens), source, ...composition(view, tokenizer) };
}

/** The size of a request with its 1-based number; `past` is to be asked for requests in their order. */
export function occupancyAt(number: number, request: PastRequest, past: PastContext): Inspection['occupancy'][number] {
  const { tokens, source } = sentTokens(request, past);
  return { request: number, item: request.item, tokens: Math.round(tokens), source };
}

/** How much there is in a session: items, prompts of the user, replies of the model. */
export function countConversation(session: Session): {
  readonly items: number;
  readonly turns: number;
  readonly requests: number;
} {
  const requests = new RequestWalk();
  const turns = new TurnWalk();
  for (const record of session.records()) {
    requests.take(record);
    turns.take(record, requests.requests.length);
  }
  return { items: session.itemCount, turns: turns.length, requests: requests.requests.length };
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

/** What an item is in a context. */
export function kindOf(item: Item): Exclude<ContextKind, 'system' | 'checkpoint'> {
  if (item.kind !== 'message') return item.kind;
  return item.role === 'assistant' ? 'assistant' : 'user';
}

/** Whole tokens, the most first; what takes none is left out. A name such as `__proto__` is a name like any other. */
function inDescendingOrder<K extends string>(tokens: ReadonlyMap<K, number>): Readonly<Record<K, number>> {
  const rounded = [...tokens].map(([key, value]) => [key, Math.round(value)] as const).filter(([, value]) => value > 0);
  return Object.fromEntries(rounded.sort((a, b) => b[1] - a[1])) as Record<K, number>;
}
