/** The compaction that a report is about: which one, and the context on both sides of it. */
import type { CompactionPlan, CompactionReport } from '../agent/compaction';
import type { LoggedCompaction } from '../agent/past-compactions';
import type { PastContext } from '../agent/past-context';
import type { ContextView } from '../context/view';
import type { Block } from '../session/records';
import type { Session } from '../session/session';
import type { Tokenizer } from '../tokens/tokenizer';
import type { ContextPart, ContextSide, ReportCompaction } from './report';

/** Which compaction is asked for: by its 1-based number, or the one that has just been tried. */
export type CompactionChoice = number | CompactionReport;

/** The compaction of a log that a report is about. */
export function chosenCompaction(
  compactions: readonly LoggedCompaction[],
  isUndone: (compaction: LoggedCompaction) => boolean,
  choice: CompactionChoice | undefined,
): LoggedCompaction | undefined {
  if (typeof choice === 'number') return compactions[choice - 1];
  if (choice !== undefined) return compactions.find(({ id }) => id === choice.id);
  return (
    compactions.findLast((compaction) => compaction.checkpoint !== null && !isUndone(compaction)) ??
    compactions.findLast(({ outcome }) => outcome !== null)
  );
}

/** What stands on both sides of a compaction, and what was planned where the log does not say it. */
export interface CompactionSides {
  readonly before: ContextSide;
  readonly after?: ContextSide;
  readonly plan?: CompactionPlan;
}

/** What tells where the sides of a compaction are. */
export type SidedCompaction = Pick<LoggedCompaction, 'began' | 'checkpoint' | 'beforeTokens' | 'afterTokens'>;

/** Looks at the context before and after a compaction; of one that changed nothing, before it alone. */
export function sidesOf(
  session: Session,
  { began, checkpoint, beforeTokens, afterTokens }: SidedCompaction,
  past: PastContext,
  tokenizer: Tokenizer,
): CompactionSides {
  const old = past.at(checkpoint?.seq ?? began);
  const before = sideOf(old, tokenizer, beforeTokens);
  if (checkpoint === null) return { before };
  const { cut, lead } = checkpoint;
  const summarised = summarisedOf(old, session, cut, lead);
  const view = past.at(checkpoint.seq + 1);
  const retained = { items: view.length, tokens: Math.round(view.tokens(0)) };
  return { before, after: sideOf(view, tokenizer, afterTokens), plan: { cutItem: cut, summarised, retained } };
}

/** A logged compaction as a report shows it. */
export function reportCompaction(
  { id, outcome, trigger, worker, reason, plan, summary, durationMs }: LoggedCompaction,
  { plan: found, ...sides }: CompactionSides,
  tokenizer: Tokenizer,
): ReportCompaction {
  const planned = plan ?? found;
  const text = summary === null ? undefined : withoutMarkers(summary);
  return {
    id,
    outcome: outcome ?? 'running',
    ...(trigger !== null && { trigger }),
    ...(worker !== null && { worker }),
    ...(reason !== null && { reason }),
    ...(planned !== undefined && { plan: planned }),
    ...sides,
    ...(text !== undefined && { summary: { text, tokens: Math.round(tokenizer.countText(text)) } }),
    ...(durationMs !== null && { durationMs }),
  };
}

/** A compaction that left nothing in the log, since there was nothing to do or somebody said no. */
export function triedCompaction(
  { id, outcome, trigger, worker, reason, plan, durationsMs }: CompactionReport,
  view: ContextView,
  tokenizer: Tokenizer,
): ReportCompaction {
  return {
    id,
    outcome,
    trigger,
    worker,
    ...(reason !== undefined && { reason }),
    ...(plan !== undefined && { plan: wholePlan(plan) }),
    before: sideOf(view, tokenizer, null),
    durationMs: Math.round(durationsMs.total),
  };
}

/** A plan in whole tokens. */
export function wholePlan({ cutItem, summarised, retained }: CompactionPlan): CompactionPlan {
  return {
    cutItem,
    summarised: { items: summarised.items, tokens: Math.round(summarised.tokens) },
    retained: { items: retained.items, tokens: Math.round(retained.tokens) },
  };
}

/** The parts of a context. Where it was recorded what it took, the conversation is what the others leave of that. */
export function sideOf(view: ContextView, tokenizer: Tokenizer, recorded: number | null): ContextSide {
  const blocks = view.system.flatMap(({ block }) => (block === undefined ? [] : [partOf(block, tokenizer)]));
  const taken = blocks.reduce((sum, { tokens }) => sum + tokens, 0);
  const tokens = recorded ?? Math.round(view.occupancy().tokens);
  const fixed = Math.max(0, Math.min(tokens, Math.round(view.prefix(0).tokens)) - taken);
  return {
    tokens,
    parts: [
      ...(fixed > 0 ? [{ kind: 'system' as const, name: 'system prompt, pins and tools', tokens: fixed }] : []),
      ...blocks,
      { kind: 'conversation', name: 'conversation', tokens: Math.max(0, tokens - fixed - taken) },
    ],
  };
}

/** Kinds of blocks and what they are called; those of third parties stand as what they call themselves. */
const NAMES: Readonly<Record<string, Pick<ContextPart, 'kind' | 'name'>>> = {
  summary: { kind: 'summary', name: 'summary' },
  references: { kind: 'references', name: 'files that are only named' },
  state: { kind: 'state', name: 'state of a tool' },
};

function partOf({ kind, text, path, fromLine, toLine }: Block, tokenizer: Tokenizer): ContextPart {
  const tokens = Math.round(tokenizer.countText(text));
  if (kind === 'auto-read' && path !== undefined) {
    const lines = fromLine === undefined || toLine === undefined ? '' : `:${String(fromLine)}-${String(toLine)}`;
    return { kind: 'file', name: `${path}${lines}`, tokens, text };
  }
  const known = Object.hasOwn(NAMES, kind) ? NAMES[kind] : undefined;
  return { kind: 'state', name: kind, ...known, tokens, text };
}

/** What stood before the cut. What was carried over of it is not summarised. */
function summarisedOf(
  view: ContextView,
  session: Session,
  cut: number,
  lead: string | undefined,
): CompactionPlan['summarised'] {
  let end = 0;
  let items = 0;
  let kept = 0;
  for (const item of view.items()) {
    if ((session.indexOf(item.id) ?? -1) >= cut) break;
    if (item.id === lead) kept = view.tokens(end, end + 1);
    else items++;
    end++;
  }
  return { items, tokens: Math.round(view.tokens(0, end) - kept) };
}

/** The summary as it was written, without the lines around it in the context (S9.9). */
function withoutMarkers(text: string): string {
  return text.replace(/^\[Compacted context summary[^\n]*\]\n/, '').replace(/\n\[End of summary\]$/, '');
}
