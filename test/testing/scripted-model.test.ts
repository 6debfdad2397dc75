import { PithError } from '../../core';
import type { LlmReply, LlmStreamPart, NewItem, ToolSchema } from '../../core';
import { createScriptedModel, createVirtualClock, extendsPrevious } from '../../core/testing';
import type { ScriptedModel, ScriptedModelOptions, ScriptedReply, WireShape } from '../../core/testing';
import { assistant, call, open, prose, result, user } from '../support/context';

const TOOLS: readonly ToolSchema[] = [
  { name: 'read_file', description: 'Reads a file.', parameters: { type: 'object', properties: {} } },
];

const SHAPES: readonly WireShape[] = ['anthropic', 'openai-chat'];

function model(script: ScriptedModelOptions['script'], options: Partial<ScriptedModelOptions> = {}): ScriptedModel {
  return createScriptedModel({ script, ...options });
}

const send = (client: ScriptedModel, items: readonly NewItem[], signal?: AbortSignal): Promise<LlmReply> =>
  client.generate({
    context: open(items, { t: 'settings', system: 'P' }).context,
    tools: TOOLS,
    ...(signal && { signal }),
  });

async function failure(promise: Promise<unknown>): Promise<PithError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!PithError.is(error)) throw new Error('no Pith error');
  return error;
}

describe('a scripted model', () => {
  test('gives its replies in order, and says so when it has no more', async () => {
    const client = model(['one', { text: ['tw', 'o'] }]);
    expect((await send(client, [user('a')])).items).toEqual([assistant('one')]);
    expect((await send(client, [user('a')])).items).toEqual([assistant('two')]);
    const error = await failure(send(client, [user('a')]));
    expect(error.code).toBe('PITH_LLM_REQUEST');
    expect(error.message).toContain('ended after 2 replies');
  });

  test.each(SHAPES)(
    'streams reasoning, text in parts and calls, then the reply that holds them all, as %s',
    async (shape) => {
      const calls = [{ name: 'read_file', arguments: { path: 'a' } }];
      const client = model([{ reasoning: 'hm', text: 'some words', calls }, 'ok'], { shape });
      const parts: LlmStreamPart[] = [];
      for await (const part of client.stream({ context: open([user('a')]).context, tools: TOOLS })) parts.push(part);
      const last = parts.at(-1);
      if (last?.type !== 'reply') throw new Error('no reply');
      expect(parts.filter(({ type }) => type === 'text').length).toBeGreaterThan(1);
      expect(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')).toBe('some words');
      expect(parts.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
        'reasoning',
        'text',
        'tool-call',
        'reply',
      ]);
      expect(last.reply.stop).toBe('tool-calls');
      expect(last.reply.items.slice(1)).toEqual([assistant('some words'), call('call_1', 'read_file', { path: 'a' })]);
      expect(last.reply.items[0]).toMatchObject({ kind: 'reasoning', text: 'hm' });
      await send(client, [user('a'), ...last.reply.items, result('call_1', 'x')]);
      expect(JSON.stringify(client.requests.at(-1)?.body)).toContain('"hm"');
    },
  );

  test('shows the function that makes its replies what was asked', async () => {
    const client = model((request, n) => `${n}: ${request.last}; ${request.system.join()}; ${request.tools.join()}`);
    expect((await send(client, [user('hello')])).items).toEqual([assistant('0: hello; P; read_file')]);
  });

  test.each<[ScriptedReply['error'], string]>([
    ['overflow', 'PITH_LLM_OVERFLOW'],
    ['rate-limited', 'PITH_LLM_RATE_LIMITED'],
    ['server', 'PITH_LLM_TRANSPORT'],
    ['overloaded', 'PITH_LLM_TRANSPORT'],
    ['reset', 'PITH_LLM_TRANSPORT'],
    ['auth', 'PITH_LLM_AUTH'],
    ['request', 'PITH_LLM_REQUEST'],
    [{ status: 418, body: 'teapot' }, 'PITH_LLM_REQUEST'],
    [new PithError('PITH_LLM_REFUSED', 'no'), 'PITH_LLM_REFUSED'],
    [new PithError('PITH_LLM_OVERFLOW', 'mine'), 'PITH_LLM_OVERFLOW'],
  ])('fails with %p as %s', async (error, code) => {
    const thrown = await failure(
      send(model([{ text: 'never', error, retryAfterMs: 7 } as ScriptedReply]), [user('a')]),
    );
    expect(thrown.code).toBe(code);
    if (error === 'rate-limited') expect(thrown.details).toEqual({ retryAfterMs: 7 });
    if (PithError.is(error)) expect(thrown).toBe(error);
  });

  test('breaks in the middle of what it streams', async () => {
    const client = model([{ text: ['a', 'b', 'c', 'd'], error: 'reset' }]);
    const parts: LlmStreamPart[] = [];
    const read = async () => {
      for await (const part of client.stream({ context: open([user('a')]).context, tools: [] })) parts.push(part);
    };
    expect((await failure(read())).code).toBe('PITH_LLM_TRANSPORT');
    expect(parts).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
  });
});

describe('time and cancellation', () => {
  test('a delay passes on its clock', async () => {
    const clock = createVirtualClock();
    const client = model([{ text: 'late', delayMs: 60_000 }], { clock });
    let reply: LlmReply | undefined;
    void send(client, [user('a')]).then((given) => (reply = given));
    await clock.advance(59_999);
    expect(reply).toBeUndefined();
    await clock.advance(1);
    expect(reply?.items).toEqual([assistant('late')]);
  });

  test('an abort ends the wait, the stream, and what has not begun', async () => {
    const clock = createVirtualClock();
    const client = model(() => ({ text: ['a', 'b'], delayMs: 10 }), { clock });
    const during = new AbortController();
    const waiting = failure(send(client, [user('a')], during.signal));
    await clock.settle();
    during.abort();
    expect((await waiting).code).toBe('PITH_CANCELLED');
    expect(clock.pending).toBe(0);
    expect((await failure(send(client, [user('a')], AbortSignal.abort()))).code).toBe('PITH_CANCELLED');
    expect(client.requests).toHaveLength(1);
    const midway = new AbortController();
    const read = async () => {
      const stream = client.stream({ context: open([user('a')]).context, tools: [], signal: midway.signal });
      for await (const _ of stream) midway.abort();
    };
    const reading = failure(read());
    await clock.advance(10);
    expect((await reading).code).toBe('PITH_CANCELLED');
  });
});

describe('what it refuses', () => {
  test.each(SHAPES)('a broken request, before the script is asked, as %s', async (shape) => {
    let asked = 0;
    const client = model(() => String(asked++), { shape });
    const context = {
      system: [],
      length: 2,
      items: () => [
        { ...user('a'), id: 'a' },
        { ...call('c'), id: 'b' },
      ],
    };
    const error = await failure(client.generate({ context: context as never, tools: TOOLS }));
    expect(error).toMatchObject({ code: 'PITH_LLM_REQUEST', details: { rule: 'V2' } });
    expect(asked).toBe(0);
    expect(client.requests[0]?.violations).toMatchObject([{ rule: 'V2' }]);
  });

  test('an input that leaves no room for the reply, to the token', async () => {
    const ask = (window: number) =>
      failure(
        send(model(['ok'], { window, maxOutput: 100 }), [user(prose(200))]).then(() =>
          Promise.reject(new PithError('PITH_NOT_AVAILABLE', 'fits')),
        ),
      );
    const client = model(['ok']);
    await send(client, [user(prose(200))]);
    const input = client.requests[0]!.inputTokens;
    expect((await ask(input + 100)).code).toBe('PITH_NOT_AVAILABLE');
    expect((await ask(input + 99)).code).toBe('PITH_LLM_OVERFLOW');
  });

  test('thinking that was altered, but not thinking that comes back as it was', async () => {
    const client = model(() => ({ reasoning: 'I think', text: 'so' }));
    const { items } = await send(client, [user('a')]);
    await send(client, [user('a'), ...items, user('b')]);
    const altered = items.map((item) => (item.kind === 'reasoning' ? { ...item, text: 'I know' } : item));
    const error = await failure(send(client, [user('a'), ...altered, user('b')]));
    expect(error).toMatchObject({ code: 'PITH_LLM_REQUEST', details: { rule: 'signature' } });
  });
});

describe('what it bills', () => {
  test.each(SHAPES)('the longest prefix of an earlier request as a cache read, as %s', async (shape) => {
    const client = model(() => 'ok', { shape });
    const begin = [user(prose(1500)), assistant('ok')];
    const first = await send(client, [user(prose(1500))]);
    const second = await send(client, [...begin, user('more')]);
    const third = await send(client, [user(`other ${prose(1500)}`)]);
    const fourth = await send(client, [...begin, user('else')]);
    const tokens = [first, second, third, fourth].map(({ usage }) => usage);
    expect(tokens[0]).toMatchObject({ cacheReadTokens: 0, outputTokens: 1, model: 'scripted' });
    expect(tokens[1]?.cacheReadTokens).toBe(tokens[0]?.inputTokens);
    expect(tokens[2]?.cacheReadTokens).toBe(0);
    expect(tokens[3]?.cacheReadTokens).toBe(tokens[1]!.inputTokens - 1);
    expect(tokens[1]?.inputTokens).toBeGreaterThan(1500);
  });

  test('no cache read below the least that providers cache, and none for what was refused or failed', async () => {
    const small = model(() => 'ok');
    await send(small, [user('a')]);
    expect((await send(small, [user('a')])).usage?.cacheReadTokens).toBe(0);
    const eager = model(() => 'ok', { minCachedTokens: 0 });
    await send(eager, [user('a')]);
    expect((await send(eager, [user('a')])).usage?.cacheReadTokens).toBeGreaterThan(0);
    const failing = model([{ error: 'server' }, 'ok'], { minCachedTokens: 0 });
    await failure(send(failing, [user('a')]));
    expect((await send(failing, [user('a')])).usage?.cacheReadTokens).toBe(0);
  });

  test('what the script says instead, or nothing', async () => {
    const client = model([{ usage: { inputTokens: 5 } }, { usage: null }]);
    expect((await send(client, [user('a')])).usage).toMatchObject({ inputTokens: 5, cacheReadTokens: 0 });
    expect(await send(client, [user('a')])).not.toHaveProperty('usage');
  });
});

test.each(SHAPES)('says where requests do not extend the one before, as %s', async (shape) => {
  const client = model(() => 'ok', { shape });
  await send(client, [user('a')]);
  await send(client, [user('a'), assistant('ok'), user('b')]);
  expect(extendsPrevious(client.requests)).toEqual([]);
  await send(client, [user('a'), assistant('changed'), user('b'), assistant('ok')]);
  await client.generate({ context: open([user('a')], { t: 'settings', system: 'Q' }).context, tools: TOOLS });
  const offset = shape === 'anthropic' ? 0 : 1;
  expect(extendsPrevious(client.requests)).toEqual([
    { request: 2, part: 'messages', index: 1 + offset },
    { request: 3, part: shape === 'anthropic' ? 'system' : 'messages', index: 0 },
  ]);
});
