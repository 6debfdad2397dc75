/** A reply as the agent gets it: items, why it ended, normalised usage. What only looks like a reply is an error. */
import { PithError } from '../errors';
import type { ModelLimits } from '../tokens/model-limits';
import type { LlmReply } from './client';
import type { Content, Finish, ModelVersion } from './language-model';
import { replyItems, stopOf } from './reply-items';
import type { ReplyContext } from './reply-items';
import { normaliseUsage } from './usage';

/** What a reply is read with. */
export interface ReplySource extends ReplyContext {
  /** Name of the provider, for messages. */
  readonly provider: string;
  readonly version: ModelVersion;
  readonly limits: ModelLimits;
}

/**
 * Reads a whole reply.
 *
 * @throws `PITH_LLM_OVERFLOW` where the provider cut the input off in silence, or had no room for a single token;
 * `PITH_LLM_TRANSPORT` where it ended the reply with an error
 */
export function readReply(contents: readonly Content[], finish: Finish, source: ReplySource): LlmReply {
  const { finishReason, providerMetadata } = finish;
  const items = replyItems(contents, source);
  const usage = normaliseUsage(finish.usage, { model: source.model, version: source.version, providerMetadata });
  const reply: LlmReply = { items, stop: stopOf(finishReason, items), ...(usage !== undefined && { usage }) };
  if ((typeof finishReason === 'string' ? finishReason : finishReason.unified) === 'error') {
    const raw = typeof finishReason === 'string' ? undefined : finishReason.raw;
    const said = raw === undefined ? '' : ` (${raw})`;
    throw failure('PITH_LLM_TRANSPORT', `${source.provider} ended the reply with an error${said}. Try again.`, source);
  }
  checkWindow(reply, source);
  return reply;
}

/** The window of a model that is only guessed proves nothing. */
function checkWindow({ items, stop, usage }: LlmReply, source: ReplySource): void {
  const { contextWindow, source: known } = source.limits;
  const isOver = (known === 'user' || known === 'table') && (usage?.inputTokens ?? 0) > contextWindow;
  const isFull = stop === 'length' && items.length === 0 && (usage?.outputTokens ?? 0) === 0;
  if (!isOver && !isFull) return;
  const what = isOver
    ? `${source.provider} counts ${String(usage?.inputTokens)} input tokens, more than the window of ${source.model} ` +
      `(${contextWindow}), and may have cut some off in silence`
    : `${source.model} had no room left for a reply`;
  throw failure('PITH_LLM_OVERFLOW', `${what}. Compact the session, or set context_window if it is larger.`, source);
}

function failure(code: 'PITH_LLM_OVERFLOW' | 'PITH_LLM_TRANSPORT', message: string, source: ReplySource): PithError {
  const { provider, model } = source;
  return new PithError(code, message, { details: { provider, model, transient: code === 'PITH_LLM_TRANSPORT' } });
}
