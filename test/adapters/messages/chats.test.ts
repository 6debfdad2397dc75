/** Plain requests of both shapes: what is read of their messages, and what is sent in their place. */
import fc from 'fast-check';
import { createMemoryStore } from '../../../core';
import type { Item } from '../../../core';
import { createPith } from '../../../core/adapters/messages';
import type { ChatRequest, HostOptions, MessagesPith } from '../../../core/adapters/messages';
import { anthropicCodec } from '../../../core/adapters/messages/anthropic-codec';
import { openAiCodec } from '../../../core/adapters/messages/openai-codec';
import { writeAnthropic, writeOpenAiChat } from '../../../core/formats/write';
import { checkRequest, prose, withIds } from '../../../core/testing';
import { histories, uniqueIds } from '../../arbitraries/history';

const SMALL: HostOptions = {
  limits: { contextWindow: 20_000, maxOutput: 2_000 },
  log: { level: 'error', write: () => undefined },
  config: { compaction: { retainedTokens: 2_000 }, prune: { minSavings: 100_000 } },
};

const open: MessagesPith[] = [];
afterEach(async () => {
  for (const pith of open.splice(0)) await pith.close();
});

async function pithWith(options: HostOptions = SMALL): Promise<MessagesPith> {
  const pith = await createPith(options);
  open.push(pith);
  return pith;
}

/** Items as a context holds them, with the change of one. */
function changed(items: readonly Item[], at: number, change: Partial<Item> | undefined): readonly (Item | undefined)[] {
  return items.map((item, index) =>
    index !== at ? item : change === undefined ? undefined : ({ ...item, ...change } as Item),
  );
}

describe('chat completion messages', () => {
  const reply = {
    role: 'assistant',
    content: 'I look.',
    reasoning_content: 'Where is it?',
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } },
      { id: 'b', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
    ],
    annotations: [],
  };
  const items = withIds(openAiCodec.read(reply));

  it('are read in the order in which they were made', () => {
    expect(items).toMatchObject([
      { kind: 'reasoning', text: 'Where is it?' },
      { kind: 'message', role: 'assistant' },
      { kind: 'tool_call', callId: 'a', name: 'read', arguments: { path: 'a.ts' } },
      { kind: 'tool_call', callId: 'b', name: 'patch', arguments: '*** Begin' },
    ]);
    expect(openAiCodec.read({ role: 'tool', tool_call_id: 'a', content: 'text' })).toEqual([
      { kind: 'tool_result', callId: 'a', summary: '', content: [{ type: 'text', text: 'text' }] },
    ]);
    expect(openAiCodec.read({ role: 'developer', content: 'Mind.' })).toMatchObject([{ role: 'system' }]);
    expect(openAiCodec.read({ role: 'ui', content: 'none' })).toEqual([]);
  });

  it('lose what is not sent and keep all else', () => {
    expect(openAiCodec.edit(reply, items)).toEqual(reply);
    const { reasoning_content: _, ...rest } = reply;
    expect(openAiCodec.edit(reply, changed(items, 0, undefined))).toEqual(rest);
    expect(openAiCodec.edit(reply, changed(items, 1, undefined))).toEqual({ ...reply, content: null });
    expect(openAiCodec.edit(reply, changed(items, 3, undefined))).toEqual({
      ...reply,
      tool_calls: [reply.tool_calls[0]],
    });
    expect(
      openAiCodec.edit(
        reply,
        items.map(() => undefined),
      ),
    ).toBeUndefined();
  });

  it("show the summary of a result whose content was dropped, and a note of the system as the user's", () => {
    const result = { role: 'tool', tool_call_id: 'a', content: 'long', name: 'read' };
    const [item] = withIds(openAiCodec.read(result)) as [Item];
    const { content: _, ...pruned } = { ...item, summary: 'read, 4 characters' } as Extract<
      Item,
      { kind: 'tool_result' }
    >;
    expect(openAiCodec.edit(result, [pruned])).toEqual({ ...result, content: 'read, 4 characters' });
    const note = { role: 'system', content: 'Mind.' };
    const said: Item = {
      id: 'n',
      kind: 'message',
      role: 'user',
      parts: [
        { type: 'text', text: '[System note]' },
        { type: 'text', text: 'Mind.' },
      ],
    };
    expect(openAiCodec.edit(note, [said])).toEqual({ role: 'user', content: '[System note]\n\nMind.' });
  });
});

describe('Anthropic messages', () => {
  it('are items block by block, and lose no block that is kept', () => {
    const reply = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Where?', signature: 'c2ln' },
        { type: 'text', text: 'I look.', citations: null },
        { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
        { type: 'tool_use', id: 'a', name: 'read', input: { path: 'a.ts' } },
      ],
    };
    const items = withIds(anthropicCodec.read(reply));
    expect(items.map(({ kind }) => kind)).toEqual(['reasoning', 'message', 'message', 'tool_call']);
    expect(items[0]).toMatchObject({ opaque: 'c2ln' });
    expect(anthropicCodec.edit(reply, items)).toEqual(reply);
    expect(anthropicCodec.edit(reply, changed(items, 0, undefined))).toEqual({
      ...reply,
      content: reply.content.slice(1),
    });
  });

  it('part results from what the user says beside them', () => {
    const message = {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'long', is_error: true },
        { type: 'text', text: 'Go on.', cache_control: { type: 'ephemeral' } },
      ],
    };
    const items = withIds(anthropicCodec.read(message));
    expect(items).toMatchObject([
      { kind: 'tool_result', isError: true },
      { kind: 'message', role: 'user' },
    ]);
    expect(anthropicCodec.edit(message, changed(items, 0, { content: [{ type: 'text', text: 'short' }] }))).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: 'short', is_error: true }, message.content[1]],
    });
  });
});

describe('a request', () => {
  it('is the very same where nothing is to be changed', async () => {
    const pith = await pithWith();
    const chatRequest = { model: 'gpt-5', messages: [{ role: 'user', content: 'Hello.' }], tools: [] };
    expect(await pith.openai('one').beforeRequest(chatRequest)).toBe(chatRequest);
    const request = {
      model: 'claude-sonnet-4-5',
      system: 'You help.',
      messages: [{ role: 'user', content: 'Hello.' }],
      max_tokens: 100,
    };
    expect(await pith.anthropic('two').beforeRequest(request)).toBe(request);
  });

  it.each(['many', 'one'] as const)('has its summary in %s system messages', async (system) => {
    const chat = (await pithWith()).openai('one', { system });
    const { messages } = await longChat((request) => chat.beforeRequest(request));
    const heads = messages.filter((message) => (message as { role: string }).role === 'system') as {
      content: string;
    }[];
    expect(heads.length > 1).toBe(system === 'many');
    expect(heads.map(({ content }) => content).join('\n\n')).toMatch(/^You help\.\n\n\[Compacted context summary/);
    expect(checkRequest('openai-chat', { messages }, { system, firstUser: true, prompt: 'You help.' })).toEqual([]);
  });

  it('is sent again in a smaller form where the provider finds it too large', async () => {
    const chat = (await pithWith({ ...SMALL, limits: { contextWindow: 100_000 } })).openai('one');
    const { messages } = await longChat(async (request) => request);
    const seen: number[] = [];
    const response = {
      choices: [{ message: { role: 'assistant', content: 'Done.' } }],
      usage: { prompt_tokens: 3000 },
    };
    const got = await chat.send({ messages }, async (sent) => {
      seen.push(sent.messages.length);
      if (seen.length === 1) throw Object.assign(new Error('maximum context length is 8192 tokens'), { status: 400 });
      return response;
    });
    expect(got).toBe(response);
    expect(seen[1]).toBeLessThan(seen[0] ?? 0);
    const refused = new Error('invalid api key');
    await expect(chat.send({ messages }, () => Promise.reject(refused))).rejects.toBe(refused);
  });

  /** A conversation that outgrows 20,000 tokens, asking before each step. */
  async function longChat(ask: (request: { messages: object[] }) => Promise<ChatRequest>): Promise<ChatRequest> {
    const messages: object[] = [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: 'Read it all.' },
    ];
    let sent: ChatRequest = { messages };
    for (let step = 0; step < 24; step++) {
      const call = { id: `c${step}`, type: 'function', function: { name: 'read', arguments: '{}' } };
      messages.push({ role: 'assistant', content: null, tool_calls: [call] });
      messages.push({ role: 'tool', tool_call_id: `c${step}`, content: prose(900, `part ${step}`) });
      sent = await ask({ messages: [...messages] });
    }
    return sent;
  }
});

describe('any conversation that a provider takes', () => {
  it('is one that it takes, before and after compactions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(histories(8, uniqueIds), { minLength: 1, maxLength: 3 }), async (parts) => {
        const items = withIds(parts.flatMap((part, at) => part.map((item) => renamed(item as Item, at))));
        const pith = await createPith({
          ...SMALL,
          config: { compaction: { retainedTokens: 500 }, prune: { minSavings: 500, protectedTokens: 500 } },
          limits: { contextWindow: 6_000, maxOutput: 1_000 },
          store: createMemoryStore(),
        });
        const context = { system: [], items: () => items };
        const chat = writeOpenAiChat(context);
        const { system, messages } = writeAnthropic(context);
        for (let from = 1; from < 4; from++) {
          const sent = await pith.openai('one').beforeRequest({ messages: cutAt(chat, from / 3) });
          expect(checkRequest('openai-chat', sent, { system: 'many', firstUser: true })).toEqual([]);
          const request = { system, messages: cutAt(messages, from / 3) };
          expect(
            checkRequest('anthropic', await pith.anthropic('two').beforeRequest(request), {
              system: 'many',
              firstUser: true,
            }),
          ).toEqual([]);
        }
        await pith.close();
      }),
      { numRuns: 60 },
    );
  });

  function renamed(item: Item, at: number): Item {
    const { id: _, ...rest } = item;
    return ('callId' in rest ? { ...rest, callId: `${rest.callId}-${at}` } : rest) as Item;
  }

  /** The messages up to a share of them, whole exchanges only. */
  function cutAt<T extends object>(messages: readonly T[], share: number): readonly T[] {
    let end = Math.ceil(messages.length * share);
    while (end < messages.length && isMiddle(messages[end] as T)) end++;
    return messages.slice(0, end);
  }

  function isMiddle(message: object): boolean {
    const { role, content } = message as { readonly role: string; readonly content: unknown };
    const first = Array.isArray(content) ? (content[0] as { readonly type?: string } | undefined)?.type : undefined;
    return role === 'tool' || first === 'tool_result';
  }
});
