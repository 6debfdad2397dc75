import { createSource, readSessions } from '../../core/formats';
import { itemsOf, outline, read, textOf } from './reading';

describe('AI SDK model messages', () => {
  const session = read('ai-sdk-model.json');

  test('are read part by part; files that are no images are named', () => {
    expect(session.format).toBe('ai-sdk');
    expect(outline(session)).toEqual([
      'settings',
      'turn 1 start',
      'user: What is in this picture? | [image] | [file recipe.pdf of application/pdf]',
      'reasoning: Weigh it.',
      'reasoning: (opaque)',
      'assistant: Let me weigh it.',
      'call t1 weigh',
      'call t2 weigh',
      'call t3 photo',
      'result t1',
      'result t2 failed',
      'result t3',
      'assistant: Half a kilo.',
      'turn 1 end',
    ]);
  });

  test('keep the data of the provider on reasoning and calls', () => {
    const items = itemsOf(session);
    expect(items[1]).toMatchObject({ opaque: 'c2ln', provider: { anthropic: { type: 'thinking' } } });
    expect(items[2]).toMatchObject({ opaque: 'ZW5j', provider: { openai: { itemId: 'rs_1' } } });
    expect(items[4]).toMatchObject({ provider: { google: { thoughtSignature: 'dGhvdWdodA==' } } });
  });

  test('have results of every output type as parts', () => {
    const results = itemsOf(session).filter((item) => item.kind === 'tool_result');
    expect(results.map((result) => result.content)).toEqual([
      [{ type: 'text', text: '{"grams":500}' }],
      [{ type: 'text', text: 'scale is off' }],
      [{ type: 'text', text: 'the dough' }, expect.objectContaining({ type: 'image', mediaType: 'image/png' })],
    ]);
  });

  test('of version 4 are read too', () => {
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', args: { x: 1 } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'f', result: { y: 2 }, isError: true }],
      },
    ];
    const [session] = readSessions(createSource('x', JSON.stringify(messages)));
    expect(outline(session!)).toEqual(['turn 1 start', 'user: go', 'call a f', 'result a failed']);
    expect(itemsOf(session!)[1]).toMatchObject({ arguments: { x: 1 } });
  });
});

test('AI SDK results that were denied, are links, or come in an unknown form say what they hold', () => {
  const output = (value: unknown) => ({ type: 'tool-result', toolCallId: 'a', toolName: 'f', output: value });
  const messages = [
    { role: 'user', content: [{ type: 'image', image: { 0: 1 } }] },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: {} }, output({ type: 'json', value: [1] })],
    },
    {
      role: 'tool',
      content: [
        output({ type: 'execution-denied', reason: 'not now' }),
        output({
          type: 'content',
          value: [
            { type: 'image-url', url: 'https://example.org/a.png' },
            { type: 'file-data', data: 'x', mediaType: 'audio/mpeg' },
          ],
        }),
        output({ odd: true }),
        { type: 'tool-approval-response', approvalId: 'x', approved: true },
        { type: 'song' },
      ],
    },
    { role: 'narrator', content: 'x' },
    { role: 'system', content: 'Be brief.' },
  ];
  const [session] = readSessions(createSource('x', JSON.stringify(messages)), 'ai-sdk');
  expect(session!.malformed).toBe(2);
  expect(itemsOf(session!).map((item) => `${item.kind}: ${textOf(item)}`)).toEqual([
    'message: [image without data]',
    'tool_call: ',
    'tool_result: [1]',
    'tool_result: not now',
    'tool_result: [image] | [file  of audio/mpeg]',
    'tool_result: {"odd":true}',
    'message: Be brief.',
  ]);
});

describe('AI SDK UI messages', () => {
  const session = read('ai-sdk-ui.json');

  test('hold calls and results in one message: each step is a reply, its results follow all of its calls', () => {
    expect(session.format).toBe('ai-sdk');
    expect(outline(session)).toEqual([
      'turn 1 start',
      'user: Weather in Oslo and Bergen?',
      'reasoning: Two calls.',
      'assistant: Checking.',
      'call w1 weather',
      'call w2 weather',
      'result w1',
      'result w2 failed',
      'assistant: Oslo has 4 degrees.',
      'call w3 weather',
    ]);
    const replies = itemsOf(session).map((item) => item.reply);
    expect(new Set(replies.slice(1, 5)).size).toBe(1);
    expect(replies[7]).not.toBe(replies[1]);
    expect(replies[7]).toBe(replies[8]);
  });

  test('of version 4 keep their tool invocations', () => {
    const messages = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] },
      {
        id: 'a',
        role: 'assistant',
        parts: [
          {
            type: 'tool-invocation',
            toolInvocation: { toolCallId: 'c', toolName: 'f', args: {}, state: 'result', result: 'ok' },
          },
        ],
      },
    ];
    expect(outline(readSessions(createSource('x', JSON.stringify(messages)))[0]!)).toEqual([
      'turn 1 start',
      'user: go',
      'call c f',
      'result c',
    ]);
  });

  test('have denied calls, encrypted reasoning and system text', () => {
    const messages = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] },
      {
        id: 'a',
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: '', providerMetadata: { anthropic: { redactedData: 'aGlk' } } },
          {
            type: 'tool-rm',
            toolCallId: 'c',
            state: 'output-denied',
            input: {},
            approval: { id: 'p', approved: false, reason: 'too risky' },
          },
        ],
      },
      { id: 's', role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
    ];
    const [session] = readSessions(createSource('x', JSON.stringify(messages)));
    expect(outline(session!)).toEqual([
      'turn 1 start',
      'user: go',
      'reasoning: (opaque)',
      'call c rm',
      'result c failed',
      'system: Be brief.',
    ]);
    expect(itemsOf(session!)[1]).toMatchObject({
      opaque: 'aGlk',
      provider: { anthropic: { type: 'redacted_thinking' } },
    });
  });
});
