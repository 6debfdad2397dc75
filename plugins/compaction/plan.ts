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

/** Plans a compaction, or returns undefined where it would summarise nothing (`nothing-to-do`). */
export function planCompaction(input: PlanInput): Plan | undefined {
  const { context } = input;
  const cut = cutPosition(input);
  const cutItem = numberFrom(input, cut);
  const lead = leadOf(input, cutItem);
  const leadAt = lead === undefined ? undefined : positionBefore(input, cut, lead);
  const leadEdits =
    lead === undefined ? [] : trimLead(leadAt === undefined ? lead : context.at(leadAt), input.tokenizer);
  // What is left out of a trimmed lead is for the summary to tell, even where nothing else is.
  const carried = leadAt === undefined || leadEdits.length > 0 ? 0 : 1;
  const summarised = cut - carried;
  if (summarised <= 0) return undefined;

  const tailEdits = [...trimTail(input, cut), ...dropBoundReasoning(context, cut)];
  return {
    cut,
    cutItem,
    lead: lead?.id,
    edits: [...leadEdits, ...tailEdits, ...dropStrays(input, cut, cutItem)],
    summarised: { items: summarised, tokens: context.tokens(0, cut) - leadTokens(context, leadAt, leadEdits) },
    retained: tailOf(context, cut, tailEdits),
    digest: context.digestOf(cut),
  };
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

/** The message that opened the turn in which the cut falls, unless the tail begins with it or holds it. */
function leadOf({ openings, session }: PlanInput, cutItem: number): MessageItem | undefined {
  const number = openings.findLast((opening) => opening <= cutItem);
  if (number === undefined || number === cutItem) return undefined;
  const opener = session.item(number);
  return opener.kind === 'message' ? opener : undefined;
}

/** Position of a message of the user among the entries before the cut. Groups stand in the order of the log, so it is found by bisection. */
function positionBefore(input: PlanInput, cut: number, item: Item): number | undefined {
  const { context, session } = input;
  const starts = context.groups();
  const number = session.indexOf(item.id) ?? 0;
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberFrom(input, starts[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  for (let position = starts[low - 1] ?? cut; position < Math.min(cut, starts[low] ?? cut); position++) {
    if (context.at(position).id === item.id) return position;
  }
  return undefined;
}

function trimLead(lead: Item, tokenizer: PlanInput['tokenizer']): readonly Edit[] {
  if (lead.kind !== 'message') return [];
  const text = lead.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const trimmed = trimMiddle(text, LEAD_MAX_TOKENS, tokenizer);
  return trimmed === text ? [] : [{ edit: 'content', item: lead.id, text: trimmed }];
}

/** Tokens of what is carried over of the lead. */
function leadTokens(context: ContextView, at: number | undefined, edits: readonly Edit[]): number {
  return at === undefined ? 0 : (edits.length === 0 ? context : context.with(edits)).tokens(at, at + 1);
}

/** Where the newest group alone is larger than what is to be kept, its results are cut down until it fits (S9.3). */
function trimTail({ context, retainedTokens, seen, tokenizer }: PlanInput, cut: number): readonly Edit[] {
  if (retainedTokens === 0 || cut >= context.length || context.tokens(cut) <= retainedTokens) return [];
  return trimResults(context, cut, retainedTokens, seen, tokenizer);
}

/** Signed or encrypted reasoning is bound to the prefix that goes; the rest of its reply stays (S9.9). */
function dropBoundReasoning(context: ContextView, cut: number): readonly Edit[] {
  const bound: ItemId[] = [];
  for (const item of context.items(cut))
    if (item.kind === 'reasoning' && item.opaque !== undefined) bound.push(item.id);
  return bound.length === 0 ? [] : [{ edit: 'drop', items: bound }];
}

/** Items of the log behind the cut that belong to groups before it, such as late results. */
function dropStrays({ context, session }: PlanInput, cut: number, cutItem: number): readonly Edit[] {
  const tail = new Set<ItemId>();
  for (const item of context.items(cut)) tail.add(item.id);
  const strays: ItemId[] = [];
  for (let number = cutItem; number < session.itemCount; number++) {
    const { id } = session.item(number);
    if (!tail.has(id)) strays.push(id);
  }
  return strays.length === 0 ? [] : [{ edit: 'drop', items: strays }];
}

function tailOf(context: ContextView, cut: number, edits: readonly Edit[]): Plan['retained'] {
  const kept = edits.length === 0 ? context : context.with(edits);
  return { items: kept.length - cut, tokens: kept.tokens(cut) };
}
