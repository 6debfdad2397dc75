import { createSource, readSessions } from '../../core/formats';
import { checkpointsOf, itemsOf, outline, read, usageOf } from './reading';

describe('a LangGraph thread state', () => {
  const session = read('langgraph.json');

  test('is read message by message, calls with broken arguments too', () => {
    expect(session.id).toBe('thread-7');
    expect(outline(session)).toEqual([
      'turn 1 start',
      'user: Plan the trip.',
      'system: No files were uploaded.',
      'reasoning: Trains first.',
      'call trains:0 trains',
      'call hotels:1 hotels',
      'usage',
      'result trains:0',
      'result hotels:1 failed',
      'assistant: Take the 10:05.',
      'usage',
      'turn 1 end',
    ]);
    expect(itemsOf(session)[4]).toMatchObject({ arguments: '{to: Rome' });
  });

  test('has the usage of either kind of report', () => {
    expect(usageOf(session)).toEqual([
      { inputTokens: 300, cacheReadTokens: 200, outputTokens: 20, reasoningTokens: 5, model: 'planner-1' },
      { inputTokens: 400, outputTokens: 9 },
    ]);
  });
});

describe('serialised LangChain messages', () => {
  const session = read('langchain-serialised.json');

  test('are read like plain ones; calls that stand in blocks as well are made once', () => {
    expect(outline(session)).toEqual([
      'settings',
      'checkpoint at 0',
      'turn 1 start',
      'user: Next letter.',
      'reasoning: Read the stamp.',
      'assistant: Reading.',
      'call r1 read',
      'result r1',
    ]);
  });

  test('have the summary of a middleware as a checkpoint', () => {
    expect(checkpointsOf(session)[0]!.blocks).toEqual([
      { kind: 'summary', text: 'Here is a summary of the conversation to date:\n\nTwo letters sorted.' },
    ]);
  });
});

test('LangChain messages of older versions and other providers keep their calls, reasoning and usage', () => {
  const messages = [
    { type: 'human', content: 'go' },
    { type: 'system', content: 'Be brief.' },
    {
      type: 'AIMessageChunk',
      id: 'a',
      content: [
        { type: 'reasoning', reasoning: 'hm' },
        { type: 'text', text: 'Looking.' },
      ],
      tool_calls: [],
      additional_kwargs: {
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }, 'broken'],
      },
      response_metadata: {
        model: 'claude-z',
        usage: { input_tokens: 3, cache_read_input_tokens: 40, output_tokens: 2 },
      },
    },
    { type: 'function', name: 'c', content: 'done' },
    { type: 'remove', id: 'x' },
    { type: 'song', content: 'la' },
    { type: 'human', data: { content: 'more' } },
  ];
  const [session] = readSessions(createSource('x', JSON.stringify(messages)));
  expect(outline(session!)).toEqual([
    'turn 1 start',
    'user: go',
    'system: Be brief.',
    'reasoning: hm',
    'assistant: Looking.',
    'call c f',
    'usage',
    'result c',
    'turn 1 end',
    'turn 2 start',
    'user: more',
  ]);
  expect(usageOf(session!)).toEqual([{ inputTokens: 43, cacheReadTokens: 40, outputTokens: 2, model: 'claude-z' }]);
  expect(session!.malformed).toBe(2);
});
