import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, jsonSchema, streamText, tool } from 'ai';
import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import { PithError } from '../../core';
import { createVirtualClock, startStrictProvider } from '../../core/testing';
import type { ScriptedReply, StrictProvider, StrictProviderOptions, WireShape } from '../../core/testing';
import { prose } from '../support/context';

const SHAPES: readonly WireShape[] = ['anthropic', 'openai-chat'];

const running: StrictProvider[] = [];
afterEach(async () => {
  for (const provider of running.splice(0)) await provider.close();
});

async function start(
  shape: WireShape,
  script: StrictProviderOptions['script'],
  options: Partial<StrictProviderOptions> = {},
): Promise<StrictProvider> {
  const provider = await startStrictProvider({ shape, script, ...options });
  running.push(provider);
  return provider;
}

/** A client of the shape, as a host would use it. */
function client(provider: StrictProvider, shape: WireShape): LanguageModel {
  return shape === 'anthropic'
    ? createAnthropic({ baseURL: provider.url, apiKey: 'k' })('claude-test')
    : createOpenAICompatible({ name: 'test', baseURL: provider.url, apiKey: 'k', includeUsage: true })('gpt-test');
}

const TOOLS = {
  read_file: tool({
    description: 'Reads a file.',
    inputSchema: jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } } }),
  }),
} as unknown as ToolSet;

const messages: ModelMessage[] = [{ role: 'user', content: 'hello' }];
const maxOutputTokens = 1000;

/** Posts a body as it is. */
async function post(
  { url }: StrictProvider,
  shape: WireShape,
  body: unknown,
  signal?: AbortSignal,
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: { readonly [key: string]: unknown } }> {
  const response = await fetch(`${url}${shape === 'anthropic' ? '/messages' : '/chat/completions'}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
}

const plain = (content: unknown = 'hello', more: object = {}): object => ({
  model: 'm',
  max_tokens: 100,
  messages: [{ role: 'user', content }],
  ...more,
});

describe.each(SHAPES)('over HTTP as %s', (shape) => {
  const REPLY: ScriptedReply = {
    reasoning: 'let me think',
    text: 'Grüße 🌍, all of you',
    calls: [
      { name: 'read_file', arguments: { path: 'ä/🌍.ts' } },
      { name: 'read_file', arguments: {}, callId: 'mine' },
    ],
  };

  test('a reply comes whole', async () => {
    const provider = await start(shape, [REPLY]);
    const reply = await generateText({
      model: client(provider, shape),
      maxOutputTokens,
      messages,
      system: 'P',
      tools: TOOLS,
    });
    expect(reply.text).toBe('Grüße 🌍, all of you');
    expect(reply.reasoningText).toBe('let me think');
    expect(reply.toolCalls.map(({ toolCallId, input }) => [toolCallId, input])).toEqual([
      ['call_1', { path: 'ä/🌍.ts' }],
      ['mine', {}],
    ]);
    expect(reply.finishReason).toBe('tool-calls');
    expect(reply.usage.inputTokens).toBe(provider.requests[0]?.inputTokens);
    expect(reply.warnings ?? []).toEqual([]);
  });

  test('a reply comes in pieces, arguments in fragments', async () => {
    const provider = await start(shape, [REPLY]);
    const reply = streamText({ model: client(provider, shape), maxOutputTokens, messages, system: 'P', tools: TOOLS });
    const kinds: string[] = [];
    for await (const part of reply.fullStream) kinds.push(part.type);
    expect(await reply.text).toBe('Grüße 🌍, all of you');
    expect(await reply.reasoningText).toBe('let me think');
    expect((await reply.toolCalls).map(({ toolCallId, input }) => [toolCallId, input])).toEqual([
      ['call_1', { path: 'ä/🌍.ts' }],
      ['mine', {}],
    ]);
    for (const kind of ['text-delta', 'tool-input-delta', 'reasoning-delta'])
      expect(kinds.filter((one) => one === kind).length).toBeGreaterThan(1);
    expect((await reply.usage).inputTokens).toBe(provider.requests[0]?.inputTokens);
    expect((await reply.usage).outputTokens).toBeGreaterThan(5);
  });

  test.each([
    ['length', 'length'],
    ['refusal', 'content-filter'],
    ['end', 'stop'],
  ] as const)('a reply that ends by %s says so', async (stop, finishReason) => {
    const provider = await start(shape, [
      { text: 'x', stop },
      { text: 'x', stop },
    ]);
    const model = client(provider, shape);
    expect((await generateText({ model, maxOutputTokens, messages })).finishReason).toBe(finishReason);
    expect(await streamText({ model, maxOutputTokens, messages }).finishReason).toBe(finishReason);
  });

  test('what went before is a cache read', async () => {
    const provider = await start(shape, () => 'ok');
    const model = client(provider, shape);
    const cached = { anthropic: { cacheControl: { type: 'ephemeral' as const } } };
    const long: ModelMessage = { role: 'user', content: prose(1500), providerOptions: cached };
    const first = await generateText({ model, maxOutputTokens, messages: [long] });
    const next: ModelMessage[] = [
      long,
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: 'on', providerOptions: cached },
    ];
    const second = await generateText({ model, maxOutputTokens, messages: next });
    expect(second.usage.cachedInputTokens).toBe(first.usage.inputTokens);
    expect(second.usage.inputTokens).toBe(provider.requests[1]?.inputTokens);
    expect(provider.requests.map(({ cacheWriteTokens }) => cacheWriteTokens > 0)).toEqual(
      shape === 'anthropic' ? [true, true] : [false, false],
    );
  });

  test.each<[ScriptedReply, number]>([
    [{ error: 'overflow' }, 400],
    [{ error: 'rate-limited', retryAfterMs: 1500 }, 429],
    [{ error: 'server' }, 500],
    [{ error: 'overloaded' }, shape === 'anthropic' ? 529 : 503],
    [{ error: 'auth' }, 401],
    [{ error: 'request' }, 400],
    [{ error: new PithError('PITH_LLM_RATE_LIMITED', 'x') }, 429],
    [{ error: new PithError('PITH_LLM_TRANSPORT', 'x') }, 500],
    [{ error: new PithError('PITH_LLM_AUTH', 'x') }, 401],
    [{ error: new PithError('PITH_LLM_OVERFLOW', 'x') }, 400],
    [{ error: new PithError('PITH_NOT_AVAILABLE', 'x') }, 400],
    [{ error: { status: 418, body: 'short and stout', headers: { 'x-pot': 'tea' } } }, 418],
  ])('fails as the script says: %j', async (reply, status) => {
    const provider = await start(shape, [reply]);
    const answer = await post(provider, shape, plain());
    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe(reply.retryAfterMs === undefined ? null : '2');
    if (status === 418)
      expect([answer.body, answer.headers.get('x-pot')]).toEqual([{ text: 'short and stout' }, 'tea']);
    else expect(answer.body['error']).toMatchObject({ message: expect.any(String), type: expect.any(String) });
    if (reply.error === 'overflow')
      expect(JSON.stringify(answer.body)).toMatch(/exceed context limit|context_length_exceeded/);
  });

  test.each([false, true])('breaks the connection in the middle of a reply, streamed: %p', async (stream) => {
    const provider = await start(shape, [{ text: prose(200), error: 'reset' }]);
    await expect(post(provider, shape, plain('x', { stream }))).rejects.toThrow();
    expect(provider.requests).toHaveLength(1);
    expect(provider.dropped).toEqual([]);
  });

  test('waits on its clock, and notices that the client went away', async () => {
    const clock = createVirtualClock();
    let arrived = (): void => undefined;
    const there = new Promise<void>((resolve) => (arrived = resolve));
    const provider = await start(shape, () => (arrived(), { text: 'x', delayMs: 1000 }), { clock });
    const abort = new AbortController();
    const gone = post(provider, shape, plain(), abort.signal);
    await there;
    abort.abort();
    await expect(gone).rejects.toThrow();
    while (provider.dropped.length === 0) await clock.settle();
    expect(provider.dropped).toEqual([0]);
    expect(clock.pending).toBe(0);
    const kept = post(provider, shape, plain());
    while (clock.pending === 0) await clock.settle();
    await clock.advance(1000);
    expect((await kept).status).toBe(200);
  });

  test('says what a test did wrong, in ways that no client tries again', async () => {
    const provider = await start(shape, (_, n) => {
      if (n === 0) throw new Error('oops');
      return 'ok';
    });
    expect(await post(provider, shape, plain())).toMatchObject({
      status: 400,
      body: { text: 'The script failed: oops' },
    });
    expect(await post(provider, shape, '{')).toMatchObject({ status: 400 });
    expect(await post(provider, shape, { messages: [] })).toMatchObject({ status: 400 });
    const wrong = await fetch(`${provider.url}/models`);
    expect(wrong.status).toBe(404);
    const short = await start(shape, []);
    expect((await post(short, shape, plain())).body['text']).toContain('ended after 0 replies');
  });

  test('keeps what it was sent', async () => {
    const provider = await start(shape, ['ok']);
    await generateText({ model: client(provider, shape), maxOutputTokens, messages, system: 'P', tools: TOOLS });
    const [request] = provider.requests;
    expect(request).toMatchObject({ n: 0, shape, system: ['P'], last: 'hello', tools: ['read_file'], violations: [] });
    expect(request?.headers[shape === 'anthropic' ? 'x-api-key' : 'authorization']).toContain('k');
  });

  test('refuses an input that leaves no room for the reply, to the token', async () => {
    const measure = await start(shape, ['ok']);
    await post(measure, shape, plain(prose(300)));
    const input = measure.requests[0]!.inputTokens;
    const fits = await start(shape, ['ok'], { window: input + 100 });
    expect((await post(fits, shape, plain(prose(300)))).status).toBe(200);
    const full = await start(shape, ['ok'], { window: input + 99 });
    const refused = await post(full, shape, plain(prose(300)));
    expect(refused.status).toBe(400);
    expect(full.requests[0]?.violations).toMatchObject([{ rule: 'V7' }]);
    expect(JSON.stringify(refused.body)).toMatch(/exceed context limit|context_length_exceeded/);
    const tiny = await start(shape, ['ok'], { window: 100 });
    expect(JSON.stringify((await post(tiny, shape, plain(prose(300)))).body)).toMatch(
      /prompt is too long|maximum context/,
    );
  });

  test('refuses cache marks beyond those it takes', async () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const content = Array.from({ length: 5 }, (_, at) => ({ type: 'text', text: `part ${at}`, ...mark }));
    const provider = await start(shape, ['ok']);
    expect((await post(provider, shape, plain(content))).status).toBe(400);
    expect(provider.requests[0]?.violations).toMatchObject([{ rule: 'marks' }]);
    const most = shape === 'anthropic' ? 4 : 0;
    expect((await post(provider, shape, plain([...content.slice(0, most), { type: 'text', text: 'x' }]))).status).toBe(
      200,
    );
    expect((await post(provider, shape, plain(content.slice(0, most + 1)))).status).toBe(400);
  });
});

describe('thinking with a signature', () => {
  const ask = (...more: readonly object[]) => ({
    model: 'm',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'think' }, ...more],
  });

  test('is taken back as it was given, also by another instance, and refused when altered', async () => {
    const script = () => ({ reasoning: 'therefore', text: 'so' });
    const provider = await start('anthropic', script);
    const content = (await post(provider, 'anthropic', ask())).body['content'] as { [key: string]: unknown }[];
    expect(content[0]).toMatchObject({ type: 'thinking', thinking: 'therefore' });
    const next = { role: 'user', content: 'go on' };
    const other = await start('anthropic', script);
    expect((await post(other, 'anthropic', ask({ role: 'assistant', content }, next))).status).toBe(200);
    for (const change of [{ thinking: 'hence' }, { signature: 'c2lnbmVk' }, { signature: '' }]) {
      const altered = [{ ...content[0], ...change }, ...content.slice(1)];
      const refused = await post(provider, 'anthropic', ask({ role: 'assistant', content: altered }, next));
      expect(refused.status).toBe(400);
      expect(JSON.stringify(refused.body)).toContain('messages.1: Invalid `signature`');
    }
  });

  test('may be bound to all that stood before it', async () => {
    const provider = await start('anthropic', () => ({ reasoning: 'therefore', text: 'so' }), { thinking: 'prefix' });
    const { body } = await post(provider, 'anthropic', ask());
    const said = { role: 'assistant', content: body['content'] };
    const next = { role: 'user', content: 'go on' };
    expect((await post(provider, 'anthropic', ask(said, next))).status).toBe(200);
    const moved = { ...ask(said, next), system: 'another prompt' };
    expect((await post(provider, 'anthropic', moved)).status).toBe(400);
    expect(provider.requests[2]?.violations).toMatchObject([{ rule: 'signature', index: 1 }]);
  });
});

test('the API errors are those that clients know', async () => {
  for (const shape of SHAPES) {
    const provider = await start(shape, [{ error: 'auth' }]);
    const error: unknown = await generateText({
      model: client(provider, shape),
      maxOutputTokens,
      messages,
      maxRetries: 0,
    }).catch((thrown: unknown) => thrown);
    expect(APICallError.isInstance(error) && error.statusCode).toBe(401);
  }
});
