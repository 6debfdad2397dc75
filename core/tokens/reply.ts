/** The reply to the newest measured request: what the provider says it produced stands for its entries (S6.3). */
import type { Usage } from '../session/records';
import type { EntryWeights } from './entry-weights';
import type { ReportedReply } from './level';
import { isCount } from './measurement';

/** A reply whose entries may still be coming. */
export interface Reply {
  /** Index of its first entry: the number of entries that the request carried. */
  readonly start: number;
  /** Index behind its last entry so far. */
  readonly end: number;
  readonly usage: Usage;
  /** What its usage says about its entries, where that can be trusted. */
  readonly reported: ReportedReply | undefined;
}

/** Takes in the entries of a reply that have come since, and what its usage says about them. */
export function settleReply(weights: EntryWeights, reply: Reply): Reply {
  const end = weights.replyEnd(reply.end);
  if (end === reply.end) return reply;
  const { start, usage } = reply;
  const reasoning = reasoningOutput(usage);
  if (reasoning !== undefined) weights.settleReasoning(start, end, reasoning);
  const output = visibleOutput(usage, weights.visible(start, end), weights.reasoning(start, end));
  return { start, end, usage, reported: output === undefined ? undefined : { start, end, output } };
}

/** Reported reasoning tokens, or undefined. */
export function reasoningOutput(usage: Usage): number | undefined {
  return isCount(usage.reasoningTokens) ? usage.reasoningTokens : undefined;
}

/**
 * Output tokens of a reply without its reasoning, or undefined where the figure is partial, missing, or does not fit what
 * its entries are expected to cost: some hosts record what had been produced when the reply began, some providers count
 * reasoning that is never sent again.
 */
function visibleOutput(usage: Usage, expected: number, expectedReasoning: number): number | undefined {
  const { outputTokens, outputFinal } = usage;
  if (outputFinal === false || !isCount(outputTokens)) return undefined;
  const reasoning = reasoningOutput(usage);
  const visible = outputTokens - (reasoning ?? expectedReasoning);
  const most = reasoning === undefined && expectedReasoning === 0 ? 2 * expected + 256 : Infinity;
  return visible >= 0.7 * expected && visible <= most ? visible : undefined;
}
