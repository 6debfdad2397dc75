import { createSource, readSessions } from '../../core/formats';
import { fixture, itemsOf, outline, read, usageOf } from './reading';

const chat = (messages: unknown): readonly string[] =>
  outline(readSessions(createSource('chat', JSON.stringify(messages)), 'openai-chat')[0]!);

describe('an array of OpenAI chat messages', () => {
  const session = read('openai-chat.json');

  test('is read in order, results in the order they came; leading system messages are the system prompt, later ones items', () => {
    expect(outline(session)).toEqual([
      'settings',
      'turn 1 start',
      'user: Is the basil dry? | [image]',
      'reasoning: Two sensors can tell.',
      'assistant: I will look.',
      'call call_a read_sensor',
      'call call_b read_sensor',
      'result call_b',
      'result call_a',
      'assistant: Yes, it is dry.',
      'system: The pump is back online.',
      'turn 1 end',
      'turn 2 start',
      'user: Water it then.',
      'call call_c open_valve',
    ]);
    expect(session.records[0]).toEqual({ t: 'settings', system: 'You keep the greenhouse.\n\nAnswer briefly.' });
  });

  test('gives all items of one message the same reply', () => {
    const replies = itemsOf(session).map((item) => item.reply);
    expect(new Set(replies.slice(1, 5)).size).toBe(1);
    expect(replies[7]).not.toBe(replies[1]);
    expect(replies[5]).toBeUndefined();
  });

  test('parses arguments and keeps them as text where they are not JSON', () => {
    const calls = itemsOf(session).filter((item) => item.kind === 'tool_call');
    expect(calls.map((call) => call.arguments)).toEqual([{ bed: 'basil' }, { bed: 'basil', depth: 2 }, 'bed=basil']);
  });

  test('marks reasoning with the field it came in', () => {
    expect(itemsOf(session)[1]).toMatchObject({
      kind: 'reasoning',
      provider: { openaiChat: { field: 'reasoning_content' } },
    });
  });

  test('may come as JSON lines, one message each', () => {
    const lines = '{"role":"user","content":"one"}\nnot json\n{"role":"assistant","content":"two"}\n';
    const [session] = readSessions(createSource('lines', lines));
    expect(outline(session!)).toEqual(['turn 1 start', 'user: one', 'assistant: two', 'turn 1 end']);
    expect(session!.malformed).toBe(1);
  });

  test('keeps results without calls and calls without results, and counts what is no message', () => {
    const [session] = readSessions(
      createSource(
        'chat',
        JSON.stringify([
          { role: 'user', content: 'go' },
          7,
          { role: 'narrator', content: 'x' },
          { role: 'tool', tool_call_id: 'gone', content: 'late' },
          { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '' } }, 'broken'] },
        ]),
      ),
      undefined,
    );
    expect(outline(session!)).toEqual(['turn 1 start', 'user: go', 'result gone', 'call a f']);
    expect(session!.malformed).toBe(3);
  });

  test('links the function calls of old versions by their name', () => {
    expect(
      chat([
        { role: 'user', content: 'go' },
        { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
        { role: 'function', name: 'look', content: 'seen' },
      ]),
    ).toEqual(['turn 1 start', 'user: go', 'call function:look look', 'result function:look']);
  });

  test('reads refusals as what the assistant said, and thinking that a proxy hands through as signed', () => {
    const [session] = readSessions(
      createSource(
        'chat',
        JSON.stringify([
          { role: 'user', content: 'go' },
          {
            role: 'assistant',
            content: null,
            refusal: 'I will not.',
            thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }],
            reasoning_content: 'hm',
          },
        ]),
      ),
    );
    expect(outline(session!)).toEqual([
      'turn 1 start',
      'user: go',
      'reasoning: hm',
      'assistant: I will not.',
      'turn 1 end',
    ]);
    expect(itemsOf(session!)[1]).toMatchObject({ opaque: 'c2ln', provider: { anthropic: { type: 'thinking' } } });
  });
});

describe('the log of a request', () => {
  test('ends with the reply of its response, whose usage counts the cached part once', () => {
    const session = read('openai-log.json');
    expect(outline(session)).toEqual([
      'settings',
      'turn 1 start',
      'user: Find the atlas.',
      'assistant: Looking it up.',
      'call call_1 find_book',
      'usage',
    ]);
    expect(usageOf(session)).toEqual([
      { inputTokens: 900, cacheReadTokens: 600, outputTokens: 40, reasoningTokens: 8, model: 'library/clerk-1' },
    ]);
    expect(session.records[0]).toMatchObject({
      tools: [{ name: 'find_book', description: 'Finds a book.' }],
      model: 'library/clerk-1',
    });
  });

  test('may hold the request in a field, with a prompt-engineered conversation', () => {
    const log = { provider: 'p', request: { model: 'm', messages: [{ role: 'user', content: 'hi' }] } };
    const [session] = readSessions(createSource('log', JSON.stringify(log)));
    expect(outline(session!)).toEqual(['settings', 'turn 1 start', 'user: hi']);
  });
});

describe('benchmark trajectories', () => {
  test('of tau-bench are one session for each task and trial', () => {
    const sessions = readSessions(fixture('tau-bench.json'));
    expect(sessions.map((session) => session.id)).toEqual(['task-2-trial-0', 'task-3-trial-1']);
    expect(outline(sessions[1]!)).toEqual([
      'settings',
      'turn 1 start',
      'user: Cancel it.',
      'assistant: Which one?',
      'turn 1 end',
    ]);
  });

  test('of SWE-agent have one prompt: demonstrations and observations are messages', () => {
    expect(outline(read('swe-agent.traj'))).toEqual([
      'settings',
      'user: Here is how it is done: ls',
      'turn 1 start',
      'user: Fix the divide bug.',
      'assistant: Listing.',
      'call call_x bash',
      'result call_x',
      'assistant: cat a.py',
      'user: def f(a, b): return a / b',
    ]);
  });

  test('of SWE-agent answer every call that an output names', () => {
    const history = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'a', function: { name: 'f', arguments: '{}' } },
          { id: 'b', function: { name: 'g', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_ids: ['a', 'b'], content: 'both' },
    ];
    const [session] = readSessions(createSource('x.traj', JSON.stringify({ history, trajectory: [] })));
    expect(outline(session!).slice(-2)).toEqual(['result a', 'result b']);
  });

  test('of mini-swe-agent are recognised with certainty, wrapped or bare, and hold their commands as text', () => {
    const session = read('mini-swe-agent.traj.json');
    expect(outline(session)).toEqual([
      'settings',
      'turn 1 start',
      'user: Count the files.',
      'assistant: THOUGHT: count\n\n```mswea_bash_command\nls | wc -l\n```',
      'usage',
      'user: <returncode>0</returncode>\n<output>\n7\n</output>',
      'assistant: There are 7.',
      'turn 1 end',
    ]);
    const bare = (fixture('mini-swe-agent.traj.json').json as { messages: unknown }).messages;
    expect(outline(readSessions(createSource('bare', JSON.stringify(bare)))[0]!)).toEqual(outline(session));
  });
});
