import { checkRequest } from '../../core/testing';
import type { RequestProfile, RequestRule, RequestShape } from '../../core/testing';
import {
  anthropic,
  base64,
  BROKEN,
  calls,
  LOOSE,
  results,
  say,
  sdk,
  sdkCalls,
  sdkResults,
  STRICT,
  tool,
  uses,
} from './broken-requests';

const SHAPES: readonly RequestShape[] = ['openai-chat', 'anthropic', 'ai-sdk'];

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

/** Words are tokens here. */
const words = { window: 100, reply: 40, count: (text: string) => text.split(/\s+/).length, perImage: 30 };

for (const [rule, { means, rows }] of Object.entries(BROKEN)) {
  describe(`${rule}: ${means}`, () => {
    for (const [what, shape, request, profile = LOOSE] of rows) {
      test(`${what}, in ${shape}`, () => {
        const found = broken(shape, request, rule === 'V7' ? { ...profile, budget: words } : profile);
        // a result that answers no call may leave one without its answer
        expect(found.filter((one) => one !== 'V2' || rule !== 'V1')).toEqual([rule]);
      });
    }

    test.each(SHAPES)('in at least three ways in %s', (shape) => {
      expect(rows.filter((row) => row[1] === shape).length).toBeGreaterThanOrEqual(3);
    });
  });
}

test('V4 does not hold where a conversation may begin with anybody', () => {
  for (const [, shape, request] of BROKEN.V4.rows)
    expect(broken(shape, request, { ...STRICT, firstUser: false })).toEqual([]);
});

test('V6 lets JSON in a result be only text, escapes and all', () => {
  expect(broken('openai-chat', [say('user'), calls('a'), tool('a', '{"p":"\\ud83d"}')])).toEqual([]);
});

describe('V7 counts', () => {
  const letters = { ...LOOSE, budget: { ...words, count: (text: string) => text.length } };

  test('an image as an image, however long its bytes are', () => {
    const long = { ...base64, source: { ...base64.source, data: 'a'.repeat(10_000) } };
    expect(broken('anthropic', anthropic(say('user', [long])), letters)).toEqual([]);
  });

  test('exactly full as not too full', () => {
    expect(broken('openai-chat', [say('user', 'x'.repeat(60))], letters)).toEqual([]);
    expect(broken('openai-chat', [say('user', 'x'.repeat(61))], letters)).toEqual(['V7']);
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
