/**
 * The two thresholds of automatic compaction (S9.1): between turns, proactive and smaller, and between requests, the safety
 * net. Pure. Each is given by itself and never derived from the other.
 */
import { inputLimit } from '../../core/index';
import type { Amount, Estimate, ModelLimits } from '../../core/index';

/** What the manifest says of them: tokens, or a share of the model's input window. */
export interface ThresholdSettings {
  readonly compactThreshold?: Amount;
  readonly compactRequestThreshold?: Amount;
}

/** The thresholds for one model, in tokens; undefined is off. */
export interface Thresholds {
  readonly postRunThreshold: number | undefined;
  readonly requestThreshold: number | undefined;
  /** Whether so many tokens are more than the threshold between turns; false where that is off. */
  exceedsPostRun(tokens: number): boolean;
  /** Whether so many tokens are more than the threshold between requests; false where that is off. */
  exceedsRequest(tokens: number): boolean;
}

/** The thresholds in tokens; a share is of the window less the reply allowance, rounded down. */
export function thresholdsOf(settings: ThresholdSettings, limits: ModelLimits): Thresholds {
  const window = inputLimit(limits);
  const postRunThreshold = tokensOf(settings.compactThreshold, window);
  const requestThreshold = tokensOf(settings.compactRequestThreshold, window);
  return {
    postRunThreshold,
    requestThreshold,
    exceedsPostRun: (tokens) => postRunThreshold !== undefined && tokens > postRunThreshold,
    exceedsRequest: (tokens) => requestThreshold !== undefined && tokens > requestThreshold,
  };
}

/** Whether a threshold is a share of the window, so that an unknown window matters. */
export function isShareGiven({ compactThreshold, compactRequestThreshold }: ThresholdSettings): boolean {
  return typeof compactThreshold === 'string' || typeof compactRequestThreshold === 'string';
}

/** What triggers compare (S6.3): the estimate with the error that it may have. */
export function atMost({ tokens, margin }: Estimate): number {
  return tokens + margin;
}

function tokensOf(amount: Amount | undefined, window: number): number | undefined {
  return typeof amount === 'string' ? Math.floor((Number.parseFloat(amount) / 100) * window) : amount;
}
