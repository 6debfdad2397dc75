/** Where the calibration of a model starts (S6.3): what the models of one maker have in common. */
import { modelName } from './model-name';

/** How a provider counts, before any usage of a model has been seen. */
export interface ModelFamily {
  readonly name: string;
  /** Provider tokens per token of the encoder. */
  readonly rate: number;
  /** How sure that rate is: its variance. */
  readonly rateVariance: number;
  /** Provider tokens of wrapping per frame unit (see `FRAME_UNITS`). */
  readonly frame: number;
  /** Provider tokens that come with the first tool schema. */
  readonly tools: number;
  /** Whether reasoning of earlier turns stays in the prompt or is dropped by the provider when a new turn begins (S6.2). */
  readonly reasoning: 'kept' | 'dropped';
}

const UNKNOWN: ModelFamily = {
  name: 'unknown',
  rate: 1.1,
  rateVariance: 0.04,
  frame: 10,
  tools: 50,
  reasoning: 'kept',
};

/** The first pattern that matches wins. */
const FAMILIES: readonly (readonly [RegExp, ModelFamily])[] = [
  [
    /claude-[a-z]+-(4[-.][7-9]|[5-9])/,
    { name: 'claude-4.7', rate: 1.6, rateVariance: 0.02, frame: 25, tools: 500, reasoning: 'kept' },
  ],
  [/claude/, { name: 'claude', rate: 1.2, rateVariance: 0.0025, frame: 25, tools: 500, reasoning: 'kept' }],
  [
    /^(gpt-|chatgpt-|codex|o\d)/,
    { name: 'openai', rate: 1, rateVariance: 0.0025, frame: 7, tools: 24, reasoning: 'dropped' },
  ],
  [/^gem(ini|ma)/, { name: 'gemini', rate: 1.1, rateVariance: 0.02, frame: 5, tools: 0, reasoning: 'kept' }],
  [
    /^(deepseek|qwen|llama|meta-llama)/,
    { name: 'open-weights', rate: 1.05, rateVariance: 0.02, frame: 5, tools: 100, reasoning: 'kept' },
  ],
];

/** The family of a model, by its name with or without a provider in front; a cautious one for names that are not known. */
export function familyOf(model: string): ModelFamily {
  const name = modelName(model);
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN;
}
