import { createSource, readSessions } from '../../core/formats';
import { checkpointsOf, outline, read, usageOf } from './reading';

describe('a Cline session', () => {
  const session = read('cline.json');

  test('begins anew at a summary; attached files are text', () => {
    expect(session.id).toBe('cline-1');
    expect(outline(session)).toEqual([
      'settings',
      'turn 1 start',
      'user: Old work.',
      'assistant: Did the old work.',
      'checkpoint at 2',
      'turn 1 end',
      'turn 2 start',
      'user: Rename the flag in @src/flags.ts | src/flags.ts\nexport const OLD = true;',
      'assistant: Editing.',
      'call toolu_9 editor',
      'usage',
      'result toolu_9',
    ]);
    expect(checkpointsOf(session)[0]).toMatchObject({
      blocks: [{ kind: 'summary', text: 'Context summary:\n\n## Goal\nShip it.' }],
      before: 120000,
    });
  });

  test('has the usage of each reply, cached tokens in the prompt', () => {
    expect(usageOf(session)).toEqual([
      { inputTokens: 5000, cacheReadTokens: 4000, cacheWriteTokens: 0, outputTokens: 60, model: 'vendor/model-1' },
    ]);
  });

  test('that was compacted in place has a checkpoint without a summary and keeps what was kept', () => {
    const messages = [
      {
        role: 'user',
        ts: 1,
        content: [
          { type: 'text', text: 'Goal.' },
          { type: 'text', text: 'Files read: a' },
        ],
        metadata: { kind: 'compaction' },
      },
      { role: 'assistant', ts: 2, content: [{ type: 'text', text: 'Done.' }], metadata: { compaction: 'preserved' } },
    ];
    const [session] = readSessions(createSource('x', JSON.stringify({ version: 1, sessionId: 's', messages })));
    expect(outline(session!)).toEqual([
      'checkpoint at 0',
      'turn 1 start',
      'user: Goal. | Files read: a',
      'assistant: Done.',
      'turn 1 end',
    ]);
    expect(checkpointsOf(session!)[0]!.blocks).toEqual([]);
  });
});
