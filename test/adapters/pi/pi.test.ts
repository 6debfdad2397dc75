import { createPith } from '../../../core/adapters/pi';
import type { HostOptions, PiLoop, PiMessage, PiPith } from '../../../core/adapters/pi';
import { definePlugin } from '../../../core';
import { prose } from '../../../core/testing';

const message = (role: string): PiMessage => ({ role });
const user = (content: string): PiMessage => ({ role: 'user', ...{ content, timestamp: 1 } });
const reply = (input: number, fields: object = {}): PiMessage => ({
  role: 'assistant',
  ...{ content: [{ type: 'text', text: 'Hi.' }], model: 'claude-sonnet-4-5', stopReason: 'stop' },
  ...{ usage: { input, output: 1, cacheRead: 20, cacheWrite: 3 } },
  ...fields,
});
const calls = (id: string, input: number): PiMessage =>
  reply(input, { content: [{ type: 'toolCall', id, name: 'read', arguments: {} }], stopReason: 'toolUse' });
const result = (toolCallId: string): PiMessage => ({
  role: 'toolResult',
  ...{ toolCallId, toolName: 'read', content: [{ type: 'text', text: 'text' }], isError: false },
});
const used = (input: number): object => ({
  inputTokens: input + 23,
  cacheReadTokens: 20,
  cacheWriteTokens: 3,
  outputTokens: 1,
  model: 'claude-sonnet-4-5',
});

const open: PiPith[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pith) => pith.close()));
});

async function start(options: HostOptions = {}): Promise<PiPith & { readonly told: unknown[] }> {
  const pith = await createPith({ log: { level: 'error', write: () => undefined }, ...options });
  open.push(pith);
  const told: unknown[] = [];
  pith.kernel.bus.on('hook:post_llm_response', ({ usage }) => void told.push(usage));
  pith.kernel.bus.on('turn.ended', ({ outcome }) => void told.push(outcome));
  pith.kernel.bus.on('host.failed', ({ message }) => void told.push(message));
  return { ...pith, told };
}

describe('the transform', () => {
  it('gives back the very list where nothing differs', async () => {
    const pith = await start();
    const messages = [user('Hello.')];
    expect(await pith.transformContext({ sessionId: 'a' })(messages)).toBe(messages);
  });

  it('never rejects: what goes wrong is told, and the messages go out as they are', async () => {
    const pith = await start();
    const loop = {
      get state(): never {
        throw new Error('No state today.');
      },
    };
    const messages = [user('Hello.')];
    expect(await pith.transformContext({ sessionId: 'a', loop })(messages)).toBe(messages);
    expect(pith.told).toEqual(['No state today.']);
    expect(await pith.transformContext({ sessionId: 'b' })([null] as never)).toEqual([null]);
    await pith.close();
    expect(await pith.transformContext({ sessionId: 'a' })(messages)).toBe(messages);
  });

  it('leaves an aborted request alone', async () => {
    const pith = await start();
    const messages = [user('Hello.')];
    expect(await pith.transformContext({ sessionId: 'a' })(messages, AbortSignal.abort())).toBe(messages);
    expect(pith.told).toEqual([]);
  });

  it('counts the system prompt and the tools of the loop, for its model', async () => {
    const requests: object[] = [];
    const watching = definePlugin({
      name: 'watching',
      api: 1,
      setup({ hooks }) {
        hooks.on('pre_llm_request', ({ context, session }) => {
          requests.push({
            settings: [...session.records()].findLast(({ t }) => t === 'settings'),
            context: context.system,
          });
        });
      },
    });
    const pith = await start({ plugins: [watching] });
    const tools = [{ name: 'read', description: 'Reads.', parameters: { type: 'object' } }];
    const loop: PiLoop = { state: { systemPrompt: 'Be kind.', tools, model: { id: 'gpt-5' } } };
    await pith.transformContext({ sessionId: 'a', loop })([user('Hello.')]);
    expect(requests).toMatchObject([
      { settings: { system: 'Be kind.', tools, model: 'gpt-5' }, context: [{ kind: 'prompt', text: 'Be kind.' }] },
    ]);
  });
});

describe('usage', () => {
  it('is that of each reply, with what the cache read and wrote', async () => {
    const pith = await start();
    const transform = pith.transformContext({ sessionId: 'a' });
    const listener = pith.listener({ sessionId: 'a' });
    const messages = [user('Hello.')];
    await transform(messages);
    messages.push(calls('c', 100), result('c'));
    await transform(messages);
    const last = reply(150);
    messages.push(last);
    await listener({ type: 'agent_end', messages });
    expect(pith.told).toEqual([used(100), used(150), 'finished']);
  });

  it('is not taken from a run before, nor from a reply that failed', async () => {
    const pith = await start();
    const transform = pith.transformContext({ sessionId: 'a' });
    const listener = pith.listener({ sessionId: 'a' });
    const failed = reply(7, { stopReason: 'error', content: [] });
    await transform([user('Hello.'), reply(100), user('And?')]);
    await listener({ type: 'agent_end', messages: [user('And?'), failed] });
    expect(pith.told).toEqual(['failed']);
  });
});

describe('a run', () => {
  it('ends with all that it brought, whether the loop writes on in its list or not', async () => {
    for (const writesOn of [true, false]) {
      const pith = await start();
      const lengths: number[] = [];
      pith.kernel.bus.on('hook:post_run', ({ context }) => void lengths.push(context.length));
      const messages = [user('Hello.'), calls('c', 1), result('c')];
      await pith.transformContext({ sessionId: 'a' })(messages);
      const last = reply(2);
      const run = [...messages, last];
      if (writesOn) messages.push(last);
      await pith.listener({ sessionId: 'a' })({ type: 'agent_end', messages: run });
      expect(lengths).toEqual([4]);
    }
  });

  it('that was aborted ends as such', async () => {
    const pith = await start();
    await pith.transformContext({ sessionId: 'a' })([user('Hello.')]);
    const messages = [reply(0, { stopReason: 'aborted', content: [] })];
    await pith.listener({ sessionId: 'a' })({ type: 'agent_end', messages });
    expect(pith.told).toEqual(['aborted']);
  });

  it('without a request, and events other than its end, are nothing', async () => {
    const pith = await start();
    const listener = pith.listener({ sessionId: 'a' });
    await listener({ type: 'message_end' });
    await listener({ type: 'agent_end' });
    expect(pith.told).toEqual([]);
  });
});

/** An agent, as far as it is touched, with what its stream function was called with. */
function createAgent(replies: readonly PiMessage[]) {
  const contexts: { readonly systemPrompt: string; readonly messages: readonly PiMessage[] }[] = [];
  const listeners = new Set<unknown>();
  const own = (messages: PiMessage[]): Promise<PiMessage[]> => Promise.resolve([...messages, user('Own.')]);
  const streamFn = (_: unknown, context: (typeof contexts)[number]): Promise<{ result(): Promise<PiMessage> }> => {
    const at = contexts.push(context) - 1;
    return Promise.resolve({ result: () => Promise.resolve(replies[at] ?? reply(1)) });
  };
  const subscribe = (listener: unknown): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const agent = {
    ...{ state: { systemPrompt: 'Be kind.' }, transformContext: own, streamFn, subscribe },
    convertToLlm: (messages: PiMessage[]) => messages.filter(({ role }) => role !== 'notification'),
  };
  return { agent, own, streamFn, contexts, listeners };
}

describe('attach', () => {
  it('has system content behind the system prompt, and the transform of the agent behind its own', async () => {
    const pinned = definePlugin({
      name: 'pinned',
      api: 1,
      setup({ hooks }) {
        hooks.on('session_start', ({ session }) => void session.record({ t: 'pin', text: 'The build is red.' }));
      },
    });
    const pith = await start({ plugins: [pinned] });
    const { agent, contexts } = createAgent([]);
    pith.attach(agent as never, { sessionId: 'a' });
    const hello = user('Hello.');
    const messages = await agent.transformContext([hello]);
    expect(messages.slice(1)).toEqual([hello, user('Own.')]);
    await agent.streamFn(undefined, { systemPrompt: 'Be kind.', messages });
    expect(contexts).toEqual([{ systemPrompt: 'Be kind.\n\nThe build is red.', messages: [hello, user('Own.')] }]);
    expect(contexts[0]?.messages[0]).toBe(hello);
  });

  it('returns what undoes it', async () => {
    const pith = await start();
    const { agent, own, streamFn, listeners } = createAgent([]);
    const detach = pith.attach(agent as never, { sessionId: 'a' });
    expect(listeners.size).toBe(1);
    detach();
    expect(listeners.size).toBe(0);
    expect(agent.transformContext).toBe(own);
    expect(agent.streamFn).toBe(streamFn);
  });

  it('sends once more what was too large, as the agent would, but nothing that is not of its loop', async () => {
    const pith = await start({ limits: { contextWindow: 20_000, maxOutput: 2_000 } });
    const tooLong = reply(0, {
      ...{ content: [], stopReason: 'error', errorMessage: 'prompt is too long: 19000 tokens > 16000 maximum' },
    });
    const { agent, contexts } = createAgent([tooLong, reply(1), tooLong]);
    pith.attach(agent as never, { sessionId: 'a' });
    const history = Array.from({ length: 12 }, (_, n) => [
      user(`Question ${n}: ${prose(300, `question ${n}`)}`),
      reply(1, { content: [{ type: 'text', text: prose(800, `answer ${n}`) }] }),
    ]).flat();
    const messages = await agent.transformContext([...history, message('notification'), user('And now?')]);
    const context = { systemPrompt: 'Be kind.', messages: agent.convertToLlm(messages) };
    const stream = await agent.streamFn(undefined, context);
    expect(await stream.result()).toEqual(reply(1));
    expect(contexts).toHaveLength(2);
    const [first, second] = contexts as [(typeof contexts)[number], (typeof contexts)[number]];
    expect(second.messages.length).toBeLessThan(first.messages.length);
    expect(second.messages.at(-1)).toEqual(user('Own.'));
    expect(second.messages.some(({ role }) => role === 'notification')).toBe(false);
    const other = await agent.streamFn(undefined, context);
    expect(await other.result()).toBe(tooLong);
    expect(contexts).toHaveLength(3);
  });
});
