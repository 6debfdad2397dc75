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

/** Whether a figure is one that a provider may have reported. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
