/** Usage as the AI SDK reports it, normalised once: the whole prompt with its cached part, never twice (S5.3). */
import type { Usage } from '../session/records';
import type { ModelVersion } from './language-model';

/** Who reported the figures. */
export interface UsageSource {
  /** The model that was asked for; measurements go by it. */
  readonly model: string;
  /** Version 2 leaves it to the provider whether the prompt holds its cached part. */
  readonly version: ModelVersion;
  readonly providerMetadata?: unknown;
}

/**
 * The figures that hold: finite and not negative. Undefined where the size of the prompt is missing or zero, since a prompt
 * is never empty: a provider that reports zeros reports nothing.
 */
export function normaliseUsage(reported: unknown, source: UsageSource): Usage | undefined {
  const { input, output, ...figures } = source.version === 'v2' ? readFlat(reported, source) : readNested(reported);
  const read = figures.cacheReadTokens ?? 0;
  const written = figures.cacheWriteTokens ?? 0;
  // Some gateways count the cached part beside the prompt. A prompt is never smaller than its cached part.
  const inputTokens = input !== undefined && input < read + written ? input + read + written : input;
  if (inputTokens === undefined || inputTokens === 0) return undefined;
  const known = Object.entries({ ...figures, outputTokens: output }).filter(([, value]) => value !== undefined);
  return { inputTokens, ...(Object.fromEntries(known) as Omit<Usage, 'inputTokens'>), model: source.model };
}

interface Figures {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheReadTokens: number | undefined;
  readonly cacheWriteTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
}

function readNested(reported: unknown): Figures {
  const { inputTokens, outputTokens } = fieldsOf(reported);
  const input = fieldsOf(inputTokens);
  const output = fieldsOf(outputTokens);
  const parts = [input['noCache'], input['cacheRead'], input['cacheWrite']].map(countOf);
  const sum = parts.some((part) => part !== undefined)
    ? parts.reduce<number>((total, part) => total + (part ?? 0), 0)
    : undefined;
  return {
    input: countOf(input['total']) ?? sum,
    output: countOf(output['total']),
    cacheReadTokens: parts[1],
    cacheWriteTokens: parts[2],
    reasoningTokens: countOf(output['reasoning']),
  };
}

/** Anthropic counts what was neither read from nor written to the cache, and tells what was written in its own data. */
function readFlat(reported: unknown, { providerMetadata }: UsageSource): Figures {
  const flat = fieldsOf(reported);
  const input = countOf(flat['inputTokens']);
  const cacheReadTokens = countOf(flat['cachedInputTokens']);
  const { anthropic } = fieldsOf(providerMetadata);
  const cacheWriteTokens = countOf(fieldsOf(anthropic)['cacheCreationInputTokens']);
  const beside = anthropic === undefined ? 0 : (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
    input: input === undefined ? undefined : input + beside,
    output: countOf(flat['outputTokens']),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: countOf(flat['reasoningTokens']),
  };
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

function fieldsOf(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : {};
}
