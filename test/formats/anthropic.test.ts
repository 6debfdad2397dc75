import { createSource, readSessions } from '../../core/formats';
import { itemsOf, outline, read, textOf, usageOf } from './reading';

describe('Anthropic messages', () => {
  const session = read('anthropic.json');

  test('are read block by block; text and results of one user message become items of their own', () => {
    expect(outline(session)).toEqual([
      'settings',
      'turn 1 start',
      'user: The A is flat.',
      'reasoning: Strike both.',
      'reasoning: (opaque)',
      'assistant: I strike A4 and A5.',
      'call toolu_1 strike_key',
      'call toolu_2 strike_key',
      'result toolu_1',
      'result toolu_2 failed',
      'turn 1 end',
      'turn 2 start',
      'user: Also try A3.',
      'call srv_1 web_search',
      'result srv_1',
      'assistant: A3 is 220 Hz.',
      'turn 2 end',
    ]);
  });

  test('have their system blocks as one prompt, and their tools', () => {
    expect(session.records[0]).toEqual({
      t: 'settings',
      system: 'You tune pianos.\n\nBe kind.',
      tools: [{ name: 'strike_key', description: 'Strikes a key.', parameters: { type: 'object' } }],
      model: 'claude-x',
    });
  });

  test('keep signatures and encrypted thinking, marked as Anthropic gave them', () => {
    const reasoning = itemsOf(session).filter((item) => item.kind === 'reasoning');
    expect(reasoning).toEqual([
      {
        kind: 'reasoning',
        text: 'Strike both.',
        opaque: 'c2lnbmF0dXJl',
        provider: { anthropic: { type: 'thinking' } },
        reply: reasoning[0]?.reply,
      },
      {
        kind: 'reasoning',
        opaque: 'aGlkZGVu',
        provider: { anthropic: { type: 'redacted_thinking' } },
        reply: reasoning[0]?.reply,
      },
    ]);
  });

  test('keep a tool of the provider in the reply that ran it', () => {
    const [call, , text] = itemsOf(session).slice(-3);
    expect(call?.reply).toBe(text?.reply);
  });

  test('may end with the response to a request, whose usage adds up the three parts of the prompt', () => {
    const log = {
      request: { system: 's', messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] },
      response: {
        id: 'msg_1',
        model: 'claude-y',
        content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }],
        usage: { input_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 7 },
      },
    };
    const [session] = readSessions(createSource('log', JSON.stringify(log)), 'anthropic');
    expect(outline(session!).slice(-2)).toEqual(['call t f', 'usage']);
    expect(usageOf(session!)).toEqual([
      { inputTokens: 125, cacheReadTokens: 100, cacheWriteTokens: 20, outputTokens: 7, model: 'claude-y' },
    ]);
  });

  test('are told from OpenAI messages by their blocks, and by a system prompt beside the messages', () => {
    const plain = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'ho' },
    ];
    const formatOf = (value: unknown): string => readSessions(createSource('x', JSON.stringify(value)))[0]!.format;
    expect(formatOf(plain)).toBe('openai-chat');
    expect(formatOf({ system: 'be', messages: plain })).toBe('anthropic');
    expect(
      formatOf([...plain, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] }]),
    ).toBe('anthropic');
  });

  test('keep images by their bytes or link, in messages and results', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    const messages = [
      { role: 'user', content: [image, { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [image] }] },
    ];
    const items = itemsOf(readSessions(createSource('x', JSON.stringify(messages)))[0]!);
    expect(items.map(textOf)).toEqual(['[image] | [image]', '[image]']);
  });
});
