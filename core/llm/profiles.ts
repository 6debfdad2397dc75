/** How providers want to be spoken to (S9.9), by the name that the AI SDK gives them. */
import type { Json } from '../session/items';
import type { ProviderProfile } from './client';

/** How a request is written, beyond what the profile tells. */
export interface WireTraits {
  /** Images of tool results stand in the result, or in a user message behind it where results are text only. */
  readonly resultImages: 'inside' | 'behind';
  /**
   * Which reasoning the provider takes back: `signed` (Anthropic), `encrypted` (OpenAI Responses), `field` (readable, of
   * endpoints that gave it in a field of the message), `any` (the provider's package knows).
   */
  readonly reasoning: 'signed' | 'encrypted' | 'field' | 'any';
  /** Under which name it takes options, where that matters here. */
  readonly options?: 'anthropic' | 'openai' | 'azure';
  /** What it is asked for unless the user's own options say otherwise. */
  readonly defaults?: { readonly [key: string]: Json };
}

/** Streamed and whole requests declare tools alike, so that they share one cached prefix. */
const ANTHROPIC_DEFAULTS = { toolStreaming: false };

/** No reply is kept: reasoning travels encrypted, and nothing refers to what a compaction dropped. */
const OPENAI_DEFAULTS = { store: false };

const ANTHROPIC: ProviderProfile = { name: 'anthropic', system: 'many', cacheMarks: 4, boundReasoning: true };
const OPENAI: ProviderProfile = { name: 'openai', system: 'many', cacheMarks: 0, boundReasoning: true };

/** The profile of a provider, such as `anthropic.messages`; for names that are not known what every endpoint takes. */
export function profileOf(provider: string): ProviderProfile {
  if (isAnthropic(provider)) return ANTHROPIC;
  if (isOpenAi(provider)) return OPENAI;
  return {
    name: provider.replace(/\.chat$/, ''),
    system: 'one',
    cacheMarks: 0,
    boundReasoning: isBedrock(provider),
  };
}

/** The traits of a provider, such as `openai.responses`. */
export function traitsOf(provider: string): WireTraits {
  if (isAnthropic(provider))
    return { resultImages: 'inside', reasoning: 'signed', options: 'anthropic', defaults: ANTHROPIC_DEFAULTS };
  if (isOpenAi(provider) && provider.endsWith('.responses')) {
    const options = provider.startsWith('azure') ? 'azure' : 'openai';
    return { resultImages: 'inside', reasoning: 'encrypted', options, defaults: OPENAI_DEFAULTS };
  }
  if (isBedrock(provider) || /^(?:@ai-sdk\/)?google/.test(provider))
    return { resultImages: 'inside', reasoning: 'any' };
  return { resultImages: 'behind', reasoning: /\.chat$|compatible/.test(provider) ? 'field' : 'any' };
}

/** Also where another cloud serves it: `vertex.anthropic.messages`. */
function isAnthropic(provider: string): boolean {
  return /(?:^|[./])anthropic(?:\.|$)/.test(provider);
}

function isOpenAi(provider: string): boolean {
  return /^(?:openai|azure)(?:\.|$)/.test(provider);
}

function isBedrock(provider: string): boolean {
  return provider.includes('bedrock');
}
