import fc from 'fast-check';
import type { Ids, LlmStreamPart } from '../../core';
import type { Content, Finish, FinishReason, StreamedPart } from '../../core/llm/language-model';
import { traitsOf } from '../../core/llm/profiles';
import { readReply } from '../../core/llm/reply';
import { StreamedReply } from '../../core/llm/reply-stream';
import { modelLimits } from '../../core/tokens/model-limits';

const countedIds = (): Ids => {
  let count = 0;
  return { next: (kind) => `${kind}-${String(++count)}` };
};

const finishOf = (finishReason: FinishReason, output = 5): Finish => ({
  finishReason,
  usage: { inputTokens: { total: 10 }, outputTokens: { total: output } },
});
const STOP = finishOf({ unified: 'stop', raw: 'stop' });

const toolName = (called: string): string => (called === 'fs_read' ? 'fs.read' : called);

const read = (
  contents: readonly Content[],
  finish = STOP,
  provider = 'anthropic.messages',
): ReturnType<typeof readReply> =>
  readReply(contents, finish, {
    provider: 'p',
    model: 'm',
    version: 'v3',
    limits: modelLimits('m'),
    traits: traitsOf(provider),
    ids: countedIds(),
    toolName,
  });

const text = (said: string): Content => ({ type: 'text', text: said });
const toolCall = (toolCallId: string, input: string, toolName = 'read'): Content => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
});

describe('the items of a reply', () => {
  test('carry one reply id, in the order in which they were made', () => {
    const { items } = read([text('a'), toolCall('1', '{"x":1}'), text('b')]);
    expect(items).toMatchObject([
      { kind: 'message', parts: [{ text: 'a' }], reply: 'reply-1' },
      { kind: 'tool_call', callId: '1', arguments: { x: 1 }, reply: 'reply-1' },
      { kind: 'message', parts: [{ text: 'b' }], reply: 'reply-1' },
    ]);
  });

  test.each([
    ['', {}],
    ['  ', {}],
    ['{"a":[1]}', { a: [1] }],
    ['[1]', [1]],
    ['{"a"', '{"a"'],
    ['not json', 'not json'],
    ['['.repeat(5_000) + ']'.repeat(5_000), '['.repeat(5_000) + ']'.repeat(5_000)],
  ])('arguments %.20j', (input, parsed) => {
    expect(read([toolCall('1', input)]).items).toMatchObject([{ arguments: parsed }]);
  });

  test('call ids are never empty and never twice', () => {
    const { items } = read([toolCall('', '{}'), toolCall('x', '{}'), toolCall('x', '{}')]);
    const ids = items.map((item) => (item.kind === 'tool_call' ? item.callId : ''));
    expect(new Set(ids).size).toBe(3);
    expect(ids).toContain('x');
    expect(ids).not.toContain('');
  });

  test('tools are named as the session knows them', () => {
    expect(read([toolCall('1', '{}', 'fs_read')]).items).toMatchObject([{ name: 'fs.read' }]);
  });

  test('what is blank, and what the provider ran itself, is left out', () => {
    const served = { ...toolCall('1', '{}'), providerExecuted: true } as Content;
    const other = { type: 'source', url: 'https://x.test' } as unknown as Content;
    expect(read([text(' \n'), served, other, { type: 'reasoning', text: '' }]).items).toEqual([]);
  });

  test('data of a provider is kept as plain JSON, without what is empty', () => {
    const providerMetadata = { openai: { itemId: 'msg_1', phase: null, at: undefined }, empty: {}, flat: 'x' };
    expect(read([{ ...text('a'), providerMetadata }]).items).toMatchObject([
      { provider: { openai: { itemId: 'msg_1' } } },
    ]);
    const [item] = read([{ ...text('a'), providerMetadata: { openai: { phase: null } } }]).items;
    expect(item).not.toHaveProperty('provider');
  });

  test('signed, redacted, encrypted and readable reasoning each keep what their provider wants back', () => {
    const reasoning = (said: string, providerMetadata?: object): Content => ({
      type: 'reasoning',
      text: said,
      providerMetadata,
    });
    expect(read([reasoning('t', { anthropic: { signature: 'c2ln' } })]).items).toMatchObject([
      { text: 't', opaque: 'c2ln', provider: { anthropic: { type: 'thinking' } }, model: 'm' },
    ]);
    expect(read([reasoning('', { anthropic: { redactedData: 'eA==' } })]).items).toMatchObject([
      { opaque: 'eA==', provider: { anthropic: { type: 'redacted_thinking' } } },
    ]);
    const metadata = { azure: { itemId: 'rs', reasoningEncryptedContent: 'eA==' } };
    expect(read([reasoning('', metadata)], STOP, 'azure.responses').items).toMatchObject([
      { opaque: 'eA==', provider: { azure: { itemId: 'rs' } } },
    ]);
    expect(read([reasoning('t')], STOP, 'local.chat').items).toMatchObject([
      { text: 't', provider: { openaiChat: { field: 'reasoning_content' } } },
    ]);
    expect(read([reasoning('t', { google: { thoughtSignature: 's' } })], STOP, 'google').items).toMatchObject([
      { text: 't', provider: { google: { thoughtSignature: 's' } } },
    ]);
  });
});

describe('why a reply ended', () => {
  const call = toolCall('1', '{}');
  test.each([
    ['stop', [text('a')], 'end'],
    ['stop', [text('a'), call], 'tool-calls'],
    ['tool-calls', [call], 'tool-calls'],
    ['tool-calls', [text('a')], 'end'],
    ['other', [text('a')], 'end'],
    ['length', [text('a'), call], 'length'],
    ['content-filter', [text('a')], 'refusal'],
  ] as const)('%s with %j is %s', (unified, contents, stop) => {
    expect(read(contents, finishOf({ unified, raw: unified })).stop).toBe(stop);
    expect(read(contents, finishOf(unified)).stop).toBe(stop);
  });

  test('an error is no reply', () => {
    const broken = (): unknown => read([text('a')], finishOf({ unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' }));
    expect(broken).toThrow(
      expect.objectContaining({ code: 'PITH_LLM_TRANSPORT', details: expect.objectContaining({ transient: true }) }),
    );
    expect(broken).toThrow(/MALFORMED_FUNCTION_CALL/);
  });

  test('a limit that reasoning alone used up is a reply that was cut off, and no overflow', () => {
    const { stop, items } = read([], finishOf({ unified: 'length', raw: 'length' }, 4_000));
    expect([stop, items]).toEqual(['length', []]);
  });
});

describe('a streamed reply', () => {
  const gather = (
    parts: readonly StreamedPart[],
  ): { readonly shown: readonly LlmStreamPart[]; readonly contents: readonly Content[] } => {
    const reply = new StreamedReply(toolName);
    const shown = parts.flatMap((part) => reply.add(part) ?? []);
    return { shown, contents: reply.end().contents };
  };
  const END: StreamedPart = { type: 'finish', ...STOP };

  test('is the pieces in the order in which they began, however they are interleaved', () => {
    const { contents, shown } = gather([
      { type: 'reasoning-start', id: 'r' },
      { type: 'text-start', id: 't' },
      { type: 'reasoning-delta', id: 'r', delta: 'th' },
      { type: 'text-delta', id: 't', delta: 'he' },
      { type: 'reasoning-delta', id: 'r', delta: 'ink' },
      { type: 'text-delta', id: 't', delta: 'llo' },
      { type: 'text-end', id: 't' },
      { type: 'reasoning-end', id: 'r', providerMetadata: { anthropic: { signature: 's' } } },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'again' },
      END,
    ]);
    expect(contents).toMatchObject([
      { type: 'reasoning', text: 'think', providerMetadata: { anthropic: { signature: 's' } } },
      { type: 'text', text: 'hello' },
      { type: 'text', text: 'again' },
    ]);
    expect(shown.map(({ type }) => type)).toEqual(['reasoning', 'text', 'reasoning', 'text', 'text']);
  });

  test('gathers the data of a provider from all parts of a piece', () => {
    const { contents } = gather([
      {
        type: 'reasoning-start',
        id: 'r',
        providerMetadata: { openai: { itemId: 'rs', reasoningEncryptedContent: null } },
      },
      { type: 'reasoning-end', id: 'r', providerMetadata: { openai: { reasoningEncryptedContent: 'e' } } },
      END,
    ]);
    expect(contents[0]?.providerMetadata).toEqual({ openai: { itemId: 'rs', reasoningEncryptedContent: 'e' } });
  });

  test('tells each call once, when it begins or where that is left out when it is whole', () => {
    const call = (id: string): StreamedPart => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: 'fs_read',
      input: '{}',
    });
    const { shown, contents } = gather([
      { type: 'tool-input-start', id: '1', toolName: 'fs_read' },
      call('1'),
      call('2'),
      END,
    ]);
    expect(shown).toEqual([
      { type: 'tool-call', callId: '1', name: 'fs.read' },
      { type: 'tool-call', callId: '2', name: 'fs.read' },
    ]);
    expect(contents).toHaveLength(2);
  });

  test.each([
    ['before its end', []],
    ['without a reason', [{ type: 'finish', finishReason: { unified: 'other' }, usage: {} } as StreamedPart]],
  ])('that ends %s is a broken connection', (_, parts) => {
    const reply = new StreamedReply(toolName);
    reply.add({ type: 'text-delta', id: 't', delta: 'half' });
    for (const part of parts) reply.add(part);
    expect(() => reply.end()).toThrow(expect.objectContaining({ code: 'PITH_LLM_TRANSPORT' }));
  });

  test('is the same whatever pieces it comes in', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 12 }), (pieces) => {
        const { contents } = gather([
          { type: 'text-start', id: 't' },
          ...pieces.map((delta): StreamedPart => ({ type: 'text-delta', id: 't', delta })),
          { type: 'text-end', id: 't' },
          END,
        ]);
        expect(contents).toMatchObject([{ type: 'text', text: pieces.join('') }]);
      }),
    );
  });
});
