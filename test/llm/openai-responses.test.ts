import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createOpenAI } from '@ai-sdk/openai';
import type { LlmClient, LlmReply, LlmRequest, NewItem } from '../../core';
import { createAiSdkClient } from '../../core/llm/ai-sdk-client';
import type { AiSdkClientOptions } from '../../core/llm/ai-sdk-client';
import { result, user } from '../support/context';
import { replyOf, requestOf } from '../support/llm';

interface Body {
  readonly input: readonly { readonly [key: string]: unknown }[];
  readonly [key: string]: unknown;
}
type Output = { readonly type: string; readonly id: string } & { readonly [key: string]: unknown };

const REASONING = {
  type: 'reasoning',
  id: 'rs_1',
  encrypted_content: 'ZW5jcnlwdGVk',
  summary: [
    { type: 'summary_text', text: 'First this.' },
    { type: 'summary_text', text: 'Then that.' },
  ],
};
const CALL = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'read_file',
  arguments: '{"path":"a"}',
  status: 'completed',
};
const MESSAGE = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'I read a.', annotations: [] }],
};

const USAGE = {
  input_tokens: 500,
  input_tokens_details: { cached_tokens: 300 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 30 },
};

let server: Server;
let url: string;
let bodies: Body[];
let outputs: (readonly Output[] | { readonly failed: object })[];

beforeEach(async () => {
  bodies = [];
  server = createServer((request, response) => {
    void text(request).then((json) => {
      const body = JSON.parse(json) as Body;
      bodies.push(body);
      const output = outputs.shift() ?? [];
      const streamed = body['stream'] === true;
      response.setHeader('content-type', streamed ? 'text/event-stream' : 'application/json');
      response.end(streamed ? eventsOf(output) : JSON.stringify({ ...HEAD, output, usage: USAGE }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const HEAD = { id: 'resp_1', created_at: 0, model: 'gpt-5' };

function eventsOf(output: readonly Output[] | { readonly failed: object }): string {
  const events: object[] = [{ type: 'response.created', response: HEAD }];
  if ('failed' in output) {
    events.push({ type: 'response.failed', sequence_number: 1, response: { error: output.failed } });
  } else {
    output.forEach((item, output_index) => {
      const { summary, content, ...begun } = item;
      events.push({
        type: 'response.output_item.added',
        output_index,
        item: { ...begun, encrypted_content: null, arguments: '' },
      });
      for (const [summary_index, { text: delta }] of ((summary ?? []) as { text: string }[]).entries()) {
        const at = { item_id: item.id, summary_index };
        events.push({ type: 'response.reasoning_summary_part.added', ...at });
        events.push({ type: 'response.reasoning_summary_text.delta', ...at, delta });
        events.push({ type: 'response.reasoning_summary_part.done', ...at });
      }
      for (const { text: delta } of (content ?? []) as { text: string }[])
        events.push({ type: 'response.output_text.delta', item_id: item.id, delta });
      events.push({ type: 'response.output_item.done', output_index, item });
    });
    events.push({ type: 'response.completed', response: { ...HEAD, usage: USAGE } });
  }
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

const clientOf = (options: Partial<AiSdkClientOptions> = {}): LlmClient =>
  createAiSdkClient({ model: createOpenAI({ baseURL: url, apiKey: 'k' })('gpt-5'), random: () => 0, ...options });

const WAYS: readonly (readonly [string, (client: LlmClient, request: LlmRequest) => Promise<LlmReply>])[] = [
  ['generate', (client, request) => client.generate(request)],
  ['stream', (client, request) => replyOf(client.stream(request))],
];

test.each(WAYS)(
  '%s: reasoning travels encrypted and goes back as it came, in front of the call that it led to',
  async (_, ask) => {
    outputs = [[REASONING, CALL], [MESSAGE]];
    const client = clientOf();
    const { items, stop, usage } = await ask(client, requestOf([user('go')]));
    expect(stop).toBe('tool-calls');
    expect(usage).toEqual({
      inputTokens: 500,
      cacheReadTokens: 300,
      outputTokens: 40,
      reasoningTokens: 30,
      model: 'gpt-5',
    });
    expect(items).toMatchObject([
      { kind: 'reasoning', text: 'First this.', provider: { openai: { itemId: 'rs_1' } } },
      { kind: 'reasoning', text: 'Then that.', opaque: 'ZW5jcnlwdGVk', provider: { openai: { itemId: 'rs_1' } } },
      { kind: 'tool_call', callId: 'call_1', arguments: { path: 'a' } },
    ]);
    expect(items[0]).not.toHaveProperty('opaque');
    expect(JSON.stringify(items).match(/ZW5jcnlwdGVk/g)).toHaveLength(1);

    await ask(client, requestOf([user('go'), ...items, result('call_1', 'contents')]));
    expect(bodies[0]).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(bodies[1]?.input.slice(2)).toMatchObject([
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'ZW5jcnlwdGVk', summary: REASONING.summary },
      { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'contents' },
    ]);
  },
);

test.each(WAYS)('%s: nothing refers to a reply that the provider may have forgotten', async (_, ask) => {
  outputs = [[REASONING, MESSAGE], [MESSAGE]];
  const client = clientOf();
  const { items } = await ask(client, requestOf([user('go')]));
  const withoutReasoning = items.filter(({ kind }) => kind !== 'reasoning');
  await ask(client, requestOf([user('go'), ...withoutReasoning, user('on')]));
  expect(JSON.stringify(bodies[1])).not.toMatch(/item_reference|rs_1|msg_1/);
  expect(JSON.stringify(bodies[1])).toContain('I read a.');
});

test('who has replies kept there gets them named', async () => {
  outputs = [[REASONING, MESSAGE], [MESSAGE]];
  const client = clientOf({ providerOptions: { openai: { store: true } } });
  const { items } = await client.generate(requestOf([user('go')]));
  await client.generate(requestOf([user('go'), ...items, user('on')]));
  expect(bodies[1]?.input).toContainEqual({ type: 'item_reference', id: 'rs_1' });
});

test('system content is as many messages as it has pieces', async () => {
  outputs = [[MESSAGE]];
  await clientOf().generate(requestOf([user('go')], { t: 'pin', text: 'Pinned.' }));
  expect(bodies[0]?.input).toMatchObject([
    { role: 'developer', content: 'You help.' },
    { role: 'developer', content: 'Pinned.' },
    { role: 'user' },
  ]);
});

test('images of results stand in the result', async () => {
  outputs = [[MESSAGE]];
  const shown: NewItem = {
    kind: 'tool_result',
    callId: 'c',
    summary: 's',
    content: [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }],
  };
  await clientOf().generate(
    requestOf([user('go'), { kind: 'tool_call', callId: 'c', name: 'look', arguments: {} }, shown]),
  );
  expect(bodies[0]?.input.at(-1)).toMatchObject({
    type: 'function_call_output',
    output: [{ type: 'input_image', image_url: 'data:image/png;base64,aGk=' }],
  });
});

test('tools are not made strict', async () => {
  outputs = [[MESSAGE]];
  await clientOf().generate(requestOf([user('go')]));
  expect(bodies[0]?.['tools']).toMatchObject([{ type: 'function', name: 'read_file', strict: false }]);
});

test('an overflow within a stream is an overflow, a failure is tried again', async () => {
  outputs = [
    { failed: { code: 'server_error', message: 'The server had an error.' } },
    { failed: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' } },
  ];
  await expect(replyOf(clientOf().stream(requestOf([user('go')])))).rejects.toMatchObject({
    code: 'PITH_LLM_OVERFLOW',
  });
  expect(bodies).toHaveLength(2);
});
