import { Activity } from '../../core/report/activity';

/** What is said after each of these events. */
function after(...events: readonly (readonly [name: string, event?: object])[]): readonly string[] {
  const activity = new Activity(false);
  return events.map(([name, event = {}]) => {
    activity.hear(name, event);
    return activity.text;
  });
}

describe('what an agent is at', () => {
  test('follows a turn', () => {
    const call = { callId: 'c', tool: 'read_file' };
    expect(
      after(
        ['turn.started'],
        ['request.started'],
        ['request.ended'],
        ['tool.started', call],
        ['tool.progress', { ...call, text: ' line 1\n of 20 ' }],
        ['tool.ended', call],
        ['turn.ended'],
      ),
    ).toEqual([
      'working',
      'waiting for the model',
      'working',
      'running read_file',
      'running read_file: line 1 of 20',
      'working',
      '',
    ]);
  });

  test('is nothing between turns, and something in the middle of one', () => {
    expect(new Activity(false).text).toBe('');
    expect(new Activity(true).text).toBe('working');
  });

  test('names tools that run at once, and counts those beyond the fourth', () => {
    const started = Array.from(
      { length: 6 },
      (_, n) => ['tool.started', { callId: n, tool: `tool${String(n)}` }] as const,
    );
    const said = after(...started, ['tool.ended', { callId: 0 }], ['turn.ended']);
    expect(said.slice(1)).toEqual([
      'running tool0, tool1',
      'running tool0, tool1, tool2',
      'running tool0, tool1, tool2, tool3',
      'running tool0, tool1, tool2, tool3 and 1 more',
      'running tool0, tool1, tool2, tool3 and 2 more',
      'running tool1, tool2, tool3, tool4 and 1 more',
      '',
    ]);
  });

  test('tells of a compaction beside the turn, to its end', () => {
    expect(
      after(
        ['compaction.started', {}],
        ['compaction.progress', { phase: 'writing the summary' }],
        ['turn.started'],
        ['compaction.failed'],
      ),
    ).toEqual(['compacting', 'compacting: writing the summary', 'working; compacting: writing the summary', 'working']);
  });

  test('is short and whole Unicode on one line, whatever a tool says, and takes no harm from events of other versions', () => {
    const [said = ''] = after([
      'tool.progress',
      { callId: 'c', tool: 'x', text: `\u001b[2J\ud83d\n${'y'.repeat(1e6)}` },
    ]);
    expect(said.length).toBeLessThan(250);
    expect(said.isWellFormed()).toBe(true);
    expect(said).not.toMatch(/\p{Cc}/u);
    expect(() =>
      after(['tool.started', { tool: 7 }], ['constructor'], ['compaction.progress', { phase: null }]),
    ).not.toThrow();
  });
});
