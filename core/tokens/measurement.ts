/** Which figures of a provider can be true (S6.3). Figures come from outside, whatever their type says. */
import type { Usage } from '../session/records';

/** What became of a measurement; `message` says why it was not simply applied. */
export interface Measured {
  readonly outcome: 'applied' | 'new-lineage' | 'missing' | 'implausible' | 'other-model' | 'stale';
  readonly message?: string;
}

/** Context window that bounds plausible figures where the model's own is not known (S9.1). */
const DEFAULT_WINDOW = 128_000;

/** A figure this many times above both estimate and window, or this share of the estimate, cannot be the whole prompt. */
const MOST = 1.5;
const LEAST = 0.05;

/**
 * Why the input tokens of a request cannot be what it took, or undefined where they can.
 *
 * @param expected tokens that the request is estimated at.
 */
export function inputProblem(usage: Usage, expected: number, contextWindow: number | undefined): Measured | undefined {
  const tokens: unknown = usage.inputTokens;
  if (tokens === undefined || tokens === null || tokens === 0) {
    return {
      outcome: 'missing',
      message: 'The provider reported no input tokens; the size of the context is estimated.',
    };
  }
  if (!isCount(tokens)) {
    const figure = typeof tokens === 'number' ? String(tokens) : `a ${typeof tokens}`;
    return {
      outcome: 'implausible',
      message: `The provider reported ${figure} as input tokens; the figure is ignored.`,
    };
  }
  const most = MOST * Math.max(expected, contextWindow ?? DEFAULT_WINDOW);
  if (tokens > most || tokens < LEAST * expected) {
    const sizes = `${tokens} input tokens where about ${Math.round(expected)} were expected`;
    return { outcome: 'implausible', message: `The provider reported ${sizes}; the figure is ignored.` };
  }
  return undefined;
}

/** What the entries of a reply are expected to cost. */
export interface ExpectedReply {
  /** Tokens of text and calls, with wrapping. */
  readonly visible: number;
  /** Tokens of its reasoning entries. */
  readonly reasoning: number;
}

/**
 * Output tokens of a reply without its reasoning, or undefined where the figure is partial, missing, or does not fit the
 * entries: some hosts record what had been produced when the reply began, some providers count reasoning that is never
 * sent again.
 */
export function visibleOutput(usage: Usage, expected: ExpectedReply): number | undefined {
  const { outputTokens, outputFinal } = usage;
  if (outputFinal === false || !isCount(outputTokens)) return undefined;
  const reasoning = reasoningOutput(usage);
  const visible = outputTokens - (reasoning ?? expected.reasoning);
  const most = reasoning === undefined && expected.reasoning === 0 ? 2 * expected.visible + 256 : Infinity;
  return visible >= 0.7 * expected.visible && visible <= most ? visible : undefined;
}

/** Reported reasoning tokens, or undefined. */
export function reasoningOutput(usage: Usage): number | undefined {
  return isCount(usage.reasoningTokens) ? usage.reasoningTokens : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
