/** Model clients on endpoints over HTTP, and requests in a few words. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LlmClient, LlmReply, LlmRequest, LlmStreamPart, NewItem, RecordDraft, ToolSchema } from '../../core';
import { createAiSdkClient } from '../../core/llm/ai-sdk-client';
import type { AiSdkClientOptions } from '../../core/llm/ai-sdk-client';
import type { WireShape } from '../../core/testing';
import { open } from './context';

/** A client of an endpoint, without waiting between retries. */
export function clientOf(
  shape: WireShape,
  url: string,
  options: Partial<AiSdkClientOptions> = {},
  model = shape === 'anthropic' ? 'claude-sonnet-4-5' : 'local-model',
): LlmClient {
  const provider =
    shape === 'anthropic'
      ? createAnthropic({ baseURL: url, apiKey: 'key-of-the-test' })
      : createOpenAICompatible({ name: 'local', baseURL: url, apiKey: 'key-of-the-test', includeUsage: true });
  return createAiSdkClient({ model: provider(model), random: () => 0, ...options });
}

export const READ_FILE: ToolSchema = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

/** A request with these items, under the system prompt `You help.` and the tool `read_file`. */
export function requestOf(items: readonly NewItem[], ...drafts: readonly RecordDraft[]): LlmRequest {
  const { context } = open(items, { t: 'settings', system: 'You help.' }, ...drafts);
  return { context, tools: [READ_FILE] };
}

/** All parts of a stream. */
export async function partsOf(stream: AsyncIterable<LlmStreamPart>): Promise<readonly LlmStreamPart[]> {
  const parts: LlmStreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** The reply at the end of a stream. */
export async function replyOf(stream: AsyncIterable<LlmStreamPart>): Promise<LlmReply> {
  const last = (await partsOf(stream)).at(-1);
  if (last?.type !== 'reply') throw new Error('The stream has no reply at its end.');
  return last.reply;
}
