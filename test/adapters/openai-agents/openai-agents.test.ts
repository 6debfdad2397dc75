import { createPith } from '../../../core/adapters/openai-agents';
import type {
  AgentItem,
  AgentLike,
  HostOptions,
  OpenAiAgentsPith,
  RunContextLike,
} from '../../../core/adapters/openai-agents';
import { definePlugin } from '../../../core';

const user = (text: string): AgentItem => ({ type: 'message', role: 'user', ...{ content: text } });
const said = (text: string): AgentItem => ({
  type: 'message',
  role: 'assistant',
  ...{ status: 'completed', content: [{ type: 'output_text', text }] },
});
const call = (callId: string): AgentItem => ({ type: 'function_call', ...{ callId, name: 'read', arguments: '{}' } });
const result = (callId: string): AgentItem => ({
  type: 'function_call_result',
  ...{ callId, name: 'read', status: 'completed', output: 'text' },
});
const agent: AgentLike = { model: 'gpt-5', tools: [{ type: 'function', name: 'read', parameters: {} }] };
const used = (...inputTokens: readonly number[]): RunContextLike['usage'] => ({
  requestUsageEntries: inputTokens.map((tokens) => ({ inputTokens: tokens, outputTokens: 1 })),
});

const open: OpenAiAgentsPith[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pith) => pith.close()));
});

async function start(options: HostOptions = {}): Promise<OpenAiAgentsPith & { readonly told: unknown[] }> {
  const log = { level: 'error' as const, write: () => undefined };
  const pith = await createPith({ log, ...options });
  open.push(pith);
  const told: unknown[] = [];
  pith.kernel.bus.on('hook:post_llm_response', ({ usage }) => void told.push(usage));
  pith.kernel.bus.on('turn.ended', ({ outcome }) => void told.push(outcome));
  pith.kernel.bus.on('host.failed', ({ message }) => void told.push(message));
  return { ...pith, told };
}

describe('the filter', () => {
  it('gives back what it was given where nothing differs', async () => {
    const pith = await start();
    const filter = pith.callModelInputFilter({ sessionId: 'a' });
    const modelData = { input: [user('Hello.')], instructions: 'Be kind.' };
    expect(filter.preserveInputIdentity).toBe(true);
    expect(await filter({ modelData, agent })).toBe(modelData);
  });

  it('puts pins behind the instructions, and leaves the items alone', async () => {
    const pith = await start({
      plugins: [
        definePlugin({
          name: 'pinned',
          api: 1,
          setup({ hooks }) {
            hooks.on('session_start', ({ session }) => void session.record({ t: 'pin', text: 'The build is red.' }));
          },
        }),
      ],
    });
    const filter = pith.callModelInputFilter({ sessionId: 'a' });
    const input = [user('Hello.')];
    const sent = await filter({ modelData: { input, instructions: 'Be kind.' }, agent });
    expect(sent.instructions).toBe('Be kind.\n\nThe build is red.');
    expect(sent.input).toBe(input);
    expect((await filter({ modelData: { input }, agent })).instructions).toBe('The build is red.');
  });

  it('never throws: what goes wrong is told, and the request goes out as it is', async () => {
    const pith = await start();
    const filter = pith.callModelInputFilter({ sessionId: 'a' });
    const modelData = { input: [user('Hello.')] };
    const hostile = {
      get tools(): never {
        throw new Error('No tools today.');
      },
    };
    expect(await filter({ modelData, agent: hostile })).toBe(modelData);
    expect(pith.told).toEqual(['No tools today.']);
    await pith.close();
    expect(await filter({ modelData, agent })).toBe(modelData);
  });
});

describe('usage', () => {
  it('is that of each request, not of agents that ran as tools meanwhile', async () => {
    const pith = await start();
    const session = pith.session({ sessionId: 'a' });
    const filter = pith.callModelInputFilter({ sessionId: 'a' });
    const run: { usage: RunContextLike['usage'] } = { usage: used() };
    const input = [user('Hello.')];
    await session.getItems(undefined, run);
    await filter({ modelData: { input }, agent });
    run.usage = used(100, 7, 8);
    input.push(call('c'), result('c'));
    await filter({ modelData: { input }, agent });
    run.usage = used(100, 7, 8, 120);
    await session.addItems([...input, said('Done.')], run);
    await session.runCompaction(undefined, run);
    expect(pith.told).toEqual([
      { inputTokens: 100, outputTokens: 1 },
      { inputTokens: 120, outputTokens: 1 },
      'finished',
    ]);
  });

  it('is not made up where the model of the host counts nothing', async () => {
    const pith = await start();
    const session = pith.session({ sessionId: 'a' });
    const filter = pith.callModelInputFilter({ sessionId: 'a' });
    const run: RunContextLike = { usage: {} };
    await session.getItems(undefined, run);
    await filter({ modelData: { input: [user('Hello.')] }, agent });
    await session.addItems([user('Hello.'), said('Hi.')], run);
    await session.runCompaction(undefined, run);
    expect(pith.told).toEqual([undefined, 'finished']);
  });
});

describe('a run', () => {
  it('that stopped without a word ends as failed when the next one begins', async () => {
    const pith = await start();
    const session = pith.session({ sessionId: 'a' });
    const filter = pith.callModelInputFilter({ sessionId: 'a' });
    await session.getItems(undefined, { usage: used() });
    await filter({ modelData: { input: [user('Hello.')] }, agent });
    await session.getItems(undefined, { usage: used() });
    expect(pith.told).toEqual(['failed']);
  });

  it('is not over while a call waits to be approved, nor when it has run', async () => {
    const pith = await start();
    const session = pith.session({ sessionId: 'a' });
    const filter = pith.callModelInputFilter({ sessionId: 'a' });
    const run: RunContextLike = { usage: used() };
    const input = [user('Hello.'), call('c'), result('c')];
    await session.getItems(undefined, run);
    await filter({ modelData: { input: input.slice(0, 1) }, agent });
    await session.addItems(input.slice(0, 2), run);
    await session.runCompaction({ responseId: 'resp' }, run);
    await session.getItems(undefined, run);
    await session.addItems(input.slice(2), run);
    await session.runCompaction({ compactionMode: 'input' }, run);
    expect(pith.told).toEqual([]);
    await filter({ modelData: { input }, agent });
    await session.addItems([said('Done.')], run);
    await session.runCompaction({ compactionMode: 'input' }, run);
    expect(pith.told).toEqual([undefined, undefined, 'finished']);
  });

  it('ends with what the model said last, however the runner kept it', async () => {
    const pith = await start();
    const session = pith.session({ sessionId: 'a' });
    const filter = pith.callModelInputFilter({ sessionId: 'a' });
    const contexts: number[] = [];
    pith.kernel.bus.on('hook:post_run', ({ context }) => void contexts.push(context.length));
    const run: RunContextLike = { usage: used() };
    const input = [user('Hello.'), call('c'), result('c')];
    await session.getItems(undefined, run);
    await session.addItems(structuredClone(input.slice(0, 1)), run);
    await filter({ modelData: { input }, agent });
    await session.addItems(structuredClone([...input.slice(1), said('Done.')]), run);
    await session.runCompaction(undefined, run);
    expect(contexts).toEqual([4]);
  });
});

describe('the session', () => {
  it('is one in memory by default, the same for the same id', async () => {
    const pith = await start();
    const session = pith.session({ sessionId: 'a' });
    const items = [user('One.'), said('Two.'), user('Three.')];
    await session.addItems(items);
    expect(await pith.session({ sessionId: 'a' }).getItems()).toEqual(items);
    expect((await session.getItems(2))[0]).toBe(items[1]);
    expect(await session.getItems(0)).toEqual([]);
    expect(await session.popItem()).toBe(items[2]);
    expect(await session.getSessionId()).toBe('a');
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect(await session.popItem()).toBeUndefined();
  });

  it('is the one of the host with all its own abilities, but for compacting by itself', async () => {
    class Stored {
      #items: AgentItem[] = [];
      getSessionId = (): Promise<string> => Promise.resolve('stored');
      getItems(): Promise<AgentItem[]> {
        return Promise.resolve([...this.#items]);
      }
      addItems(items: AgentItem[]): Promise<void> {
        this.#items.push(...items);
        return Promise.resolve();
      }
      popItem(): Promise<AgentItem | undefined> {
        return Promise.resolve(this.#items.pop());
      }
      clearSession(): Promise<void> {
        this.#items = [];
        return Promise.resolve();
      }
      prepareHistoryItemForModelInput(item: AgentItem): AgentItem {
        return this.#items[0] ?? item;
      }
      getItemsWithCompactionOwnership(): never {
        throw new Error('Not asked.');
      }
    }
    const pith = await start();
    const stored = new Stored();
    const session = pith.session({ sessionId: 'a', session: stored });
    const one = user('One.');
    await session.addItems([one]);
    expect(await stored.getItems()).toEqual([one]);
    expect(session.prepareHistoryItemForModelInput(user('Other.'))).toBe(one);
    expect(session).toBeInstanceOf(Stored);
    expect('getItemsWithCompactionOwnership' in session).toBe(false);
    expect(session.getItemsWithCompactionOwnership).toBeUndefined();
    expect(await session.runCompaction()).toBeNull();
  });
});
