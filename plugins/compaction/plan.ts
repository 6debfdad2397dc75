/**
 * The plan (S9.3): where a compaction cuts, what it carries over and in which state. Pure, no I/O; its cost is in
 * proportion to the tail that is kept.
 */
import type { ContextView, Edit, Item, ItemId, MessageItem, Session } from '../../core/index';
import { trimMiddle, trimResults } from './trim';
import type { TrimTokenizer } from './trim';

/** Tokens above which the message that opened a turn is trimmed when it is carried over the cut. */
export const LEAD_MAX_TOKENS = 2000;

export interface PlanInput {
  readonly context: ContextView;
  /** Tokens of the newest conversation to keep; 0 keeps only what the next request answers. */
  readonly retainedTokens: number;
  /** Entries of the context that the model has seen in a request already. */
  readonly seen: number;
  /** Numbers of the items that opened turns, ascending. */
  readonly openings: readonly number[];
  readonly session: Pick<Session, 'itemCount' | 'item' | 'indexOf'>;
  readonly tokenizer: TrimTokenizer;
}

export interface Plan {
  /** Entries of the context that was planned for; what came later stands behind them. */
  readonly length: number;
  /** Position in the context of the first entry that is kept. */
  readonly cut: number;
  /** Number in the log of the first item that is kept; the count of items where none is. */
  readonly cutItem: number;
  /** The user message that opened the turn in which the cut falls, where it lies before the cut. */
  readonly lead: ItemId | undefined;
  /** Edits that bring lead and tail into the state in which they are kept. */
  readonly edits: readonly Edit[];
  readonly summarised: { readonly items: number; readonly tokens: number };
  readonly retained: { readonly items: number; readonly tokens: number };
  /** Digest of the context up to the cut; a result is applied only while it is the same (S9.10). */
  readonly digest: string;
}

/** What is carried over of the turn in which the cut falls: the message that opened it. */
interface Lead {
  readonly id: ItemId;
  /** Trims it where it is too large to be carried over whole. */
  readonly edits: readonly Edit[];
  /** What it takes of the context before the cut, once trimmed. */
  readonly items: number;
  readonly tokens: number;
}

/** Plans a compaction, or returns undefined where it would summarise nothing (`nothing-to-do`). */
export function planCompaction(input: PlanInput): Plan | undefined {
  const { context } = input;
  const cut = cutPosition(input);
  const cutItem = numberFrom(input, cut);
  const lead = leadOf(input, cutItem);
  const items = cut - (lead?.items ?? 0);
  if (items === 0) return undefined;
  const tailEdits = [...trimTail(input, cut), ...dropBoundReasoning(context, cut)];
  const kept = context.with(tailEdits);
  return {
    length: context.length,
    cut,
    cutItem,
    lead: lead?.id,
    edits: [...(lead?.edits ?? []), ...tailEdits],
    summarised: { items, tokens: context.tokens(0, cut) - (lead?.tokens ?? 0) },
    retained: { items: kept.length - cut, tokens: kept.tokens(cut) },
    digest: context.digestOf(cut),
  };
}

/** Edits for what came behind the cut since the plan was made: reasoning bound to the prefix that goes. */
export function laterEdits(context: ContextView, { cut, edits }: Plan): readonly Edit[] {
  const known = new Set(edits.flatMap((edit) => (edit.edit === 'drop' ? edit.items : [])));
  return dropBoundReasoning(context, cut, known);
}

/** The largest suffix of whole groups within the tokens to retain; the newest group where that alone is larger. */
function cutPosition({ context, retainedTokens }: PlanInput): number {
  const groups = context.groups();
  let cut = context.length;
  for (let index = groups.length - 1; index >= 0; index--) {
    const start = groups[index] ?? 0;
    if (context.tokens(start) > retainedTokens) break;
    cut = start;
  }
  const newest = groups.at(-1);
  if (cut < context.length || newest === undefined) return cut;
  return retainedTokens > 0 || awaitsReply(context.at(context.length - 1)) ? newest : cut;
}

/** Whether the next request answers this entry, so that it cannot be summarised. */
function awaitsReply(newest: Item): boolean {
  return newest.kind === 'tool_result' || (newest.kind === 'message' && newest.role === 'user');
}

/** Number in the log of the first entry from `position` on that is in it; inserted ones are not. */
function numberFrom({ context, session }: PlanInput, position: number): number {
  for (const entry of context.items(position)) {
    const number = session.indexOf(entry.id);
    if (number !== undefined) return number;
  }
  return session.itemCount;
}

/** The lead of a cut, unless the tail begins with it or holds it. */
function leadOf(input: PlanInput, cutItem: number): Lead | undefined {
  const { context, openings, session, tokenizer } = input;
  const number = openings.findLast((opening) => opening <= cutItem);
  if (number === undefined || number === cutItem) return undefined;
  const at = positionOf(input, number);
  const opener = (at === undefined ? session.item(number) : context.at(at)) as MessageItem;
  const edits = trimLead(opener, tokenizer);
  if (at === undefined) return { id: opener.id, edits, items: 0, tokens: 0 };
  // What is left out of a trimmed lead is for the summary to tell, even where nothing else is.
  return { id: opener.id, edits, items: edits.length === 0 ? 1 : 0, tokens: context.with(edits).tokens(at, at + 1) };
}

/** Position of an item of the log that is a group by itself. Groups stand in the order of the log, so it is found by bisection. */
function positionOf(input: PlanInput, number: number): number | undefined {
  const { context, session } = input;
  const starts = context.groups();
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberFrom(input, starts[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return undefined;
  // What edits put before a message stands before it in its group.
  const last = (starts[low] ?? context.length) - 1;
  return session.indexOf(context.at(last).id) === number ? last : undefined;
}

function trimLead({ id, parts }: MessageItem, tokenizer: TrimTokenizer): readonly Edit[] {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const trimmed = trimMiddle(text, LEAD_MAX_TOKENS, tokenizer);
  return trimmed === text ? [] : [{ edit: 'content', item: id, text: trimmed }];
}

/** Where the newest group alone is larger than what is to be kept, its results are cut down until it fits (S9.3). */
function trimTail({ context, retainedTokens, seen, tokenizer }: PlanInput, cut: number): readonly Edit[] {
  if (retainedTokens === 0 || context.tokens(cut) <= retainedTokens) return [];
  return trimResults(context, cut, retainedTokens, seen, tokenizer);
}

/** Signed or encrypted reasoning is bound to the prefix that goes; the rest of its reply stays (S9.9). */
function dropBoundReasoning(
  context: ContextView,
  cut: number,
  known: ReadonlySet<ItemId> = new Set(),
): readonly Edit[] {
  const bound: ItemId[] = [];
  for (const item of context.items(cut))
    if (item.kind === 'reasoning' && item.opaque !== undefined && !known.has(item.id)) bound.push(item.id);
  return bound.length === 0 ? [] : [{ edit: 'drop', items: bound }];
}
