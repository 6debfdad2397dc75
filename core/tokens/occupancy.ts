/** Occupancy (S6.3): how full a context is, from what the provider measured and the tokenizer counted. */

/** How an estimate came about; see S6.3 for the margins. */
export type EstimateSource = 'measured' | 'interpolated' | 'extrapolated' | 'offset' | 'counted';

/** Tokens with the error they may have. Triggers compare `tokens + margin`. */
export interface Estimate {
  readonly tokens: number;
  readonly margin: number;
  readonly source: EstimateSource;
}
