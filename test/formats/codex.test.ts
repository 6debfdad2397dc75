import { createSource, readSessions } from '../../core/formats';
import { checkpointsOf, itemsOf, outline, read, usageOf } from './reading';

describe('a Codex rollout', () => {
  const session = read('codex.jsonl');

  test('is read from its response items; events add nothing, and turns taken back are gone', () => {
    expect(outline(session)).toEqual([
      'settings',
      'system: <permissions>workspace-write</permissions>',
      'user: <environment_context>\n  <cwd>/home/lin/shop</cwd>\n</environment_context>',
      'settings',
      'turn 1 start',
      'user: Fix the discount of the cart.',
      'reasoning: **Looking at the cart**',
      'call call_1 shell_command',
      'call call_2 apply_patch',
      'usage',
      'result call_1 failed',
      'result call_2',
      'call call-8 web_search',
      'result call-8',
      'assistant: The discount is taken off now.',
      'usage',
      'turn 1 end',
      'turn 2 start',
      'user: Add a test.',
      'call call_3 local_shell',
      'checkpoint at 13',
      'user: Fix the discount of the cart.',
      'turn 2 end',
      'turn 3 start',
      'user: Write the test now.',
      'assistant: The test is in test_cart.py.',
      'usage',
      'turn 3 end',
    ]);
  });

  test('brings its base instructions as system prompt, its dynamic tools as tools, its model', () => {
    expect(session.records.filter((record) => record.t === 'settings').at(-1)).toMatchObject({
      system: 'You are a coding agent.',
      tools: [{ name: 'price', description: 'Looks up a price', parameters: { type: 'object' } }],
      model: 'gpt-5.5',
    });
  });

  test('gives each reply its figure once, though figures are repeated', () => {
    expect(usageOf(session).map((usage) => usage.inputTokens)).toEqual([5000, 5400, 2100]);
    expect(usageOf(session)[0]).toMatchObject({
      cacheReadTokens: 1000,
      outputTokens: 120,
      reasoningTokens: 60,
      model: 'gpt-5.5',
    });
  });

  test('keeps encrypted reasoning as it is and a patch as text', () => {
    const items = itemsOf(session);
    expect(items.find((item) => item.kind === 'reasoning')).toMatchObject({ opaque: 'ZW5jcnlwdGVk' });
    expect(items.find((item) => item.kind === 'tool_call' && item.name === 'apply_patch')).toMatchObject({
      arguments: expect.stringContaining('*** Update File: cart.py') as string,
    });
  });

  test('takes an output out of its wrapping and summarises what stands behind a header', () => {
    const [shell, patch] = itemsOf(session).filter((item) => item.kind === 'tool_result');
    expect(shell).toMatchObject({ isError: true });
    expect(shell?.summary).toContain('cat: cart.py: No such file or directory');
    expect(patch?.content).toEqual([{ type: 'text', text: 'Success. Updated the following files:\nM cart.py\n' }]);
  });

  test('a call that the provider ran itself stays in its reply with its result', () => {
    const reply = itemsOf(session).filter((item) => item.reply === 'reply-2');
    expect(reply.map((item) => item.kind)).toEqual(['tool_call', 'message']);
  });

  test('a compaction restarts the view with the replacement history, its summary said once', () => {
    expect(checkpointsOf(session)).toMatchObject([
      { cut: 13, blocks: [{ kind: 'summary', text: 'Summary so far:\nThe discount works; a test is missing.' }] },
    ]);
  });
});

describe('a rollout of an old version', () => {
  const session = read('codex-0.40.jsonl');

  test('puts the figure behind the items of its reply, before which it was written', () => {
    expect(outline(session).filter((line) => line !== 'settings')).toEqual([
      'turn 1 start',
      'user: List the files.',
      'reasoning: (opaque)',
      'call c1 shell',
      'usage',
      'result c1 failed',
      'assistant: One file: cart.py.',
      'usage',
      'checkpoint at 5',
      'user: List the files.',
      'turn 1 end',
      'turn 2 start',
      'user: And now?',
    ]);
  });
});

test('a compaction that is encrypted is a checkpoint without text, and that is said', () => {
  const lines = [
    { type: 'session_meta', payload: { id: 'x' } },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    },
    {
      type: 'compacted',
      payload: { message: '', replacement_history: [{ type: 'compaction', encrypted_content: 'c2VjcmV0' }] },
    },
  ];
  const [session] = readSessions(createSource('x.jsonl', lines.map((line) => JSON.stringify(line)).join('\n')));
  expect(checkpointsOf(session!)).toMatchObject([{ cut: 1, blocks: [] }]);
  expect(itemsOf(session!).at(-1)).toMatchObject({ kind: 'reasoning', opaque: 'c2VjcmV0' });
  expect(session?.warnings).toEqual(['A compaction in the session is encrypted, so its summary is not known.']);
});
