import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { extractReasoningMiddleware, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createAiSdkClient } from '../../core/llm/ai-sdk-client';
import type { AiSdkModel } from '../../core/llm/language-model';
import { startStrictProvider } from '../../core/testing';
import { call, user } from '../support/context';
import { partsOf, replyOf, requestOf } from '../support/llm';

const streamOf = <T>(parts: readonly T[]): { readonly stream: ReadableStream<T> } => ({
  stream: ReadableStream.from(parts) as ReadableStream<T>,
});

test('a model of AI SDK 5 is spoken to in its own way', async () => {
  const usage = { inputTokens: 50, cachedInputTokens: 20, outputTokens: 3, totalTokens: 53 };
  const prompts: (readonly { readonly content: unknown }[])[] = [];
  const model: AiSdkModel = {
    specificationVersion: 'v2',
    provider: 'anthropic.messages',
    modelId: 'claude-sonnet-4-5',
    doGenerate({ prompt }: { readonly prompt: (typeof prompts)[number] }) {
      prompts.push(prompt);
      return Promise.resolve({ content: [{ type: 'text', text: 'hi' }], finishReason: 'stop', usage, warnings: [] });
    },
    doStream: () =>
      Promise.resolve(
        streamOf<object>([
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'hi' },
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: 'stop', usage },
        ]),
      ),
  };
  const client = createAiSdkClient({ model });
  const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
  const request = requestOf([
    user('go'),
    call('c'),
    { kind: 'tool_result', callId: 'c', summary: 's', content: [image] },
  ]);
  const whole = await client.generate(request);
  const streamed = await replyOf(client.stream(request));
  for (const reply of [whole, streamed])
    expect(reply).toMatchObject({
      stop: 'end',
      items: [{ parts: [{ text: 'hi' }] }],
      usage: { inputTokens: 50, cacheReadTokens: 20 },
    });
  expect(prompts[0]?.at(-1)).toMatchObject({
    content: [{ output: { type: 'content', value: [{ type: 'media', mediaType: 'image/png' }] } }],
  });
});

test('a model that is wrapped by middleware of the AI SDK is a model', async () => {
  await using provider = await startStrictProvider({ shape: 'anthropic', script: [{ text: '<think>hm</think>yes' }] });
  const inner = createAnthropic({ baseURL: provider.url, apiKey: 'k' })('claude-sonnet-4-5');
  const model = wrapLanguageModel({ model: inner, middleware: extractReasoningMiddleware({ tagName: 'think' }) });
  const client = createAiSdkClient({ model });
  expect((await client.generate(requestOf([user('go')]))).items).toMatchObject([
    { kind: 'reasoning', text: 'hm' },
    { kind: 'message', parts: [{ text: 'yes' }] },
  ]);
});

test('a model is loaded at its first request, once, and tried anew where that failed', async () => {
  let loads = 0;
  const load = (): Promise<AiSdkModel> => {
    if (++loads === 1) return Promise.reject(new Error('not yet'));
    const finish = { finishReason: { unified: 'stop' as const, raw: 'stop' }, warnings: [] };
    const usage = {
      inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    return Promise.resolve(
      new MockLanguageModelV3({ doGenerate: { content: [{ type: 'text', text: 'hi' }], ...finish, usage } }),
    );
  };
  const client = createAiSdkClient({ model: { provider: 'x', modelId: 'y', load } });
  expect(loads).toBe(0);
  await expect(client.generate(requestOf([user('go')]))).rejects.toThrow(/not yet/);
  await Promise.all([client.generate(requestOf([user('go')])), client.generate(requestOf([user('go')]))]);
  await client.generate(requestOf([user('go')]));
  expect(loads).toBe(2);
});

test('a model that does not listen to its signal is left at once', async () => {
  const controller = new AbortController();
  const model = new MockLanguageModelV3({
    doGenerate: () => {
      controller.abort();
      return new Promise(() => undefined);
    },
  });
  const request = { ...requestOf([user('go')]), signal: controller.signal };
  await expect(createAiSdkClient({ model }).generate(request)).rejects.toMatchObject({ code: 'PITH_CANCELLED' });
});

test('an error that a stream brings in its middle is read like any other', async () => {
  const model = new MockLanguageModelV3({
    provider: 'anthropic.messages',
    doStream: streamOf([
      { type: 'text-start' as const, id: '1' },
      { type: 'text-delta' as const, id: '1', delta: 'hal' },
      {
        type: 'error' as const,
        error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
      },
    ]),
  });
  const stream = createAiSdkClient({ model }).stream(requestOf([user('go')]));
  await expect(partsOf(stream)).rejects.toMatchObject({ code: 'PITH_LLM_OVERFLOW' });
});

test('no package of the AI SDK is needed to load Pith', () => {
  const core = join(__dirname, '../../core');
  for (const file of readdirSync(core, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts'))
      expect(readFileSync(join(core, file), 'utf8')).not.toMatch(
        /(?:from|import\(|require\() ?'(?:ai|@ai-sdk\/[^']*)'/,
      );
  }
});
