import fc from 'fast-check';
import { createAiSdkClient } from '../../core/llm/ai-sdk-client';
import { profileOf, traitsOf } from '../../core/llm/profiles';
import { renderPrompt } from '../../core/llm/prompt';
import type { Prompt, Reader } from '../../core/llm/prompt';
import { declareTools, toolNames } from '../../core/llm/tools';
import type { NewItem, RecordDraft } from '../../core';
import { assistant, call, open, result, user } from '../support/context';
import { arbitraryItems } from './support';

const readerOf = (provider: string, more: Partial<Reader> = {}): Reader => ({
  model: 'claude-sonnet-4-5',
  profile: profileOf(provider),
  traits: traitsOf(provider),
  version: 'v3',
  keepsReplies: false,
  ...more,
});
const ANTHROPIC = readerOf('anthropic.messages');
const RESPONSES = readerOf('openai.responses');
const COMPATIBLE = readerOf('local.chat');

const SYSTEM: readonly RecordDraft[] = [
  { t: 'settings', system: 'You help.' },
  { t: 'pin', text: 'Pinned.' },
];
const CHECKPOINT: RecordDraft = {
  t: 'checkpoint',
  compaction: 'c',
  blocks: [
    { kind: 'summary', text: 'Summary.' },
    { kind: 'references', text: 'References.' },
  ],
  cut: 0,
  edits: [],
  before: 1,
  after: 1,
};

function render(items: readonly NewItem[], reader: Reader, stable?: number, drafts = SYSTEM): Prompt {
  const { context } = open(items, ...drafts);
  return renderPrompt({ context, ...(stable !== undefined && { stable }) }, reader);
}

const PNG = { type: 'image', mediaType: 'image/png', data: 'aGVsbG8=' } as const;
const LINK = { type: 'image', mediaType: 'image/png', url: 'https://x.test/a.png' } as const;
const BROKEN = { type: 'image', mediaType: 'image/tiff', data: 'aGVsbG8=' } as const;

describe('system content', () => {
  test('is as many messages as it has pieces, prompt first', () => {
    const { messages, places } = render([user('hi')], ANTHROPIC, undefined, [...SYSTEM, CHECKPOINT]);
    const texts = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
    expect(texts).toEqual(['You help.', 'Pinned.', 'Summary.', 'References.']);
    expect(places).toEqual({ prompt: 1, system: 3, newest: 4 });
  });

  test('is one message, joined by blank lines, where the provider takes one only', () => {
    const { messages, places } = render([user('hi')], COMPATIBLE, undefined, [...SYSTEM, CHECKPOINT]);
    expect(messages[0]).toEqual({ role: 'system', content: 'You help.\n\nPinned.\n\nSummary.\n\nReferences.' });
    expect(messages[1]?.role).toBe('user');
    expect(places).toEqual({ prompt: 0, system: 0, newest: 1 });
  });

  test('is left out where there is none', () => {
    expect(render([user('hi')], COMPATIBLE, undefined, []).messages.map(({ role }) => role)).toEqual(['user']);
  });
});

describe('images', () => {
  const shown: NewItem = { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'look' }, PNG, LINK, BROKEN] };

  test('C22: of the user go by their bytes or address, and are named where they cannot be sent', () => {
    expect(render([shown], ANTHROPIC).messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'file', mediaType: 'image/png', data: 'aGVsbG8=' },
        { type: 'file', mediaType: 'image/*', data: new URL('https://x.test/a.png') },
        { type: 'text', text: '[Image: image/tiff]' },
      ],
    });
  });

  const inResult: readonly NewItem[] = [
    user('look'),
    call('c1', 'screenshot'),
    { kind: 'tool_result', callId: 'c1', summary: 'a picture', content: [{ type: 'text', text: 'here' }, PNG] },
  ];

  test('of results stand in the result where the provider shows them there', () => {
    const output = (version: 'v2' | 'v3' | 'v4'): unknown =>
      render(inResult, { ...ANTHROPIC, version }).messages.at(-1)?.content[0];
    expect(output('v3')).toMatchObject({
      output: {
        type: 'content',
        value: [
          { type: 'text', text: 'here' },
          { type: 'image-data', mediaType: 'image/png', data: 'aGVsbG8=' },
        ],
      },
    });
    expect(output('v2')).toMatchObject({ output: { type: 'content', value: [{ type: 'text' }, { type: 'media' }] } });
    const tagged = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGVsbG8=' } };
    expect(output('v4')).toMatchObject({ output: { type: 'content', value: [{ type: 'text' }, tagged] } });
  });

  test('have their bytes and addresses tagged where version 4 asks for it', () => {
    const link = { type: 'image' as const, mediaType: 'image/png', url: 'https://example.org/a.png' };
    const { messages } = render([{ kind: 'message', role: 'user', parts: [PNG, link] }], {
      ...ANTHROPIC,
      version: 'v4',
    });
    expect(messages.at(-1)?.content).toEqual([
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGVsbG8=' } },
      { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL(link.url) } },
    ]);
  });

  test('C22: of results follow in a user message where results are text, and never as base64 text', () => {
    const { messages } = render(inResult, COMPATIBLE);
    expect(messages.slice(-2)).toEqual([
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'screenshot',
            output: { type: 'text', value: 'here\n\n[Image: image/png]' },
          },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[Images of the result of screenshot, call c1]' },
          { type: 'file', mediaType: 'image/png', data: 'aGVsbG8=' },
        ],
      },
    ]);
  });
});

describe('results', () => {
  test('that are errors are marked as errors', () => {
    const { messages } = render(
      [user('go'), call('c1'), { ...result('c1', 'no such file'), isError: true } as NewItem],
      ANTHROPIC,
    );
    expect(messages.at(-1)?.content[0]).toMatchObject({ output: { type: 'error-text', value: 'no such file' } });
  });

  test('whose arguments were no JSON hand the text back in an object', () => {
    const { messages } = render([user('go'), call('c1', 'read_file', '{"path": "a'), result('c1', 'bad')], ANTHROPIC);
    expect(messages.at(-2)?.content[0]).toMatchObject({ type: 'tool-call', input: { input: '{"path": "a' } });
  });
});

describe('reasoning goes back in the form in which it came', () => {
  const reply = (...items: readonly object[]): readonly NewItem[] => [
    user('go'),
    ...items.map((item) => ({ kind: 'reasoning', reply: 'r', ...item }) as NewItem),
    { ...assistant('done'), reply: 'r' } as NewItem,
  ];
  const signed = { text: 'think', opaque: 'c2ln', provider: { anthropic: { type: 'thinking' } } };
  const redacted = { opaque: 'aGlkZGVu', provider: { anthropic: { type: 'redacted_thinking' } } };
  const encrypted = { text: 'sum', opaque: 'ZW5j', provider: { openai: { itemId: 'rs_1' } } };
  const field = { text: 'plain', provider: { openaiChat: { field: 'reasoning_content' } } };
  const all = [signed, redacted, encrypted, field];
  const said = (items: readonly NewItem[], reader: Reader): readonly unknown[] =>
    (render(items, reader).messages.at(-1)?.content as readonly { type: string }[]).filter(
      ({ type }) => type === 'reasoning',
    );

  test('to Anthropic with its signature', () => {
    expect(said(reply(...all), ANTHROPIC)).toEqual([
      { type: 'reasoning', text: 'think', providerOptions: { anthropic: { signature: 'c2ln' } } },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'aGlkZGVu' } } },
    ]);
  });

  test('to OpenAI encrypted, with the id of its item', () => {
    expect(said(reply(...all), RESPONSES)).toEqual([
      {
        type: 'reasoning',
        text: 'sum',
        providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'ZW5j' } },
      },
    ]);
  });

  test('to OpenAI by its id alone only where replies are kept there', () => {
    const named = { text: 'sum', provider: { openai: { itemId: 'rs_1' } } };
    expect(said(reply(named), RESPONSES)).toEqual([]);
    expect(said(reply(named), { ...RESPONSES, keepsReplies: true })).toHaveLength(1);
  });

  test('to compatible endpoints as text, where it came as text', () => {
    expect(said(reply(...all), COMPATIBLE)).toEqual([{ type: 'reasoning', text: 'plain' }]);
  });

  test('X02: never to another model than the one that made it', () => {
    const mine = { ...signed, model: 'claude-sonnet-4-5-20250929' };
    const other = { ...signed, model: 'claude-opus-4-5' };
    expect(said(reply(mine, other), ANTHROPIC)).toHaveLength(1);
  });
});

test('what a one-request projection adds is not worth caching', () => {
  const items = [user('one'), assistant('two'), user('three'), user('for this request only')];
  expect(render(items, ANTHROPIC, 3).places.newest).toBe(4);
  expect(render(items, ANTHROPIC).places.newest).toBe(5);
});

describe('tools', () => {
  const traits = traitsOf('anthropic.messages');

  test('are declared with names that every provider takes, and called back by their own', () => {
    const tools = [{ name: 'fs.read:file' }, { name: 'plain', parameters: { type: 'object', properties: {} } }];
    expect(declareTools(tools, [], traits)).toEqual([
      { type: 'function', name: 'fs_read_file', inputSchema: { type: 'object', properties: {} } },
      { type: 'function', name: 'plain', inputSchema: { type: 'object', properties: {} } },
    ]);
    const name = toolNames(tools);
    expect(['fs_read_file', 'plain', 'unknown'].map(name)).toEqual(['fs.read:file', 'plain', 'unknown']);
  });

  test('are declared for a history with calls where a request offers none', () => {
    const { messages } = render(
      [user('go'), call('c1', 'read_file'), result('c1', 'x'), call('c2', 'read_file')],
      ANTHROPIC,
    );
    expect(declareTools([], messages, traits).map(({ name }) => name)).toEqual(['read_file']);
    expect(declareTools([], render([user('go')], ANTHROPIC).messages, traits)).toEqual([]);
  });

  test('are not made strict by OpenAI, which would ask for every argument', () => {
    expect(declareTools([{ name: 't' }], [], traitsOf('openai.responses'))[0]?.strict).toBe(false);
  });
});

test('each request extends the one before, message for message, whatever is appended', () => {
  fc.assert(
    fc.property(
      arbitraryItems,
      fc.nat(),
      fc.constantFrom(ANTHROPIC, RESPONSES, COMPATIBLE),
      (exchanges, at, reader) => {
        const until = at % (exchanges.length + 1);
        const before = render(exchanges.slice(0, until).flat(), reader).messages;
        const after = render(exchanges.flat(), reader).messages;
        if (until > 0) expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
      },
    ),
  );
});

test('a model object of a version that is not spoken is refused at once', () => {
  const model = { specificationVersion: 'v1', provider: 'p', modelId: 'm' } as never;
  expect(() => createAiSdkClient({ model })).toThrow(/AI SDK 4/);
  expect(() => createAiSdkClient({ model: 'anthropic/claude' as never })).toThrow(/not a name/);
});
