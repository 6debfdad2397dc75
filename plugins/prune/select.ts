/**
 * What pruning would drop (S8.1, S8.2). Scans only what left the protected part since the last look, so that a request
 * costs what is new and not the whole history.
 */
import type { ContextView, Edit, ItemId, ToolResultItem } from '../../core/index';

/** Results below this many tokens are left alone. */
export const SMALLEST_RESULT = 100;

const MARK = '[pruned: ';

export interface PruneLimits {
  /** Tokens of the newest conversation whose results stay. */
  readonly protectedTokens: number;
  /** Tokens that a batch must save. */
  readonly minSavings: number;
  /** Names of tools whose results stay. */
  readonly protectedTools: readonly string[];
}

/** A result that pruning would empty, with what that saves. */
export interface PruneCandidate {
  readonly item: ItemId;
  readonly text: string;
  readonly savedTokens: number;
}

/** What has been looked at so far; one per session. */
export interface PruneScan {
  /** Position up to which all entries were judged, and the entry before it. */
  readonly position: number;
  readonly anchor: ItemId | undefined;
  readonly candidates: readonly PruneCandidate[];
}

export const EMPTY_SCAN: PruneScan = Object.freeze({ position: 0, anchor: undefined, candidates: [] });

/** Goes on from an earlier scan of the same session; starts anew where the context was rebuilt. */
export function scanForPruning(context: ContextView, earlier: PruneScan, limits: PruneLimits): PruneScan {
  const still =
    earlier.position <= context.length &&
    (earlier.position === 0 || context.at(earlier.position - 1).id === earlier.anchor);
  const scan = still ? earlier : EMPTY_SCAN;
  const end = Math.min(protectedStart(context, limits.protectedTokens), newestReplyStart(context));
  if (end <= scan.position) return scan;
  const found: { readonly position: number; readonly item: ItemId; readonly text: string }[] = [];
  const tools = new Map<string, string>();
  for (let position = scan.position; position < end; position++) {
    const entry = context.at(position);
    if (entry.kind === 'tool_call') tools.set(entry.callId, entry.name);
    if (entry.kind !== 'tool_result' || isPruned(entry)) continue;
    const tool = tools.get(entry.callId) ?? toolOf(context, position, entry.callId);
    if (limits.protectedTools.includes(tool)) continue;
    const tokens = context.tokens(position, position + 1);
    if (tokens < SMALLEST_RESULT || entry.content === undefined) continue;
    const text = `${MARK}${tool}, ${Math.round(tokens)} tokens${entry.isError === true ? ', error' : ''}] ${entry.summary}`;
    found.push({ position, item: entry.id, text });
  }
  // All at once: an edit costs what its group costs, and a group may hold thousands of results.
  const pruned = context.with(found.map(({ item, text }) => ({ edit: 'content', item, text })));
  const saving = found.map(({ position, item, text }) => {
    const savedTokens = context.tokens(position, position + 1) - pruned.tokens(position, position + 1);
    return { item, text, savedTokens };
  });
  const candidates = [...scan.candidates, ...saving.filter(({ savedTokens }) => savedTokens > 0)];
  return { position: end, anchor: context.at(end - 1).id, candidates };
}

/** The batch as edits; empty where it would not save enough. */
export function batchOf(
  scan: PruneScan,
  limits: PruneLimits,
): { readonly edits: readonly Edit[]; readonly savedTokens: number } {
  const savedTokens = Math.round(scan.candidates.reduce((sum, candidate) => sum + candidate.savedTokens, 0));
  if (scan.candidates.length === 0 || savedTokens < limits.minSavings) return { edits: [], savedTokens };
  return { edits: scan.candidates.map(({ item, text }) => ({ edit: 'content', item, text })), savedTokens };
}

function isPruned(result: ToolResultItem): boolean {
  const first = result.content?.[0];
  return first?.type === 'text' && first.text.startsWith(MARK);
}

/** The call stands before its result in the same group, maybe before the part that is scanned. */
function toolOf(context: ContextView, position: number, callId: string): string {
  for (let before = position - 1; before >= 0; before--) {
    const entry = context.at(before);
    if (entry.kind === 'tool_call' && entry.callId === callId) return entry.name;
    if (entry.kind === 'message' && entry.role === 'user') break;
  }
  return 'tool';
}

/** The last position behind which at least `tokens` tokens stand, by bisection; all before it is older than those. */
function protectedStart(context: ContextView, tokens: number): number {
  let low = 0;
  let high = context.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.tokens(middle) >= tokens) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Start of the newest reply: its results are never pruned, whatever follows them. */
function newestReplyStart(context: ContextView): number {
  let position = context.length - 1;
  while (position >= 0 && !isReply(context, position)) position--;
  while (position > 0 && isReply(context, position - 1)) position--;
  return Math.max(0, position);
}

function isReply(context: ContextView, position: number): boolean {
  const entry = context.at(position);
  return (
    entry.kind === 'tool_call' || entry.kind === 'reasoning' || (entry.kind === 'message' && entry.role === 'assistant')
  );
}
