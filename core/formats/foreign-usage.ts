/** Usage of the two common provider shapes, normalised once: the prompt with its cached part, never twice (S5.3). */
import type { Usage } from '../session/records';
import { countOf, fieldsOf, stringOf } from './shape';

/** Token figures as a format reports them, still unchecked. `inputTokens` is the whole prompt including cached tokens (S5.3). */
export interface ForeignUsage {
  readonly inputTokens: unknown;
  readonly cacheReadTokens?: unknown;
  readonly cacheWriteTokens?: unknown;
  readonly outputTokens?: unknown;
  readonly reasoningTokens?: unknown;
  readonly model?: unknown;
  readonly outputFinal?: boolean;
}

/** The figures that hold. Missing and absurd ones are left out, and all of them where the prompt's is missing or zero. */
export function checkUsage(reported: ForeignUsage, model: string | undefined): Usage | undefined {
  const inputTokens = countOf(reported.inputTokens);
  if (inputTokens === undefined || inputTokens === 0) return undefined;
  const figures = {
    cacheReadTokens: countOf(reported.cacheReadTokens),
    cacheWriteTokens: countOf(reported.cacheWriteTokens),
    outputTokens: countOf(reported.outputTokens),
    reasoningTokens: countOf(reported.reasoningTokens),
    model: stringOf(reported.model) ?? model,
    outputFinal: reported.outputFinal === false ? false : undefined,
  };
  const known = Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
  return { inputTokens, ...known };
}

/** OpenAI and litellm: `prompt_tokens` holds the cached part. */
export function openAiUsage(usage: unknown, model?: unknown): ForeignUsage {
  const fields = fieldsOf(usage);
  const prompt = fieldsOf(fields.prompt_tokens_details);
  return {
    inputTokens: fields.prompt_tokens,
    cacheReadTokens: prompt.cached_tokens ?? fields.cache_read_input_tokens,
    cacheWriteTokens: fields.cache_creation_input_tokens ?? prompt.cache_creation_tokens,
    outputTokens: fields.completion_tokens,
    reasoningTokens: fieldsOf(fields.completion_tokens_details).reasoning_tokens,
    model,
  };
}

/** Anthropic: `input_tokens` is the part that was neither read from nor written to the cache. */
export function anthropicUsage(usage: unknown, model?: unknown): ForeignUsage {
  const fields = fieldsOf(usage);
  const read = countOf(fields.cache_read_input_tokens);
  const written = countOf(fields.cache_creation_input_tokens);
  const fresh = countOf(fields.input_tokens);
  return {
    inputTokens: fresh === undefined ? undefined : fresh + (read ?? 0) + (written ?? 0),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: fields.output_tokens,
    model,
  };
}
