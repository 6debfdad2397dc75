/** How much a model takes and gives (S9.1): context window, reply allowance, and the input that is left. */
import { createToken } from '../kernel/token';
import { modelName, sameModel } from './model-name';
import { FAMILY_LIMITS, MODEL_LIMITS, type LimitRow } from './model-limit-table';

/** Limits of a model in tokens. */
export interface ModelLimits {
  readonly contextWindow: number;
  /** What a reply may take; the provider takes it out of the window. */
  readonly maxOutput: number;
  /** Largest input that is accepted, where that is less than the window leaves. */
  readonly maxInput?: number;
  /** Where the limits come from; with `default` nothing is known of the model, which deserves a warning. */
  readonly source: 'user' | 'table' | 'family' | 'default';
}

/** Limits that a user sets; each one replaces what is known of the model. */
export interface LimitOverrides {
  readonly contextWindow?: number;
  readonly maxOutput?: number;
}

/** Tells the limits of models; {@link modelLimits} by default, a host's own settings where it has some. */
export type LimitsOf = (model: string | undefined) => ModelLimits;

/** The limits of models (S9.1). */
export const LIMITS = createToken<LimitsOf>('pith/model-limits');

/** What is assumed of a model of which nothing is known (S9.1). */
const UNKNOWN: LimitRow = [128_000, 8_000];

/**
 * Limits of a model: what the user set, else the table, else the nearest family, else 128,000 and 8,000 (S9.1). Without a
 * word of the user a reply is allowed half the window at most. `source` is that of the context window.
 */
export function modelLimits(model: string | undefined, overrides: LimitOverrides = {}): ModelLimits {
  const [row, known] = model === undefined ? ([UNKNOWN, 'default'] as const) : knownRow(model);
  const [contextWindow, maxOutput, maxInput] = row;
  const window = overrides.contextWindow;
  return {
    contextWindow: window ?? contextWindow,
    maxOutput: overrides.maxOutput ?? Math.min(maxOutput, Math.ceil((window ?? contextWindow) / 2)),
    ...(maxInput !== undefined && window === undefined && { maxInput }),
    source: window === undefined ? known : 'user',
  };
}

/** Tokens that a request may carry: the window less the reply allowance, or less where the provider takes less. */
export function inputLimit({ contextWindow, maxOutput, maxInput = Infinity }: ModelLimits): number {
  return Math.max(0, Math.min(maxInput, contextWindow - maxOutput));
}

/** Whether a request of that many tokens is accepted; exactly the limit is. */
export function fitsInput(tokens: number, limits: ModelLimits): boolean {
  return tokens <= inputLimit(limits);
}

function knownRow(model: string): readonly [LimitRow, ModelLimits['source']] {
  const name = modelName(model);
  const listed = Object.hasOwn(MODEL_LIMITS, name)
    ? name
    : Object.keys(MODEL_LIMITS).find((other) => sameModel(other, name));
  if (listed !== undefined) return [MODEL_LIMITS[listed] as LimitRow, 'table'];
  const family = FAMILY_LIMITS.find(([pattern]) => pattern.test(name));
  return family === undefined ? [UNKNOWN, 'default'] : [family[1], 'family'];
}
