/** How full the context is and how well the prompt cache serves, on one line. */
import type { Usage } from '../session/records';
import { inputLimit } from '../tokens/model-limits';
import type { ModelLimits } from '../tokens/model-limits';
import type { Estimate } from '../tokens/occupancy';
import { figure, percent } from './layout';

export interface RunStatus {
  readonly occupancy: Estimate;
  readonly limits: ModelLimits;
  /** Of the newest requests. */
  readonly usages: readonly Usage[];
  readonly model: string;
}

/** Requests whose cache reads are looked at. */
export const NEWEST_REQUESTS = 5;

/** `~12,345 of 120,000 tokens (10%), cache 87%, model`; `~` marks what was not measured. */
export function statusLine({ occupancy, limits, usages, model }: RunStatus): string {
  const { tokens, source } = occupancy;
  const window = inputLimit(limits);
  const rate = cacheRate(usages);
  return [
    `${source === 'measured' ? '' : '~'}${figure(tokens)} of ${figure(window)} tokens (${percent(tokens, window)})`,
    ...(rate === undefined ? [] : [`cache ${percent(rate, 1)}`]),
    model,
  ].join(', ');
}

/** Part of the input of the newest requests that the prompt cache served; undefined where the provider tells nothing of it. */
export function cacheRate(usages: readonly Usage[]): number | undefined {
  const told = usages.slice(-NEWEST_REQUESTS).filter(({ cacheReadTokens }) => cacheReadTokens !== undefined);
  const input = told.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  if (input <= 0) return undefined;
  return Math.min(1, told.reduce((sum, { cacheReadTokens = 0 }) => sum + cacheReadTokens, 0) / input);
}
