/** Names of the GenAI semantic conventions of OpenTelemetry, and those of Pith beside them. None carries contents. */
import type { Attributes } from '@opentelemetry/api';
import type { Role, Usage, WorkUsage } from '../../core/index';

/** What an operation is about. */
export const OPERATION = 'gen_ai.operation.name';
export const SESSION = 'gen_ai.conversation.id';
export const ERROR_TYPE = 'error.type';
export const TOOL = 'gen_ai.tool.name';
export const HOOK = 'pith.hook.name';

/** The value of `error.type` where there is no code. */
export const OTHER_ERROR = '_OTHER';

/** Providers whose profiles have another name than the conventions give them. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^google\.vertex/, 'gcp.vertex_ai'],
  [/^google/, 'gcp.gemini'],
  [/bedrock/, 'aws.bedrock'],
  [/^mistral/, 'mistral_ai'],
  [/^xai/, 'x_ai'],
  [/^moonshot/, 'moonshot_ai'],
];

/** Whom a request is for. */
export function modelAttributes({
  model,
  provider,
}: {
  readonly model?: string;
  readonly provider?: string;
}): Attributes {
  return {
    ...(provider !== undefined && { 'gen_ai.provider.name': providerName(provider) }),
    ...(model !== undefined && { 'gen_ai.request.model': model }),
  };
}

function providerName(profile: string): string {
  return PROVIDERS.find(([pattern]) => pattern.test(profile))?.[1] ?? profile;
}

/** Who acts, unless it is the agent itself. */
export function agentAttributes(role: Role): Attributes {
  return role === 'main' ? {} : { 'gen_ai.agent.name': role };
}

/** What a request, or several together, used. */
export function usageAttributes(usage: Usage | WorkUsage): Attributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    ...(outputTokens !== undefined && { 'gen_ai.usage.output_tokens': outputTokens }),
    ...(cacheReadTokens !== undefined && { 'gen_ai.usage.cache_read.input_tokens': cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
  };
}
