import { readSessions } from '../../core/formats';
import { checkpointsOf, fixture, itemsOf, outline, read, textOf, usageOf } from './reading';

describe('an opencode export', () => {
  const session = read('opencode.json');

  test('is read step by step, without what the user took back', () => {
    expect(outline(session)).toEqual([
      'turn 1 start',
      'user: [branch: main] | Sort the list. | [image]',
      'settings',
      'reasoning: Sort by name.',
      'call call_1 read',
      'call call_2 bash',
      'call call_3 bash',
      'usage',
      'result call_1',
      'result call_2 failed',
      'assistant: Sorted.',
      'usage',
      'checkpoint at 8',
      'turn 1 end',
      'turn 2 start',
      'user: Reverse it.',
      'assistant: Reversed.',
      'usage',
      'edits',
      'turn 2 end',
    ]);
  });

  test('counts reasoning into the output unless the total says that it is in there', () => {
    expect(usageOf(session).map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])).toEqual([
      [1015, 300],
      [1400, 42],
      [300, 8],
    ]);
  });

  test('has the reply to a compaction as the summary of a checkpoint and not as an item', () => {
    expect(checkpointsOf(session)).toMatchObject([{ cut: 8, blocks: [{ text: 'The list was sorted by name.' }] }]);
    expect(itemsOf(session).map(textOf)).not.toContain('The list was sorted by name.');
  });

  test('keeps a result that was cleared, with an edit that leaves its summary', () => {
    const cleared = itemsOf(session).find((item) => item.kind === 'tool_result');
    expect(cleared).toMatchObject({ content: [{ text: 'b\na\n' }] });
    expect(session.records.find((record) => record.t === 'edits')).toMatchObject({
      edits: [{ edit: 'content', item: cleared?.id, text: null }],
    });
  });

  test('parts the replies of the steps of one message', () => {
    expect(new Set(itemsOf(session).flatMap((item) => item.reply ?? [])).size).toBe(3);
  });
});

describe('an event log of opencode', () => {
  const sessions = readSessions(fixture('opencode-events.jsonl'));

  test('is folded into its session: last update wins, later deltas are added, removed messages are gone', () => {
    expect(sessions).toHaveLength(1);
    expect(outline(sessions[0]!)).toEqual([
      'turn 1 start',
      'user: Say hello.',
      'settings',
      'assistant: Hello there.',
      'usage',
      'turn 1 end',
    ]);
  });

  test('counts the messages of sub-agents', () => {
    expect(sessions[0]).toMatchObject({ id: 'ses_2', root: '/home/jo/list', sidechains: 1 });
  });
});
