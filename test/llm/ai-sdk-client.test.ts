import { inspect } from 'node:util';
import { PithError } from '../../core';
import type { LlmClient, LlmReply, NewItem } from '../../core';
import { createVirtualClock, extendsPrevious, startStrictProvider } from '../../core/testing';
import type { ScriptedReply, StrictProvider, StrictProviderOptions, WireShape } from '../../core/testing';
import { prose, result, user } from '../support/context';
import { clientOf, partsOf, READ_FILE, replyOf, requestOf } from '../support/llm';

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
  const system = shape === 'anthropic' ? 'many' : 'one';
  const provider = await startStrictProvider({ shape, script, ...options, profile: { system, ...options.profile } });
  running.push(provider);
  return provider;
}

/** Both ways to get a reply. */
const WAYS: readonly (readonly [
  string,
  (client: LlmClient, request: Parameters<LlmClient['generate']>[0]) => Promise<LlmReply>,
])[] = [
  ['generate', (client, request) => client.generate(request)],
  ['stream', (client, request) => replyOf(client.stream(request))],
];

/** A promise that is resolved from outside. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

const codeOf = async (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (PithError.is(error) ? error.code : String(error)),
  );

describe.each(SHAPES)('over HTTP in the shape %s', (shape) => {
  const REPLY: ScriptedReply = {
    reasoning: 'let me think',
    text: 'Grüße 🌍, all of you',
    calls: [
      { name: 'read_file', arguments: { path: 'ä/🌍.ts' } },
      { name: 'read_file', arguments: {}, callId: 'mine' },
    ],
  };

  test.each(WAYS)('%s gives reasoning, text and calls of one reply, with its usage', async (_, ask) => {
    const provider = await start(shape, [REPLY]);
    const { items, stop, usage } = await ask(clientOf(shape, provider.url), requestOf([user('hi')]));
    expect(stop).toBe('tool-calls');
    expect(items).toMatchObject([
      { kind: 'reasoning', text: 'let me think' },
      { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'Grüße 🌍, all of you' }] },
      { kind: 'tool_call', callId: 'call_1', name: 'read_file', arguments: { path: 'ä/🌍.ts' } },
      { kind: 'tool_call', callId: 'mine', arguments: {} },
    ]);
    expect(new Set(items.map(({ reply }) => reply)).size).toBe(1);
    expect(items[0]?.reply).toMatch(/^reply-/);
    const [seen] = provider.requests;
    expect(usage).toMatchObject({ inputTokens: seen?.inputTokens, cacheReadTokens: 0, model: seen?.body['model'] });
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });

  test('a stream tells text, reasoning and calls as they come, and the reply last', async () => {
    const provider = await start(shape, [REPLY]);
    const parts = await partsOf(clientOf(shape, provider.url).stream(requestOf([user('hi')])));
    const textOf = (type: string): string =>
      parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');
    expect(textOf('text')).toBe('Grüße 🌍, all of you');
    expect(textOf('reasoning')).toBe('let me think');
    expect(parts.filter(({ type }) => type === 'text').length).toBeGreaterThan(1);
    expect(parts.filter(({ type }) => type === 'tool-call')).toEqual([
      { type: 'tool-call', callId: 'call_1', name: 'read_file' },
      { type: 'tool-call', callId: 'mine', name: 'read_file' },
    ]);
    expect(parts.filter(({ type }) => type === 'reply')).toHaveLength(1);
    expect(parts.at(-1)?.type).toBe('reply');
  });

  test('replies written back extend the request byte for byte, with the reasoning that its provider gave', async () => {
    const turns: readonly ScriptedReply[] = [
      REPLY,
      { reasoning: 'and now', text: 'reading', calls: [{ name: 'read_file', arguments: { path: 'b' } }] },
      { reasoning: 'almost', calls: [{ name: 'read_file', arguments: { path: 'c' } }] },
      { reasoning: 'there', text: 'done' },
      { text: 'again' },
    ];
    const provider = await start(shape, turns, { thinking: 'prefix' });
    const client = clientOf(shape, provider.url);
    const items: NewItem[] = [user('hi')];
    for (const [at] of turns.entries()) {
      const ask = at % 2 === 0 ? client.generate(requestOf(items)) : replyOf(client.stream(requestOf(items)));
      const reply = await ask;
      items.push(...reply.items);
      for (const item of reply.items) if (item.kind === 'tool_call') items.push(result(item.callId, 'contents'));
      if (reply.stop === 'end') items.push(user('go on'));
    }
    expect(provider.requests).toHaveLength(turns.length);
    expect(provider.requests.flatMap(({ violations }) => violations)).toEqual([]);
    expect(extendsPrevious(provider.requests)).toEqual([]);
    const field = shape === 'anthropic' ? '"thinking":"and now"' : '"reasoning_content":"and now"';
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(field);
  });

  test('arguments that are no JSON come as text, and the reply is kept', async () => {
    const provider = await start(shape, [{ calls: [{ name: 'read_file', arguments: '{"path": "a' }] }]);
    const { items } = await replyOf(clientOf(shape, provider.url).stream(requestOf([user('hi')])));
    expect(items).toMatchObject([{ kind: 'tool_call', name: 'read_file', arguments: '{"path": "a' }]);
  });

  test.each(WAYS)('%s tells a reply that was cut off, and one that was refused', async (_, ask) => {
    const provider = await start(shape, [
      { text: 'half of', stop: 'length' },
      { text: 'I cannot', stop: 'refusal' },
    ]);
    const client = clientOf(shape, provider.url);
    expect((await ask(client, requestOf([user('hi')]))).stop).toBe('length');
    expect((await ask(client, requestOf([user('hi')]))).stop).toBe('refusal');
  });

  test.each(WAYS)(
    '%s rejects with the kind of error that the provider meant, and sends no second request',
    async (_, ask) => {
      const provider = await start(shape, [{ error: 'overflow' }, { error: 'auth' }, { error: 'request' }]);
      const client = clientOf(shape, provider.url);
      expect(await codeOf(ask(client, requestOf([user('hi')])))).toBe('PITH_LLM_OVERFLOW');
      expect(await codeOf(ask(client, requestOf([user('hi')])))).toBe('PITH_LLM_AUTH');
      expect(await codeOf(ask(client, requestOf([user('hi')])))).toBe('PITH_LLM_REQUEST');
      expect(provider.requests).toHaveLength(3);
    },
  );

  test.each(WAYS)('%s tries again after failures, overload, rate limits and broken connections', async (_, ask) => {
    const faults = ['server', 'overloaded', 'rate-limited', 'reset'] as const;
    const provider = await start(shape, [
      ...faults.map((error) => ({ text: 'so far and on', error })),
      { text: 'made it' },
    ]);
    const { items } = await ask(clientOf(shape, provider.url), requestOf([user('hi')]));
    expect(items).toMatchObject([{ parts: [{ text: 'made it' }] }]);
    expect(provider.requests).toHaveLength(5);
  });

  test('a stream that breaks says so, and what it told before is void', async () => {
    const provider = await start(shape, [
      { text: ['one ', 'two ', 'three ', 'four'], error: 'reset' },
      { text: 'whole' },
    ]);
    const parts = await partsOf(clientOf(shape, provider.url).stream(requestOf([user('hi')])));
    const types = parts.map(({ type }) => type);
    const at = types.indexOf('retry');
    expect(types.slice(0, at)).toContain('text');
    expect(parts[at]).toMatchObject({
      type: 'retry',
      attempt: 1,
      delayMs: 0,
      reason: expect.stringContaining('failed'),
    });
    const told = parts.slice(at + 1).flatMap((part) => (part.type === 'text' ? [part.text] : []));
    expect(told.join('')).toBe('whole');
    expect(types.filter((type) => type === 'reply')).toHaveLength(1);
  });

  test('after the last retry the error stands', async () => {
    const provider = await start(shape, () => ({ error: 'server' }));
    const client = clientOf(shape, provider.url, { maxRetries: 2 });
    await expect(client.generate(requestOf([user('hi')]))).rejects.toMatchObject({
      code: 'PITH_LLM_TRANSPORT',
      details: { status: 500, transient: true },
    });
    expect(provider.requests).toHaveLength(3);
  });

  test('a rate limit is waited for as long as the provider asks', async () => {
    const clock = createVirtualClock();
    const provider = await start(shape, [{ error: 'rate-limited', retryAfterMs: 20_000 }, { text: 'now' }]);
    const client = clientOf(shape, provider.url, { clock, timeoutMs: 1e9 });
    const stream = client.stream(requestOf([user('hi')]))[Symbol.asyncIterator]();
    expect((await stream.next()).value).toMatchObject({ type: 'retry', delayMs: 20_000 });
    const next = stream.next();
    await clock.advance(19_999);
    expect(provider.requests).toHaveLength(1);
    await clock.advance(1);
    expect((await next).value).toMatchObject({ type: 'text' });
    expect(provider.requests).toHaveLength(2);
  });

  test('a wait that would be too long is left to the caller', async () => {
    const provider = await start(shape, [{ error: 'rate-limited', retryAfterMs: 90_000 }]);
    await expect(clientOf(shape, provider.url).generate(requestOf([user('hi')]))).rejects.toMatchObject({
      code: 'PITH_LLM_RATE_LIMITED',
      details: { retryAfterMs: 90_000 },
    });
    expect(provider.requests).toHaveLength(1);
  });

  describe('a signal', () => {
    test('that has aborted sends nothing', async () => {
      const provider = await start(shape, [{ text: 'never' }]);
      const request = { ...requestOf([user('hi')]), signal: AbortSignal.abort() };
      expect(await codeOf(clientOf(shape, provider.url).generate(request))).toBe('PITH_CANCELLED');
      expect(provider.requests).toHaveLength(0);
    });

    test('ends a request at once and drops the connection', async () => {
      const clock = createVirtualClock();
      const controller = new AbortController();
      const arrived = gate();
      const provider = await start(
        shape,
        () => {
          arrived.open();
          return { text: 'late', delayMs: 60_000 };
        },
        { clock },
      );
      const request = { ...requestOf([user('hi')]), signal: controller.signal };
      const work = codeOf(clientOf(shape, provider.url).generate(request));
      await arrived.passed;
      controller.abort();
      expect(await work).toBe('PITH_CANCELLED');
      while (provider.dropped.length === 0) await new Promise(setImmediate);
      expect(provider.dropped).toEqual([0]);
    });

    test('ends a stream between two parts', async () => {
      const provider = await start(shape, [{ text: ['one', 'two', 'three'] }]);
      const controller = new AbortController();
      const seen: string[] = [];
      const work = (async () => {
        for await (const part of clientOf(shape, provider.url).stream({
          ...requestOf([user('hi')]),
          signal: controller.signal,
        })) {
          seen.push(part.type);
          controller.abort();
        }
      })();
      expect(await codeOf(work)).toBe('PITH_CANCELLED');
      expect(seen).toEqual(['text']);
    });

    test('ends the wait before a retry at once', async () => {
      const clock = createVirtualClock();
      const controller = new AbortController();
      const provider = await start(shape, [{ error: 'server' }]);
      const client = clientOf(shape, provider.url, { clock, random: () => 1, timeoutMs: 1e9 });
      const stream = client.stream({ ...requestOf([user('hi')]), signal: controller.signal })[Symbol.asyncIterator]();
      expect((await stream.next()).value).toMatchObject({ type: 'retry', delayMs: 1_000 });
      const next = codeOf(stream.next());
      controller.abort();
      expect(await next).toBe('PITH_CANCELLED');
      expect(clock.pending).toBe(0);
    });
  });

  test('a consumer that leaves a stream ends its request', async () => {
    const provider = await start(shape, [{ text: ['one', 'two', 'three'] }]);
    for await (const _ of clientOf(shape, provider.url).stream(requestOf([user('hi')]))) break;
    await provider.close();
    expect(provider.requests).toHaveLength(1);
  });

  test('a provider that stays silent is given up after the timeout, and asked again', async () => {
    const clock = createVirtualClock();
    const arrived = gate();
    const provider = await start(shape, (_, n) => {
      arrived.open();
      return n === 0 ? new Promise<ScriptedReply>(() => undefined) : { text: 'awake' };
    });
    const client = clientOf(shape, provider.url, { clock, timeoutMs: 5_000 });
    const parts = partsOf(client.stream(requestOf([user('hi')])));
    await arrived.passed;
    await clock.advance(5_000);
    await clock.idle();
    expect((await parts)[0]).toMatchObject({ type: 'retry', reason: expect.stringContaining('5 seconds') });
    expect((await parts).at(-1)).toMatchObject({ type: 'reply', reply: { stop: 'end' } });
  });

  test('input above the window that nobody refuses is an overflow', async () => {
    const provider = await start(shape, [{ text: 'fine', usage: { inputTokens: 9_000 } }]);
    const client = clientOf(shape, provider.url, { limits: { contextWindow: 8_000, maxOutput: 100 } });
    await expect(client.generate(requestOf([user('hi')]))).rejects.toMatchObject({
      code: 'PITH_LLM_OVERFLOW',
      message: expect.stringContaining('9000'),
    });
  });

  test('a reply without a single token, cut off at the limit, is an overflow', async () => {
    const provider = await start(shape, () => ({ stop: 'length', usage: { outputTokens: 0 } }));
    const client = clientOf(shape, provider.url);
    expect(await codeOf(client.generate(requestOf([user('hi')])))).toBe('PITH_LLM_OVERFLOW');
    expect(await codeOf(replyOf(client.stream(requestOf([user('hi')]))))).toBe('PITH_LLM_OVERFLOW');
  });

  test('C24: the reply allowance that the window is divided by is the one that is asked for', async () => {
    const provider = await start(shape, () => 'ok', { window: 20_000 });
    const client = clientOf(shape, provider.url, { limits: { contextWindow: 20_000, maxOutput: 3_000 } });
    await client.generate(requestOf([user('hi')]));
    await client.generate({ ...requestOf([user('hi')]), maxOutputTokens: 77 });
    expect(provider.requests.map(({ body }) => body['max_tokens'])).toEqual([3_000, 77]);
    expect(await codeOf(client.generate(requestOf([user(prose(18_000))])))).toBe('PITH_LLM_OVERFLOW');
  });

  test('nothing is printed', async () => {
    const printed = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const warned = ['warn', 'info', 'log', 'error'].map((name) =>
      jest.spyOn(console, name as 'warn').mockReturnValue(),
    );
    try {
      const provider = await start(shape, () => ({ text: 'ok' }));
      const client = clientOf(shape, provider.url, { providerOptions: { anthropic: { unheardOf: true } } });
      await client.generate(requestOf([user('hi')]));
      await replyOf(client.stream(requestOf([user('hi')])));
      for (const spy of [printed, ...warned]) expect(spy).not.toHaveBeenCalled();
    } finally {
      for (const spy of [printed, ...warned]) spy.mockRestore();
    }
  });

  test('no key is in an error, and none in the client as it is printed', async () => {
    const provider = await start(shape, () => ({
      error: { status: 401, body: { error: { message: 'invalid key key-of-the-test', type: 'authentication_error' } } },
    }));
    const client = clientOf(shape, provider.url, { secrets: () => ['key-of-the-test'] });
    const error: unknown = await client.generate(requestOf([user('hi')])).catch((thrown: unknown) => thrown);
    expect(inspect(error, { depth: 9 })).not.toContain('key-of-the-test');
    expect(inspect(client, { depth: 9 })).not.toContain('key-of-the-test');
    expect(inspect(error)).toContain('[masked]');
  });
});

describe('the prompt cache of Anthropic', () => {
  test('serves what was sent before, also when a step adds more blocks than a provider looks back', async () => {
    const provider = await start('anthropic', () => ({ text: 'ok' }), { minCachedTokens: 0 });
    const client = clientOf('anthropic', provider.url);
    const many = Array.from({ length: 15 }, (_, at) => `c${at}`);
    const items: NewItem[] = [user(prose(500))];
    await client.generate(requestOf(items));
    items.push(
      ...many.map((callId): NewItem => ({ kind: 'tool_call', callId, name: 'read_file', arguments: {}, reply: 'r' })),
      ...many.map((callId) => result(callId, prose(20))),
    );
    await client.generate(requestOf(items));
    const [first, second] = provider.requests;
    expect(second?.cacheReadTokens).toBe(first?.inputTokens);
    expect(second?.violations).toEqual([]);
  });

  test('is not asked for where it is switched off', async () => {
    const provider = await start('anthropic', () => ({ text: 'ok' }));
    await clientOf('anthropic', provider.url, { promptCache: false }).generate(requestOf([user('hi')]));
    expect(JSON.stringify(provider.requests[0]?.body)).not.toContain('cache_control');
  });

  test('leaves the marks of the user alone', async () => {
    const provider = await start('anthropic', () => ({ text: 'ok' }));
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } };
    const own = { ...user('hi'), provider: providerOptions } as NewItem;
    await clientOf('anthropic', provider.url, { providerOptions }).generate(requestOf([own, user('there')]));
    const body = JSON.stringify(provider.requests[0]?.body);
    expect(body.match(/"cache_control"/g)?.length).toBeLessThanOrEqual(4);
    expect(body).toContain('"ttl":"1h"');
  });
});

test('thinking leaves the rest of the allowance to the reply', async () => {
  const provider = await start('anthropic', () => ({ text: 'ok' }));
  const client = clientOf('anthropic', provider.url, {
    limits: { maxOutput: 10_000 },
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 4_000 } } },
  });
  await client.generate(requestOf([user('hi')]));
  expect(provider.requests[0]?.body).toMatchObject({ max_tokens: 10_000, thinking: { budget_tokens: 4_000 } });
});

test('of a model of which nothing is known the provider decides how long its replies are', async () => {
  const provider = await start('openai-chat', () => ({ text: 'ok' }));
  await clientOf('openai-chat', provider.url, {}, 'nobody-knows').generate(requestOf([user('hi')]));
  expect(provider.requests[0]?.body).not.toHaveProperty('max_tokens');
});

test('the tools of a request are declarations', async () => {
  const provider = await start('openai-chat', () => ({ text: 'ok' }));
  await clientOf('openai-chat', provider.url).generate(requestOf([user('hi')]));
  expect(provider.requests[0]?.body['tools']).toEqual([{ type: 'function', function: { ...READ_FILE } }]);
});

test('limits and tokenizer are those of the model', () => {
  const client = clientOf('anthropic', 'http://127.0.0.1:9', { limits: { contextWindow: 1_000_000 } });
  expect(client.limits()).toEqual({ contextWindow: 1_000_000, maxOutput: 64_000, source: 'user' });
  expect(client.tokenizer()).toBe(client.tokenizer());
  expect(client.tokenizer().countText('hello world')).toBe(2);
  expect(client.profile).toMatchObject({ name: 'anthropic', system: 'many' });
});
