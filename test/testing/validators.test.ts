import { checkRequest } from '../../core/testing';
import type { RequestProfile, RequestRule, RequestShape } from '../../core/testing';

const LOOSE: RequestProfile = { system: 'many', firstUser: false };
const STRICT: RequestProfile = { system: 'one', firstUser: true, prompt: 'P' };

type Message = Record<string, unknown>;

const say = (role: string, content: unknown = 'x', more: Message = {}): Message => ({ role, content, ...more });
const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const tool = (id: unknown, content: unknown = 'ok'): Message => ({ role: 'tool', tool_call_id: id, content });
const uses = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
});
const results = (...ids: readonly string[]): Message => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
});
const sdkCalls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'f', input: {} })),
});
const sdkResults = (...ids: readonly string[]): Message => ({
  role: 'tool',
  content: ids.map((id) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 'f',
    output: { type: 'text', value: 'ok' },
  })),
});
const anthropic = (...messages: readonly Message[]): Message => ({ system: [{ type: 'text', text: 'P' }], messages });
const sdk = (...messages: readonly Message[]): Message => ({ system: 'P', messages });
const base64 = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aaaa' } };

function broken(shape: RequestShape, request: unknown, profile: RequestProfile = LOOSE): readonly RequestRule[] {
  return [...new Set(checkRequest(shape, request, profile).map(({ rule }) => rule))];
}

describe('a whole request breaks no rule', () => {
  test.each<[RequestShape, unknown]>([
    [
      'openai-chat',
      [say('system', 'P'), say('user'), calls('a', 'b'), tool('b'), tool('a', ''), say('assistant'), say('user')],
    ],
    [
      'openai-chat',
      {
        model: 'm',
        messages: [say('system', 'P\n\nmore'), say('user', [{ type: 'image_url', image_url: { url: 'u' } }])],
      },
    ],
    [
      'openai-chat',
      [
        say('developer', 'P'),
        say('user'),
        { ...calls('a'), reasoning_content: 'hm' },
        tool('a', [{ type: 'text', text: 'ok' }]),
      ],
    ],
    [
      'anthropic',
      anthropic(
        say('user'),
        uses('a', 'b'),
        results('b', 'a'),
        say('assistant'),
        say('user', [{ type: 'text', text: 'x' }, base64]),
      ),
    ],
    [
      'anthropic',
      anthropic(
        say('user'),
        say('assistant', [
          { type: 'thinking', thinking: '', signature: 's' },
          { type: 'redacted_thinking', data: 'd' },
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
        ]),
        say('user', [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'x' }, base64] },
          { type: 'text', text: 'and' },
        ]),
      ),
    ],
    [
      'anthropic',
      {
        system: 'P',
        messages: [say('user'), uses('a'), say('user', [{ type: 'tool_result', tool_use_id: 'a', is_error: true }])],
      },
    ],
    ['ai-sdk', sdk(say('user'), sdkCalls('a', 'b'), sdkResults('a'), sdkResults('b'), say('assistant', 'x'))],
    [
      'ai-sdk',
      sdk(
        say('user', [{ type: 'image', image: 'aaaa' }]),
        say('assistant', [
          { type: 'reasoning', text: 'r' },
          { type: 'text', text: 'x' },
        ]),
      ),
    ],
  ])('in the shape %s', (shape, request) => {
    expect(checkRequest(shape, request, STRICT)).toEqual([]);
  });

  test('an empty conversation has nobody to begin it', () => {
    expect(checkRequest('openai-chat', [], { system: 'one', firstUser: true })).toEqual([]);
  });
});

describe('V1: a result whose call is not in the message directly before', () => {
  test.each<[string, RequestShape, unknown]>([
    ['was never made', 'openai-chat', [say('user'), tool('a')]],
    ['stands behind another message', 'openai-chat', [say('user'), calls('a'), tool('a'), say('assistant'), tool('a')]],
    ['was made by another id', 'openai-chat', [say('user'), calls('a'), tool('a'), tool('b')]],
    ['was never made', 'anthropic', anthropic(say('user'), say('assistant'), results('a'))],
    [
      'was made by an earlier message',
      'anthropic',
      anthropic(say('user'), uses('a'), results('a'), say('assistant'), results('a')),
    ],
    [
      'is parted from it by text',
      'anthropic',
      anthropic(
        say('user'),
        uses('a'),
        say('user', [
          { type: 'text', text: 'x' },
          { type: 'tool_result', tool_use_id: 'a' },
        ]),
      ),
    ],
    ['was never made', 'ai-sdk', sdk(say('user'), sdkResults('a'))],
    [
      'was made two messages before',
      'ai-sdk',
      sdk(say('user'), sdkCalls('a'), sdkResults('a'), say('user'), sdkResults('a')),
    ],
    ['has another id', 'ai-sdk', sdk(say('user'), sdkCalls('a'), sdkResults('a', 'b'))],
  ])('%s, in %s', (_, shape, request) => {
    expect(broken(shape, request)).toContain('V1');
  });
});

describe('V2: a call without exactly one result before the next message', () => {
  test.each<[string, RequestShape, unknown]>([
    ['has none at the end', 'openai-chat', [say('user'), calls('a', 'b'), tool('a')]],
    ['has none before the user', 'openai-chat', [say('user'), calls('a'), say('user')]],
    ['has two', 'openai-chat', [say('user'), calls('a'), tool('a'), tool('a')]],
    ['is made twice', 'openai-chat', [say('user'), calls('a'), tool('a'), calls('a'), tool('a')]],
    ['has none', 'anthropic', anthropic(say('user'), uses('a'))],
    ['has two', 'anthropic', anthropic(say('user'), uses('a'), results('a', 'a'))],
    [
      'has its result in a later message than the next',
      'anthropic',
      anthropic(say('user'), uses('a', 'b'), results('a'), results('b')),
    ],
    ['has none', 'ai-sdk', sdk(say('user'), sdkCalls('a', 'b'), sdkResults('b'))],
    ['has two', 'ai-sdk', sdk(say('user'), sdkCalls('a'), sdkResults('a'), sdkResults('a'))],
    ['is made twice', 'ai-sdk', sdk(say('user'), sdkCalls('a', 'a'), sdkResults('a'))],
  ])('%s, in %s', (_, shape, request) => {
    expect(broken(shape, request)).toEqual(['V2']);
  });
});

describe('V3: system content that does not stand once and first', () => {
  test.each<[string, RequestShape, unknown, RequestProfile]>([
    ['stands between messages', 'openai-chat', [say('system'), say('user'), say('system')], LOOSE],
    ['stands last', 'openai-chat', [say('user'), say('developer')], LOOSE],
    ['is in two pieces', 'openai-chat', [say('system', 'P'), say('system', 'Q'), say('user')], STRICT],
    ['does not begin with the prompt', 'openai-chat', [say('system', 'Q'), say('user')], STRICT],
    ['begins with more than the prompt', 'openai-chat', [say('system', 'Pq'), say('user')], STRICT],
    ['is not there though there is a prompt', 'openai-chat', [say('user')], STRICT],
    [
      'holds the prompt twice',
      'openai-chat',
      [say('system', 'P'), say('system', 'P'), say('user')],
      { ...LOOSE, prompt: 'P' },
    ],
    [
      'is in two pieces',
      'anthropic',
      {
        system: [
          { type: 'text', text: 'P' },
          { type: 'text', text: 'Q' },
        ],
        messages: [say('user')],
      },
      STRICT,
    ],
    ['does not begin with the prompt', 'anthropic', { system: 'Q', messages: [say('user')] }, STRICT],
    ['stands among the messages', 'ai-sdk', sdk(say('user'), say('system')), LOOSE],
    ['stands beside and among the messages', 'ai-sdk', sdk(say('system', 'Q'), say('user')), STRICT],
  ])('%s, in %s', (_, shape, request, profile) => {
    expect(broken(shape, request, profile)).toEqual(['V3']);
  });
});

describe('V4: a conversation that does not begin with the user', () => {
  test.each<[RequestShape, unknown]>([
    ['openai-chat', [say('system', 'P'), say('assistant'), say('user')]],
    ['openai-chat', [say('system', 'P'), calls('a'), tool('a')]],
    ['anthropic', anthropic(say('assistant'), say('user'))],
    ['ai-sdk', sdk(say('assistant'))],
  ])('in %s', (shape, request) => {
    expect(broken(shape, request, STRICT)).toEqual(['V4']);
    expect(broken(shape, request, { ...STRICT, firstUser: false })).toEqual([]);
  });
});

describe('V5: a message that is empty or reasoning alone', () => {
  test.each<[string, RequestShape, unknown]>([
    ['an empty assistant', 'openai-chat', [say('user'), say('assistant', null)]],
    ['a blank user', 'openai-chat', [say('user', ' \n')]],
    ['an empty system', 'openai-chat', [say('system', ''), say('user')]],
    ['reasoning alone', 'openai-chat', [say('user'), say('assistant', '', { reasoning_content: 'hm' })]],
    [
      'reasoning alone',
      'anthropic',
      anthropic(say('user'), say('assistant', [{ type: 'thinking', thinking: 'hm', signature: 's' }])),
    ],
    [
      'encrypted reasoning alone',
      'anthropic',
      anthropic(say('user'), say('assistant', [{ type: 'redacted_thinking', data: 'd' }])),
    ],
    ['no blocks', 'anthropic', anthropic(say('user', []))],
    ['reasoning alone', 'ai-sdk', sdk(say('user'), say('assistant', [{ type: 'reasoning', text: 'hm' }]))],
    ['no parts', 'ai-sdk', sdk(say('user'), say('assistant', []))],
    ['no results', 'ai-sdk', sdk(say('user'), say('tool', []))],
  ])('%s, in %s', (_, shape, request) => {
    expect(broken(shape, request)).toEqual(['V5']);
  });
});

describe('V6: text that is not well-formed Unicode', () => {
  const lone = 'a\ud83d';
  test.each<[string, RequestShape, unknown]>([
    ['in a text', 'openai-chat', [say('user', lone)]],
    ['in a part', 'openai-chat', [say('user', [{ type: 'text', text: lone }])]],
    [
      'escaped in arguments',
      'openai-chat',
      [
        say('user'),
        {
          role: 'assistant',
          content: 'x',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"p":"\\ud83d"}' } }],
        },
        tool('a'),
      ],
    ],
    ['in a system block', 'anthropic', { system: [{ type: 'text', text: lone }], messages: [say('user')] }],
    [
      'in a key of an input',
      'anthropic',
      anthropic(
        say('user'),
        say('assistant', [{ type: 'tool_use', id: 'a', name: 'f', input: { [lone]: 1 } }]),
        results('a'),
      ),
    ],
    ['in the system prompt', 'ai-sdk', { system: lone, messages: [say('user')] }],
    [
      'deep in an input',
      'ai-sdk',
      sdk(
        say('user'),
        say('assistant', [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: { a: [[{ b: lone }]] } }]),
        sdkResults('a'),
      ),
    ],
  ])('%s, in %s', (_, shape, request) => {
    expect(broken(shape, request)).toEqual(['V6']);
  });

  test('but JSON in a result is only text, escapes and all', () => {
    expect(broken('openai-chat', [say('user'), calls('a'), tool('a', '{"p":"\\ud83d"}')])).toEqual([]);
  });
});

describe('V7: input and reply do not fit the window', () => {
  const budget = { window: 100, reply: 40, count: (text: string) => text.length, perImage: 30 };
  const profile = { ...LOOSE, budget };
  test.each<[string, RequestShape, unknown]>([
    ['by their text', 'openai-chat', [say('user', 'x'.repeat(61))]],
    ['by their tools', 'openai-chat', { tools: [{ name: 'y'.repeat(50) }], messages: [say('user', 'x'.repeat(10))] }],
    [
      'by their arguments',
      'openai-chat',
      [
        say('user'),
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: JSON.stringify({ p: 'x'.repeat(60) }) } },
          ],
        },
        tool('a'),
      ],
    ],
    ['by their images', 'anthropic', anthropic(say('user', [base64, base64, { type: 'text', text: 'x' }]))],
    [
      'by their system content',
      'anthropic',
      { system: [{ type: 'text', text: 'x'.repeat(60) }], messages: [say('user', 'y')] },
    ],
    [
      'by their reasoning',
      'ai-sdk',
      sdk(
        say('user'),
        say('assistant', [
          { type: 'reasoning', text: 'r'.repeat(60) },
          { type: 'text', text: 'x' },
        ]),
      ),
    ],
  ])('%s, in %s', (_, shape, request) => {
    expect(broken(shape, request, profile)).toEqual(['V7']);
  });

  test('but an image counts as an image, however long its bytes are', () => {
    const long = { ...base64, source: { ...base64.source, data: 'a'.repeat(10_000) } };
    expect(broken('anthropic', anthropic(say('user', [long])), profile)).toEqual([]);
  });

  test('and exactly full is not too full', () => {
    expect(broken('openai-chat', [say('user', 'x'.repeat(60))], profile)).toEqual([]);
  });
});

describe('what is not of the shape at all', () => {
  test.each<[string, RequestShape, unknown]>([
    ['no messages', 'openai-chat', { model: 'm' }],
    ['no object', 'openai-chat', ['hello']],
    ['an unknown role', 'openai-chat', [say('narrator')]],
    ['a result without an id', 'openai-chat', [tool(undefined)]],
    ['no tool calls in the list', 'openai-chat', [say('user'), say('assistant', 'x', { tool_calls: [] })]],
    [
      'arguments that are no JSON object',
      'openai-chat',
      [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '[1]' } }] }],
    ],
    ['an id with a colon', 'openai-chat', [calls('f:0')]],
    ['an image in a result', 'openai-chat', [calls('a'), tool('a', [{ type: 'image_url', image_url: { url: 'u' } }])]],
    ['a number as content', 'openai-chat', [say('user', 7)]],
    ['no messages', 'anthropic', { system: 'P' }],
    ['a system message', 'anthropic', anthropic(say('system'))],
    ['a number as system', 'anthropic', { system: 7, messages: [] }],
    [
      'a blank text block',
      'anthropic',
      anthropic(
        say('user', [
          { type: 'text', text: ' ' },
          { type: 'text', text: 'x' },
        ]),
      ),
    ],
    [
      'thinking without a signature',
      'anthropic',
      anthropic(
        say('assistant', [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'x' },
        ]),
      ),
    ],
    ['an image of the assistant', 'anthropic', anthropic(say('assistant', [base64]))],
    [
      'an input that is no object',
      'anthropic',
      anthropic(say('assistant', [{ type: 'tool_use', id: 'a', name: 'f', input: 'x' }])),
    ],
    [
      'an error with an image',
      'anthropic',
      anthropic(uses('a'), say('user', [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: [base64] }])),
    ],
    ['a call of the user', 'anthropic', anthropic(say('user', [{ type: 'tool_use', id: 'a', name: 'f', input: {} }]))],
    [
      'a blank text in a result',
      'anthropic',
      anthropic(
        uses('a'),
        say('user', [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '' }] }]),
      ),
    ],
    ['no messages', 'ai-sdk', []],
    [
      'a result without the name of its tool',
      'ai-sdk',
      sdk(say('tool', [{ type: 'tool-result', toolCallId: 'a', output: { type: 'text', value: 'x' } }])),
    ],
    [
      'a result without an output',
      'ai-sdk',
      sdk(sdkCalls('a'), say('tool', [{ type: 'tool-result', toolCallId: 'a', toolName: 'f', result: 'x' }])),
    ],
    [
      'a call without an input',
      'ai-sdk',
      sdk(say('assistant', [{ type: 'tool-call', toolCallId: 'a', toolName: 'f' }])),
    ],
    ['a system message with parts', 'ai-sdk', { messages: [say('system', [{ type: 'text', text: 'x' }])] }],
  ])('%s, in %s', (_, shape, request) => {
    expect(broken(shape, request)).toContain('shape');
  });

  test('is reported with its position and in words', () => {
    expect(checkRequest('openai-chat', [say('user'), 7], LOOSE)).toEqual([
      { rule: 'shape', index: 1, message: 'The message is not an object.' },
    ]);
  });
});
