/** The model client (S6.1): one request in, one reply out, with usage normalised once (S5.3) and typed errors. */
import type { ContextView } from '../context/view';
import { createToken } from '../kernel/token';
import type { NewItem } from '../session/items';
import type { ToolSchema, Usage } from '../session/records';
import type { ModelLimits } from '../tokens/model-limits';
import type { Tokenizer } from '../tokens/tokenizer';

/** What one request sends. */
export interface LlmRequest {
  /** System content and conversation, rendered for the provider by the client. */
  readonly context: Pick<ContextView, 'system' | 'items' | 'length'>;
  readonly tools: readonly ToolSchema[];
  /**
   * How many items of the context, from its start, later requests send again as they are; all by default. The part of the
   * prompt that is worth caching ends there.
   */
  readonly stable?: number;
  /** Most tokens of the reply; what the model allows by default. */
  readonly maxOutputTokens?: number;
  readonly signal?: AbortSignal;
}

/**
 * Why the reply ended: it is complete, it calls tools, it was cut off at the output limit, or the provider refused to
 * answer.
 */
export type StopReason = 'end' | 'tool-calls' | 'length' | 'refusal';

/** A reply, in the order in which it was made. */
export interface LlmReply {
  /** Reasoning, text and tool calls, with the provider data that later requests hand back. */
  readonly items: readonly NewItem[];
  readonly stop: StopReason;
  readonly usage?: Usage;
}

/** What arrives while a reply is made. */
export type LlmStreamPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** The model began to call a tool; its arguments come with the reply. */
  | { readonly type: 'tool-call'; readonly callId: string; readonly name: string }
  /** What came so far is void: the request is sent again. */
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  /** The last part. */
  | { readonly type: 'reply'; readonly reply: LlmReply };

/** How a provider wants to be spoken to (S9.9). */
export interface ProviderProfile {
  /** Name of the profile: `anthropic`, `openai`, `openai-compatible`, or the provider's own. */
  readonly name: string;
  /** How many messages carry the system content; `one` is joined by blank lines. */
  readonly system: 'many' | 'one';
  /** Most prompt-cache marks of one request; 0 where the provider caches by itself or not at all. */
  readonly cacheMarks: number;
  /** Whether reasoning is bound to the prefix it was made on, so that a changed prefix makes it worthless. */
  readonly boundReasoning: boolean;
}

/**
 * A model behind a provider. Rejects with `PITH_LLM_OVERFLOW` (the input does not fit, told or silent), `PITH_LLM_RATE_LIMITED`
 * (`details.retryAfterMs`), `PITH_LLM_TRANSPORT` (5xx, connection, timeout), `PITH_LLM_AUTH`, `PITH_LLM_REQUEST` (the provider
 * finds the request wrong), or `PITH_CANCELLED`; transient ones only after its own retries.
 */
export interface LlmClient {
  /** The model as the provider names it; limits and token counts go by it. */
  readonly model: string;
  readonly profile: ProviderProfile;
  tokenizer(): Tokenizer;
  limits(): ModelLimits;
  generate(request: LlmRequest): Promise<LlmReply>;
  /** The parts of a reply as they come; the last is the reply itself. */
  stream(request: LlmRequest): AsyncIterable<LlmStreamPart>;
}

/** The model of the agent (S3.3). Nobody serves it where there is no model. */
export const LLM = createToken<LlmClient>('pith/llm-client');
