import { createPith } from '../../../core/adapters/ai-sdk';
import type { AiSdkMessage, AiSdkPart, AiSdkPith, HostOptions } from '../../../core/adapters/ai-sdk';
import { createMemoryStore } from '../../../core/session/memory-store';
import type { SessionRecord } from '../../../core/session/records';

const part = (fields: object): AiSdkPart => fields as AiSdkPart;
const user = (text: string): AiSdkMessage => ({ role: 'user', content: [part({ type: 'text', text })] });
const SYSTEM: AiSdkMessage = { role: 'system', content: 'Be brief.' };

let pith: AiSdkPith;
const store = createMemoryStore();
let sessions = 0;
let sessionId = '';

async function start(options: HostOptions = {}): Promise<AiSdkPith> {
  sessionId = `chat-${++sessions}`;
  return (pith = await createPith({ store, limits: { contextWindow: 20_000, maxOutput: 2_000 }, ...options }));
}

afterEach(() => pith.close());

async function recordsOf(id: string): Promise<readonly SessionRecord[]> {
  await pith.idle();
  return (await store.read(id)).records;
}

interface Answer {
  readonly content: readonly AiSdkPart[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly providerMetadata?: unknown;
}

/** A model that answers one thing, and keeps what it was asked. */
function modelOf(answer: Answer, specificationVersion = 'v3') {
  const asked: { readonly prompt: readonly AiSdkMessage[] }[] = [];
  const doGenerate = (params: { readonly prompt: readonly AiSdkMessage[] }): Promise<Answer> => {
    asked.push(params);
    return Promise.resolve(answer);
  };
  const doStream = (): Promise<never> => Promise.reject(new Error('not asked for'));
  return { asked, model: { specificationVersion, provider: 'openai.responses', modelId: 'm-1', doGenerate, doStream } };
}

async function call(answer: Answer, prompt: readonly AiSdkMessage[], version?: string, more: object = {}) {
  const { asked, model } = modelOf(answer, version);
  const params = { prompt, ...more };
  const { wrapGenerate } = pith.middleware({ sessionId });
  const doGenerate = (): Promise<Answer> => model.doGenerate(params);
  const reply = await wrapGenerate({ doGenerate, doStream: () => model.doStream(), params, model });
  return { reply, asked };
}

const NESTED = { inputTokens: { total: 120, cacheRead: 100 }, outputTokens: { total: 7 } };
const DONE: Answer = {
  content: [part({ type: 'text', text: 'Done.' })],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: NESTED,
};

describe('The middleware', () => {
  test('sends what the host has as long as it fits, and gives back the very reply', async () => {
    await start();
    const prompt = [SYSTEM, user('Hi.')];
    const { reply, asked } = await call(DONE, prompt);
    expect(reply).toBe(DONE);
    expect(asked[0]?.prompt).toBe(prompt);
  });

  test('tells the session of system prompt, tools, model, reply, usage and the end of the turn', async () => {
    await start();
    const inputSchema = { type: 'object' };
    const tools = [
      { type: 'function', name: 'look', description: 'Looks.', inputSchema },
      { type: 'provider', id: 'acme.search', name: 'search', args: { most: 3 } },
    ];
    await call(DONE, [SYSTEM, user('Hi.')], 'v4', { tools });
    const records = await recordsOf(sessionId);
    expect(records).toContainEqual(
      expect.objectContaining({
        t: 'settings',
        system: 'Be brief.',
        model: 'm-1',
        tools: [
          { name: 'look', description: 'Looks.', parameters: inputSchema },
          { name: 'search', parameters: { most: 3 } },
        ],
      }),
    );
    const items = records.flatMap((record) => (record.t === 'item' ? [record.item] : []));
    expect(items).toMatchObject([
      { kind: 'message', role: 'user', parts: [{ text: 'Hi.' }] },
      { kind: 'message', role: 'assistant', parts: [{ text: 'Done.' }] },
    ]);
    expect(records.find(({ t }) => t === 'usage')).toMatchObject({
      usage: { inputTokens: 120, cacheReadTokens: 100, outputTokens: 7, model: 'm-1' },
    });
    expect(records.findLast(({ t }) => t === 'turn' || t === 'run')).toBeDefined();
    expect(records.filter(({ t }) => t === 'turn').at(-1)).toMatchObject({ phase: 'end' });
  });

  test('counts what Anthropic reads from its cache beside the prompt in version 2', async () => {
    await start();
    const usage = { inputTokens: 20, outputTokens: 7, totalTokens: 27, cachedInputTokens: 100 };
    const providerMetadata = { anthropic: { cacheCreationInputTokens: 30 } };
    await call({ ...DONE, finishReason: 'stop', usage, providerMetadata }, [user('Hi.')], 'v2');
    const records = await recordsOf(sessionId);
    expect(records.find(({ t }) => t === 'usage')).toMatchObject({
      usage: { inputTokens: 150, cacheReadTokens: 100, cacheWriteTokens: 30 },
    });
  });

  test('leaves the turn open where tools are called, though the provider says that it stopped', async () => {
    await start();
    const calls = [part({ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{}' })];
    await call({ ...DONE, content: calls }, [user('Look.')]);
    const records = await recordsOf(sessionId);
    expect(records.some(({ t }) => t === 'run')).toBe(false);
    expect(records.filter(({ t }) => t === 'item')).toHaveLength(1);
  });

  test('takes calls that the provider ran itself with their results from the next request', async () => {
    await start();
    const served = [
      part({ type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: '{}', providerExecuted: true }),
      part({ type: 'tool-result', toolCallId: 'c1', toolName: 'search', result: ['found'] }),
      part({ type: 'text', text: 'Found.' }),
    ];
    await call({ ...DONE, content: served }, [user('Search.')]);
    expect((await recordsOf(sessionId)).findLast(({ t }) => t === 'turn')).toMatchObject({ phase: 'end' });
    const reply: AiSdkMessage = {
      role: 'assistant',
      content: [
        part({ type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: {}, providerExecuted: true }),
        part({ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'json', value: ['found'] } }),
        part({ type: 'text', text: 'Found.' }),
      ],
    };
    const prompt = [user('Search.'), reply, user('Thanks.')];
    const { asked } = await call(DONE, prompt);
    expect(asked[0]?.prompt).toBe(prompt);
    const items = (await recordsOf(sessionId)).flatMap((record) => (record.t === 'item' ? [record.item.kind] : []));
    expect(items).toEqual(['message', 'tool_call', 'tool_result', 'message', 'message', 'message']);
  });

  test('passes calls that name no conversation, and models of a version that is not spoken', async () => {
    await start();
    const { model, asked } = modelOf(DONE, 'v9');
    const params = { prompt: [user('Hi.')] };
    const wrapped = { doGenerate: () => model.doGenerate(params), doStream: () => model.doStream(), params, model };
    expect(await pith.middleware({ sessionId }).wrapGenerate(wrapped)).toBe(DONE);
    const known = { ...wrapped, model: { ...model, specificationVersion: 'v3' } };
    expect(await pith.middleware({ sessionId: () => undefined }).wrapGenerate(known)).toBe(DONE);
    expect(asked).toHaveLength(2);
    expect(await store.list()).not.toContainEqual(expect.objectContaining({ id: sessionId }));
  });

  test('a turn that the provider ended with an error has failed', async () => {
    await start();
    await call({ ...DONE, finishReason: { unified: 'error', raw: 'overloaded' } }, [user('Hi.')]);
    expect((await recordsOf(sessionId)).find(({ t }) => t === 'run')).toMatchObject({ outcome: 'failed' });
  });
});

const SMALL = { compaction: { compactThreshold: 2_000, compactRequestThreshold: 3_000, retainedTokens: 500 } };
const LONG = 'It was a long day at the sea. '.repeat(150);

/** Exchanges that are long enough to be compacted. */
function exchanges(count: number): readonly AiSdkMessage[] {
  return Array.from({ length: count }, (_, at) => [
    user(`Tell me of day ${at}.`),
    { role: 'assistant' as const, content: [part({ type: 'text', text: `Day ${at}. ${LONG}` })] },
  ]).flat();
}

describe('The steps', () => {
  const model = { modelId: 'm-1', provider: 'openai.responses' };

  test('leave the settings alone as long as all fits', async () => {
    await start();
    const { prepareStep } = pith.steps({ sessionId });
    expect(await prepareStep({ stepNumber: 0, model: 'acme/m-1', messages: [user('Hi.')] })).toBeUndefined();
    const messages = [user('Hi.')];
    const from7 = { stepNumber: 0, model, messages, initialMessages: messages, responseMessages: [] };
    expect(await prepareStep({ ...from7, initialInstructions: 'Be brief.' })).toBeUndefined();
  });

  test('put system content before the messages up to version 6, and each step starts from the conversation', async () => {
    await start({ config: SMALL });
    const { prepareStep } = pith.steps({ sessionId });
    const messages = [...exchanges(5), user('And today?')];
    const first = await prepareStep({ stepNumber: 0, model, messages });
    expect(first?.messages[0]).toMatchObject({ role: 'system' });
    expect(first?.messages.at(-1)).toBe(messages.at(-1));
    const reply: AiSdkMessage = { role: 'assistant', content: 'Today was fine.' };
    const second = await prepareStep({ stepNumber: 1, model, messages: [...messages, reply, user('Good.')] });
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    expect(second?.messages).toHaveLength((first?.messages.length ?? 0) + 2);
  });

  test('put it behind the instructions from version 7 on, where each step starts from what the one before sent', async () => {
    await start({ config: SMALL });
    const { prepareStep } = pith.steps({ sessionId });
    const messages = [...exchanges(5), user('And today?')];
    const from7 = { model, initialMessages: messages, initialInstructions: 'Be brief.' };
    const first = await prepareStep({ ...from7, stepNumber: 0, messages, responseMessages: [] });
    expect(first?.messages.every(({ role }) => role !== 'system')).toBe(true);
    expect(first?.instructions?.[0]).toEqual({ role: 'system', content: 'Be brief.' });
    expect(first?.instructions?.length).toBeGreaterThan(1);
    const reply: AiSdkMessage = { role: 'assistant', content: 'Today was fine.' };
    const steering = user('Good.');
    const offered = [...(first?.messages ?? []), reply, steering];
    const second = await prepareStep({ ...from7, stepNumber: 1, messages: offered, responseMessages: [reply] });
    expect(second?.messages).toEqual(offered);
    expect(second?.instructions).toEqual(first?.instructions);
    const items = (await recordsOf(sessionId)).filter(({ t }) => t === 'item');
    expect(items).toHaveLength(messages.length + 2);
  });

  test('give endpoints that take one system message one', async () => {
    await start({ config: SMALL });
    const { prepareStep } = pith.steps({ sessionId });
    const messages = [...exchanges(5), user('And today?')];
    const own = [{ role: 'system' as const, content: 'Be brief.', providerOptions: { acme: { cached: true } } }];
    const settings = await prepareStep({
      stepNumber: 0,
      model: { ...model, provider: 'acme.chat' },
      messages,
      initialMessages: messages,
      responseMessages: [],
      initialInstructions: own,
    });
    expect(settings?.instructions).toEqual([
      { ...own[0], content: expect.stringMatching(/^Be brief\.\n\n\[Compacted context summary/) as string },
    ]);
  });

  test('tell the session of usage and reply, and of the end of the turn', async () => {
    await start();
    const { prepareStep, onStepFinish, onFinish } = pith.steps({ sessionId });
    await prepareStep({ stepNumber: 0, model, messages: [user('Hi.')] });
    const usage = {
      inputTokens: 120,
      inputTokenDetails: { noCacheTokens: 20, cacheReadTokens: 70, cacheWriteTokens: 30 },
      outputTokens: 7,
      outputTokenDetails: { reasoningTokens: 2 },
    };
    onStepFinish({ content: DONE.content, finishReason: 'stop', usage });
    onFinish();
    const records = await recordsOf(sessionId);
    expect(records.find(({ t }) => t === 'usage')).toMatchObject({
      usage: { inputTokens: 120, cacheReadTokens: 70, cacheWriteTokens: 30, outputTokens: 7, reasoningTokens: 2 },
    });
    expect(records.filter(({ t }) => t === 'run')).toMatchObject([{ outcome: 'finished' }]);
  });

  test('say nothing of a step that they did not prepare', async () => {
    await start();
    const { onStepFinish, onFinish } = pith.steps({ sessionId });
    onStepFinish({ content: [], finishReason: 'stop', usage: {} });
    onFinish();
    expect(await store.list()).not.toContainEqual(expect.objectContaining({ id: sessionId }));
  });
});
