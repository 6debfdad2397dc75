import type { NewItem } from '../../../core';
import { createSource, readSessions } from '../../../core/formats';
import { writeAiSdk, writeAnthropic, writeOpenAiChat, writePith } from '../../../core/formats/write';
import { checkRequest } from '../../../core/testing';
import { fixture } from '../reading';
import { asIs, projected } from './projected';

const PNG = 'iVBORw0KGgo=';
const user = (text: string): NewItem => ({ kind: 'message', role: 'user', parts: [{ type: 'text', text }] });
const assistant = (text: string, reply?: string): NewItem => ({
  kind: 'message',
  role: 'assistant',
  parts: [{ type: 'text', text }],
  ...(reply !== undefined && { reply }),
});
const call = (callId: string, name = 'look', more: object = {}): NewItem => ({
  kind: 'tool_call',
  callId,
  name,
  arguments: {},
  ...more,
});
const result = (callId: string, more: object = {}): NewItem => ({
  kind: 'tool_result',
  callId,
  summary: `${callId} done`,
  ...more,
});

const STRICT = { system: 'one', firstUser: true } as const;

describe('a conversation with parallel calls', () => {
  const items = [
    user('Look left and right.'),
    assistant('Looking.', 'r'),
    call('a', 'look', { reply: 'r' }),
    call('b', 'look', { reply: 'r' }),
    result('b', { isError: true }),
    result('a', { content: [{ type: 'text', text: 'a tree' }] }),
    assistant('A tree.'),
    user('Thanks.'),
  ];

  test('is one assistant message with tool messages behind it for OpenAI', () => {
    expect(writeOpenAiChat(projected(items))).toEqual([
      { role: 'user', content: 'Look left and right.' },
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } },
          { id: 'b', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'b done' },
      { role: 'tool', tool_call_id: 'a', content: 'a tree' },
      { role: 'assistant', content: 'A tree.' },
      { role: 'user', content: 'Thanks.' },
    ]);
  });

  test('has all results in one user message, ahead of what the user says next, for Anthropic', () => {
    const interrupted = [...items.slice(0, 6), user('Stop.')];
    expect(writeAnthropic(projected(interrupted)).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look left and right.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'a', name: 'look', input: {} },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: 'b done', is_error: true },
          { type: 'tool_result', tool_use_id: 'a', content: 'a tree' },
          { type: 'text', text: 'Stop.' },
        ],
      },
    ]);
  });

  test('has results with the names of their tools for the AI SDK', () => {
    expect(writeAiSdk(projected(items)).messages.slice(1, 3)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} },
          { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'b', toolName: 'look', output: { type: 'error-text', value: 'b done' } },
          { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'text', value: 'a tree' } },
        ],
      },
    ]);
  });
});

describe('who begins', () => {
  test.each([
    ['there is no user message', [assistant('Hello.')]],
    ['the first user message comes later', [assistant('Hello.'), user('Hi.')]],
    ['only a call and its result are left', [call('a'), result('a')]],
  ])('is a stand-in for the user where %s', (_, items) => {
    const context = projected(items);
    expect(writeOpenAiChat(context)[0]).toEqual({ role: 'user', content: '[Conversation continues]' });
    expect(writeAnthropic(context).messages[0]).toEqual({
      role: 'user',
      content: [{ type: 'text', text: '[Conversation continues]' }],
    });
    expect(writeAiSdk(context).messages[0]).toEqual({ role: 'user', content: '[Conversation continues]' });
  });

  test('is the user where the user did begin', () => {
    expect(writeOpenAiChat(projected([user('Hi.'), assistant('Hello.')]))[0]).toEqual({ role: 'user', content: 'Hi.' });
  });
});

describe('ids and names that providers refuse', () => {
  const items = [
    user('go'),
    call('look:0', 'mcp.look'),
    call('look_0', 'look'),
    result('look:0'),
    result('look_0'),
    call('look:0', ''),
    result('look:0'),
    call('x'.repeat(90)),
    result('x'.repeat(90)),
  ];

  test.each(['openai-chat', 'anthropic', 'ai-sdk'] as const)(
    'are replaced, each call by an id of its own, in %s',
    (shape) => {
      const written = { 'openai-chat': writeOpenAiChat, anthropic: writeAnthropic, 'ai-sdk': writeAiSdk }[shape](
        projected(items),
      );
      expect(checkRequest(shape, written, STRICT)).toEqual([]);
    },
  );

  test('stay as they are where they are good', () => {
    const messages = writeAiSdk(projected([user('go'), call('toolu_01-Ab'), result('toolu_01-Ab')])).messages;
    expect(JSON.stringify(messages)).toContain('"toolCallId":"toolu_01-Ab"');
  });
});

test('arguments that are no object are wrapped into one', () => {
  const context = projected([user('go'), { ...call('a'), arguments: '*** Begin Patch' } as NewItem, result('a')]);
  expect(writeAnthropic(context).messages[1]).toMatchObject({ content: [{ input: { input: '*** Begin Patch' } }] });
});

describe('images', () => {
  const shown = { type: 'image', mediaType: 'image/png', data: PNG } as const;
  const linked = { type: 'image', mediaType: 'image/png', url: 'https://example.org/a.png' } as const;
  const lost = { type: 'image', mediaType: 'image/png', url: 'blob:sha256:00' } as const;
  const items: readonly NewItem[] = [
    { kind: 'message', role: 'user', parts: [shown, linked, lost] },
    call('a', 'photo'),
    result('a', { content: [{ type: 'text', text: 'two views' }, shown], isError: true }),
    { kind: 'message', role: 'assistant', parts: [shown] },
  ];
  const context = projected(items);

  test('of a result follow in a user message for OpenAI, whose tool messages take text only', () => {
    expect(writeOpenAiChat(context)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
          { type: 'text', text: '[Image: image/png]' },
        ],
      },
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', tool_call_id: 'a', content: 'two views\n\n[Image: image/png]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[Images of the result of photo, call a]' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
      { role: 'assistant', content: '[Image: image/png]' },
    ]);
  });

  test('are blocks for Anthropic, which takes no error with an image', () => {
    const base64 = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
    expect(writeAnthropic(context).messages[0]!.content).toEqual([
      base64,
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      { type: 'text', text: '[Image: image/png]' },
    ]);
    expect(writeAnthropic(context).messages[2]!.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'two views' }, base64] },
    ]);
  });

  test('are image and media parts for the AI SDK', () => {
    const { messages } = writeAiSdk(context);
    expect(messages[0]!.content).toEqual([
      { type: 'image', image: PNG, mediaType: 'image/png' },
      { type: 'image', image: 'https://example.org/a.png' },
      { type: 'text', text: '[Image: image/png]' },
    ]);
    expect(messages[2]!.content).toMatchObject([
      { output: { type: 'content', value: [{ type: 'text' }, { type: 'media', data: PNG, mediaType: 'image/png' }] } },
    ]);
  });
});

describe('reasoning', () => {
  const contextOf = (name: string) => projected([], ...readSessions(fixture(name))[0]!.records);

  test('of Anthropic goes back signed to Anthropic and the AI SDK, and is left out for OpenAI', () => {
    const context = contextOf('anthropic.json');
    expect(writeAnthropic(context).messages[1]!.content.slice(0, 2)).toEqual([
      { type: 'thinking', thinking: 'Strike both.', signature: 'c2lnbmF0dXJl' },
      { type: 'redacted_thinking', data: 'aGlkZGVu' },
    ]);
    expect(writeAiSdk(context).messages[1]!.content.slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'Strike both.', providerOptions: { anthropic: { signature: 'c2lnbmF0dXJl' } } },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'aGlkZGVu' } } },
    ]);
    expect(JSON.stringify(writeOpenAiChat(context))).not.toContain('Strike both.');
  });

  test('of an OpenAI-compatible endpoint goes back in its field, and is left out for Anthropic', () => {
    const context = contextOf('openai-chat.json');
    expect(writeOpenAiChat(context)[2]).toMatchObject({
      role: 'assistant',
      reasoning_content: 'Two sensors can tell.',
    });
    expect(JSON.stringify(writeAnthropic(context))).not.toContain('Two sensors');
  });

  test('and calls of the AI SDK keep the data of their provider', () => {
    const original = (fixture('ai-sdk-model.json').json as { messages: { content: unknown[] }[] }).messages[1]!.content;
    expect(writeAiSdk(contextOf('ai-sdk-model.json')).messages[1]!.content).toEqual(original);
  });

  test('alone is no message in any shape', () => {
    const context = asIs([
      user('go'),
      { kind: 'reasoning', text: 'hm', opaque: 'c2ln', provider: { anthropic: { type: 'thinking' } } },
    ]);
    expect(writeOpenAiChat(context)).toHaveLength(1);
    expect(writeAnthropic(context).messages).toHaveLength(1);
    expect(writeAiSdk(context).messages).toHaveLength(1);
  });
});

test('a session file keeps the blocks of the checkpoint, so that the next compaction replaces them', () => {
  const block = { kind: 'auto-read', text: '[Auto-read file: a.ts]\nx', path: 'a.ts', fromLine: 1, toLine: 1 };
  const context = {
    ...asIs([user('go')]),
    digest: 'digest',
    system: [
      { kind: 'prompt', text: 'P' },
      { kind: 'block', text: block.text, block },
    ] as const,
    occupancy: () => ({ tokens: 42, margin: 0, source: 'counted' as const }),
  };
  const [session] = readSessions(createSource('s', writePith(context)));
  expect(session!.records).toContainEqual(
    expect.objectContaining({ t: 'checkpoint', blocks: [block], cut: 0, after: 42 }),
  );
  expect(session!.records[0]).toEqual({ t: 'settings', system: 'P' });
});
