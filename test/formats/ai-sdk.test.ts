import { createSource, readSessions } from '../../core/formats';
import { itemsOf, outline, read } from './reading';

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
});
