/** Pith inside a host that brings its own loop: what goes into the log, and what comes back for the host's own messages. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore, definePlugin } from '../../core';
import { createScriptedModel } from '../../core/testing';
import type { Plugin, SessionRecord, SessionStore } from '../../core';
import { stockPlugins } from '../../plugins';
import { chat, failuresOf, faultsIn, host, reads, said, SYSTEM, user } from './host-kit';
import type { Message } from './host-kit';

async function recordsOf(store: SessionStore, id = 'chat'): Promise<readonly SessionRecord[]> {
  return (await store.read(id)).records;
}

function itemsIn(records: readonly SessionRecord[]): readonly string[] {
  return records.flatMap((record) => (record.t === 'item' ? [record.item.kind] : []));
}

describe('a conversation that fits', () => {
  it('is sent as it is: the very array of the host', async () => {
    const session = chat(await host());
    const messages = [SYSTEM, user('Look around.'), ...reads(50, 'a', 'b')];
    const { messages: sent, system } = await session.beforeRequest({ messages });
    expect(sent).toBe(messages);
    expect(system).toEqual([]);
  });

  it('is in the log, message by message, with turns and usage', async () => {
    const store = createMemoryStore();
    const session = chat(await host({ store }));
    const messages = [SYSTEM, user('Look around.')];
    await session.beforeRequest({ messages });
    messages.push(...reads(50, 'a', 'b'));
    await session.afterReply({ usage: { inputTokens: 30 } });
    await session.beforeRequest({ messages });
    messages.push(said('Nothing there.'));
    await session.afterRun(messages);
    const records = await recordsOf(store);
    expect(itemsIn(records)).toEqual([
      'message',
      'message',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'message',
    ]);
    expect(records.filter(({ t }) => t === 'usage')).toMatchObject([
      { usage: { inputTokens: 30 }, on: { entries: 1 } },
    ]);
    expect(records.filter(({ t }) => t === 'turn')).toMatchObject([{ phase: 'start' }, { phase: 'end' }]);
    expect(records.find(({ t }) => t === 'settings')).toMatchObject({ system: SYSTEM.content });
    expect(records.find((record) => record.t === 'item' && record.item.kind === 'tool_result')).toMatchObject({
      item: { summary: expect.stringMatching(/^read_file, \d+ characters/) as string },
    });
  });

  it('takes a reply that it was told of and the one that the host shows later for one', async () => {
    const store = createMemoryStore();
    const session = chat(await host({ store }));
    const messages = [user('Look around.')];
    await session.beforeRequest({ messages });
    const [reply, ...results] = reads(50, 'a');
    await session.afterReply({
      items: [
        { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'I read a.' }] },
        { kind: 'tool_call', callId: 'a', name: 'read_file', arguments: { path: 'src/a.ts' } },
      ],
      usage: { inputTokens: 30 },
    });
    messages.push(reply as Message, ...results);
    const { messages: sent } = await session.beforeRequest({ messages });
    expect(sent).toBe(messages);
    expect(itemsIn(await recordsOf(store))).toEqual(['message', 'message', 'tool_call', 'tool_result']);
    expect(await store.list()).toHaveLength(1);
  });

  it('ends a turn that the host did not end when the next prompt comes', async () => {
    const store = createMemoryStore();
    const session = chat(await host({ store }));
    await session.beforeRequest({ messages: [user('One.')] });
    await session.beforeRequest({ messages: [user('One.'), said('Done.'), user('Two.')] });
    const turns = (await recordsOf(store)).filter(({ t }) => t === 'turn' || t === 'run');
    expect(turns).toMatchObject([{ phase: 'start' }, { outcome: 'finished' }, { phase: 'end' }, { phase: 'start' }]);
  });

  it('has the plugins hear of results and touched files', async () => {
    const paths: string[] = [];
    const listener = definePlugin({
      name: 'listener',
      api: 1,
      setup({ hooks }) {
        hooks.on('post_tool_call', (event) => void paths.push(`${event.call.name} ${event.paths.join()}`));
        hooks.on('pre_tool_call', () => ({ do: 'deny', text: 'No.' }));
      },
    });
    const session = chat(await host({ plugins: [listener] }));
    const messages = [user('Look around.'), ...reads(50, 'a', 'b')];
    await session.beforeRequest({ messages: messages.slice(0, 1) });
    expect((await session.beforeRequest({ messages })).messages).toBe(messages);
    expect(paths).toEqual(['read_file src/a.ts', 'read_file src/b.ts']);
  });

  it("sends what plugins made of prompts and results in the place of the host's", async () => {
    const session = chat(await host({ plugins: [masking] }));
    const messages = [user('My key is SECRET.'), ...reads(50, 'a'), user('SECRET it is.')];
    await session.beforeRequest({ messages: messages.slice(0, 1) });
    const { messages: sent } = await session.beforeRequest({ messages });
    expect(sent.map(({ content }) => content)).toEqual([
      'My key is ***.',
      'I read a.',
      expect.stringMatching(/^seen: /),
      '*** it is.',
    ]);
    expect(sent[1]).toBe(messages[1]);
  });

  it('recognises what plugins revised in a fresh process', async () => {
    const store = createMemoryStore();
    const messages = [user('My key is SECRET.'), ...reads(50, 'a')];
    const first = await host({ plugins: [masking], store });
    await chat(first).beforeRequest({ messages: messages.slice(0, 1) });
    const before = await chat(first).beforeRequest({ messages });
    await first.close();
    const after = await chat(await host({ plugins: [masking], store })).beforeRequest({
      messages: structuredClone(messages),
    });
    expect(after.messages).toEqual(before.messages);
    expect(await store.list()).toHaveLength(1);
  });
});

const masking: Plugin = definePlugin({
  name: 'masking',
  api: 1,
  setup({ hooks }) {
    hooks.on('prompt_submit', ({ items }) => ({
      do: 'revise',
      to: items.map((item) =>
        item.kind === 'message'
          ? {
              ...item,
              parts: item.parts.map((part) =>
                part.type === 'text' ? { ...part, text: part.text.replace('SECRET', '***') } : part,
              ),
            }
          : item,
      ),
    }));
    hooks.on('post_tool_call', ({ result }) => ({
      do: 'revise',
      to: { ...result, content: `seen: ${JSON.stringify(result.content).slice(60, 80)}` },
    }));
  },
});

describe('a conversation that outgrows the window', () => {
  it("is compacted between requests, and the tail is the host's own", async () => {
    const one = await host({
      config: {
        compaction: { retainedTokens: 3000, compactThreshold: '75%', compactRequestThreshold: '90%' },
        prune: { minSavings: 100_000 },
      },
    });
    const failures = failuresOf(one);
    const session = chat(one);
    const messages: Message[] = [SYSTEM, user('Read everything.')];
    let sent = (await session.beforeRequest({ messages })).messages;
    for (let step = 0; step < 20; step++) {
      messages.push(...reads(1000, `f${step}`));
      sent = (await session.beforeRequest({ messages })).messages;
      expect(faultsIn(sent)).toEqual([]);
    }
    expect(failures).toEqual([]);
    expect(sent.length).toBeLessThan(messages.length);
    expect(sent[0]).toBe(SYSTEM);
    expect(sent[1]?.content).toMatch(/^\[Compacted context summary/);
    expect(sent.slice(-4).every((message) => messages.includes(message))).toBe(true);
  });

  it('is compacted in the background after a run, once, and a fresh process finds that again', async () => {
    const store = createMemoryStore();
    const messages: Message[] = [SYSTEM];
    let compactions = 0;
    let last: readonly Message[] = [];
    for (let run = 0; run < 5; run++) {
      const one = await host({ store, config: { compaction: { retainedTokens: 3000 } } });
      one.kernel.bus.on('compaction.done', () => void compactions++);
      const failures = failuresOf(one);
      messages.push(user(`Task ${run}`));
      for (let step = 0; step < 5; step++) {
        last = (await chat(one).beforeRequest({ messages: structuredClone(messages) })).messages;
        expect(faultsIn(last)).toEqual([]);
        messages.push(...reads(800, `f${run}-${step}`));
      }
      messages.push(said(`Done with ${run}.`));
      await chat(one).afterRun(messages);
      await one.idle();
      await one.close();
      expect(failures).toEqual([]);
    }
    expect(compactions).toBeGreaterThan(0);
    expect(compactions).toBeLessThan(3);
    expect(await store.list()).toHaveLength(1);
  });

  it('shrinks once more when the provider finds a request too large, and leaves the error to the host where it cannot', async () => {
    const session = chat(
      await host({ limits: { contextWindow: 200_000 }, config: { compaction: { retainedTokens: 500 } } }),
    );
    const messages: Message[] = [SYSTEM, user('Read everything.')];
    for (let step = 0; step < 5; step++) messages.push(...reads(1000, `f${step}`));
    const overflow = new Error('prompt is too long: 9000 tokens > 8000 maximum');
    expect((await session.beforeRequest({ messages })).messages).toBe(messages);
    expect(await session.afterFailure({ messages }, new Error('overloaded'))).toBeUndefined();
    const smaller = await session.afterFailure({ messages }, overflow);
    expect(smaller?.messages.length).toBeLessThan(messages.length);
    expect(faultsIn(smaller?.messages ?? [])).toEqual([]);
    await session.afterFailure({ messages }, overflow);
    expect(await session.afterFailure({ messages }, overflow)).toBeUndefined();
  });
});

describe('a host that shows another conversation than before', () => {
  it.each([
    ['an edited prompt', (messages: Message[]) => [...messages.slice(0, -2), user('Something else.')]],
    ['a regenerated reply', (messages: Message[]) => [...messages.slice(0, -1), said('In other words.')]],
    ['messages that are gone', (messages: Message[]) => messages.slice(0, 6)],
    ['another conversation', () => [user('Anew.')]],
    [
      'an edited result',
      (messages: Message[]) =>
        messages.map((message) => (message.tool_call_id === 'b' ? { ...message, content: 'other' } : message)),
    ],
  ])('goes on in a fork: %s', async (_, change) => {
    const store = createMemoryStore();
    const one = await host({ store });
    const failures = failuresOf(one);
    const messages = [SYSTEM, user('One.'), ...reads(50, 'a', 'b'), said('Done.'), user('Two.'), said('Done again.')];
    await chat(one).beforeRequest({ messages });
    await chat(one).afterRun(messages);
    const before = await recordsOf(store);
    const changed = change(messages);
    const { messages: sent } = await chat(one).beforeRequest({ messages: changed });
    expect(sent).toBe(changed);
    expect(failures).toEqual([]);
    expect(await store.list()).toHaveLength(2);
    expect((await recordsOf(store)).slice(0, before.length)).toEqual(before);
    await one.close();
    const again = await host({ store });
    expect((await chat(again).beforeRequest({ messages: structuredClone(changed) })).messages).toEqual(changed);
    expect(await store.list()).toHaveLength(2);
  });

  it('keeps the newest checkpoint that covers common messages only', async () => {
    const store = createMemoryStore();
    const one = await host({ store, config: { compaction: { retainedTokens: 3000 } } });
    let compactions = 0;
    one.kernel.bus.on('compaction.done', () => void compactions++);
    const messages: Message[] = [SYSTEM, user('Read everything.')];
    let sent: readonly Message[] = [];
    for (let step = 0; compactions === 0 && step < 40; step++) {
      messages.push(...reads(800, `f${step}`));
      sent = (await chat(one).beforeRequest({ messages })).messages;
    }
    expect(compactions).toBe(1);
    const changed = [...messages.slice(0, -1), { ...(messages.at(-1) as Message), content: 'other' }];
    const after = (await chat(one).beforeRequest({ messages: changed })).messages;
    expect(after.slice(0, -1)).toEqual(sent.slice(0, -1));
    expect(after.at(-1)).toBe(changed.at(-1));
    expect(compactions).toBe(1);
    expect(await store.list()).toHaveLength(2);
  });
});

describe('a host in which Pith fails', () => {
  const messages = [SYSTEM, user('One.'), ...reads(50, 'a'), said('Done.'), user('Two.')];

  it.each([
    ['the store', { store: { ...createMemoryStore(), open: fails, create: fails, newest: endsBadly } }],
    [
      'the store when it is written to',
      { store: { ...createMemoryStore(), create: async () => ({ append: throws, flush: fails, close: fails }) } },
    ],
  ])('goes on with its own messages: %s', async (_, options) => {
    const one = await host(options as never);
    const failures = failuresOf(one);
    expect((await chat(one).beforeRequest({ messages })).messages).toBe(messages);
    await chat(one).afterReply({ items: [], usage: { inputTokens: 10 } });
    await chat(one).afterRun(messages);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures[0]).toBe('beforeRequest: It broke.');
  });

  it('goes on with its own messages when Pith has been closed', async () => {
    const one = await host();
    await one.close();
    expect((await chat(one).beforeRequest({ messages })).messages).toBe(messages);
  });

  it('goes on with its own messages when a plugin aborts', async () => {
    const aborting = definePlugin({
      name: 'aborting',
      api: 1,
      setup({ hooks }) {
        hooks.on('pre_llm_request', () => ({ do: 'abort', reason: 'No.' }));
        hooks.on('prompt_submit', () => ({ do: 'abort', reason: 'Not that.' }));
        hooks.on('post_tool_call', () => ({ do: 'abort', reason: 'Nor that.' }));
      },
    });
    const one = await host({ plugins: [aborting] });
    const failures = failuresOf(one);
    expect((await chat(one).beforeRequest({ messages: messages.slice(0, 2) })).messages).toEqual(messages.slice(0, 2));
    expect((await chat(one).beforeRequest({ messages })).messages).toBe(messages);
    expect(failures).toContain('beforeRequest: Nor that.');
    expect(failures).toContain('beforeRequest: No.');
  });

  it('says nothing and sends its own where the host cancels', async () => {
    const one = await host();
    const failures = failuresOf(one);
    const { messages: sent } = await chat(one).beforeRequest({ messages, signal: AbortSignal.abort() });
    expect(sent).toBe(messages);
    expect((await chat(one).beforeRequest({ messages })).messages).toBe(messages);
    expect(failures).toEqual([]);
  });

  it('does not wait for itself where the model that it asks is the one that it stands before', async () => {
    const inner = definePlugin({
      name: 'inner',
      api: 1,
      setup({ hooks }) {
        hooks.on('pre_llm_request', async () => {
          await chat(one).beforeRequest({ messages: [user('Summarise.')] });
          return undefined;
        });
      },
    });
    const one = await host({ plugins: [inner, await stockPlugins.tracker()] });
    const failures = failuresOf(one);
    expect((await chat(one).beforeRequest({ messages })).messages).toBe(messages);
    expect(failures).toEqual([]);
  });
});

function throws(): never {
  throw new Error('It broke.');
}

async function fails(): Promise<never> {
  throws();
}

async function* endsBadly(): AsyncIterable<never> {
  yield throws();
}

describe('work in the background', () => {
  const messages: Message[] = [SYSTEM, user('Read everything.')];
  for (let step = 0; step < 18; step++) messages.push(...reads(800, `f${step}`));
  messages.push(said('Done.'));

  it('is handed to a host that would stop, and is over when its promise is', async () => {
    const works: Promise<void>[] = [];
    const store = createMemoryStore();
    const one = await host({ store, config: UNPRUNED, waitUntil: (work) => void works.push(work) });
    await chat(one).beforeRequest({ messages: messages.slice(0, -1) });
    await chat(one).afterRun(messages);
    expect(works).toHaveLength(1);
    await works[0];
    expect((await recordsOf(store)).filter(({ t }) => t === 'checkpoint')).toHaveLength(1);
  });

  it('is not waited for while a run of the host is under way, which it may have to wait for', async () => {
    const works: Promise<void>[] = [];
    const one = await host({ config: UNPRUNED, waitUntil: (work) => void works.push(work) });
    await chat(one).beforeRequest({ messages: messages.slice(0, -1) });
    await chat(one).beforeRequest({ messages: [...messages, user('And now?')] });
    await one.idle();
    await Promise.all(works);
    expect(works).toHaveLength(1);
  });
});

const UNPRUNED = {
  compaction: { retainedTokens: 3000, compactThreshold: '50%', compactRequestThreshold: '95%' },
  prune: { minSavings: 100_000 },
};

describe('what a host is started with', () => {
  it('is what a manifest says, with what is given over it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pith-host-'));
    const manifest = join(folder, 'pith.toml');
    await writeFile(manifest, '[compaction]\nretained_tokens = 1234\n\n[session]\nstore = "memory"\n');
    const one = await host({ manifest, config: { tracker: { capacity: 3 } } });
    const configs = new Map(one.kernel.describe().plugins.map(({ name, config }) => [name, config]));
    expect(configs.get('compaction')).toMatchObject({ retainedTokens: 1234 });
    expect(configs.get('tracker')).toEqual({ capacity: 3 });
    await rm(folder, { recursive: true });
  });

  it('is the stock that keeps a conversation inside its window, where nothing is said', async () => {
    const names = (await host()).kernel.describe().plugins.map(({ name }) => name);
    expect([...names].sort()).toEqual(['auto-read-budget', 'compaction', 'guard', 'prune', 'tracker']);
  });

  it('has the model write summaries that is given', async () => {
    const model = createScriptedModel({ script: () => ({ text: 'No.', calls: [] }) });
    const one = await host({ model, config: { compaction: { ...UNPRUNED.compaction, fallback: 'none' } } });
    const ends: unknown[] = [];
    one.kernel.bus.on('compaction.failed', ({ worker, outcome }) => void ends.push({ worker, outcome }));
    const messages: Message[] = [SYSTEM, user('Read everything.')];
    for (let step = 0; step < 18; step++) messages.push(...reads(800, `f${step}`));
    await chat(one).beforeRequest({ messages });
    await chat(one).afterRun();
    await one.idle();
    expect(ends).toContainEqual({ worker: 'llm', outcome: 'empty-summary' });
  });
});

describe('many conversations', () => {
  it('are open at once only so many, and go on when they were closed meanwhile', async () => {
    const store = createMemoryStore();
    const one = await host({ store });
    const failures = failuresOf(one);
    for (let n = 0; n < 70; n++) {
      await chat(one, `c${n}`).beforeRequest({ messages: [user(`One of ${n}.`)] });
      await chat(one, `c${n}`).afterRun([user(`One of ${n}.`), said('Done.')]);
    }
    await one.idle();
    const open = (await store.list()).filter(({ owner }) => owner !== undefined);
    expect(open.length).toBeLessThanOrEqual(64);
    const messages = [user('One of 0.'), said('Done.'), user('Two.')];
    expect((await chat(one, 'c0').beforeRequest({ messages })).messages).toBe(messages);
    expect(failures).toEqual([]);
    expect(await store.list()).toHaveLength(70);
  });

  it('imports a long history at once', async () => {
    const store = createMemoryStore();
    const one = await host({ store, limits: { contextWindow: 400_000 } });
    const messages: Message[] = [SYSTEM];
    for (let turn = 0; turn < 20; turn++) messages.push(user(`Task ${turn}`), ...reads(100, `f${turn}`), said('Done.'));
    messages.push(user('Now this.'));
    expect((await chat(one).beforeRequest({ messages })).messages).toBe(messages);
    const records = await recordsOf(store);
    expect(records.filter((record) => record.t === 'turn' && record.phase === 'start')).toHaveLength(21);
  });
});
