import { createSource, readSessions } from '../../core/formats';
import { checkpointsOf, fixture, itemsOf, outline, read, usageOf } from './reading';

describe('OpenHands events', () => {
  const session = read('openhands.json');

  test('are linked by call id, or by the id of the action; bookkeeping is left out', () => {
    expect(outline(session)).toEqual([
      'settings',
      'turn 1 start',
      'user: Tidy up.',
      'assistant: Looking around.',
      'call t1 execute_bash',
      'call t2 str_replace_editor',
      'usage',
      'result t1',
      'result t2',
      'assistant: Writing.',
      'call t3 str_replace_editor',
      'usage',
      'result t3 failed',
      'user: The agent was stuck.',
      'assistant: Check the disk.',
      'call event-11 run',
      'result event-11 failed',
      'assistant: The disk is full.',
      'turn 1 end',
    ]);
    expect(session.root).toBe('/w');
  });

  test('have the parallel calls of one response in one reply', () => {
    const [text, first, second] = itemsOf(session).slice(1);
    expect([first?.reply, second?.reply]).toEqual([text?.reply, text?.reply]);
    expect(itemsOf(session)[6]?.reply).not.toBe(text?.reply);
  });

  test('have the arguments that the model wrote, not what the action kept of them', () => {
    const calls = itemsOf(session).filter((item) => item.kind === 'tool_call');
    expect(calls.map((call) => call.arguments)).toEqual([
      { command: 'ls' },
      { command: 'view', path: '/w/a.py' },
      { command: 'create', path: '/w/b.py', file_text: 'x = 1' },
      { command: 'df' },
    ]);
  });

  test('have the usage of each response once', () => {
    expect(usageOf(session).map((usage) => [usage.inputTokens, usage.cacheReadTokens])).toEqual([
      [800, 400],
      [1000, 500],
    ]);
  });

  test('may be paired lists of action and observation', () => {
    const events = fixture('openhands.json').json as readonly unknown[];
    const history = [events.slice(0, 6), events.slice(6)];
    const [paired] = readSessions(createSource('x', JSON.stringify({ instance_id: 'i', history })));
    expect(outline(paired!)).toEqual(outline(session));
  });
});

describe('an OpenHands evaluation output', () => {
  const sessions = readSessions(fixture('openhands-output.jsonl'));

  test('is one session for each line', () => {
    expect(sessions.map((session) => session.id)).toEqual(['repo__1', 'repo__2']);
  });

  test('has a checkpoint where the history was condensed', () => {
    expect(outline(sessions[1]!)).toEqual([
      'turn 1 start',
      'user: Tidy up.',
      'assistant: First reply.',
      'checkpoint at 2',
      'turn 1 end',
      'turn 2 start',
      'user: Go on.',
    ]);
    expect(checkpointsOf(sessions[1]!)[0]!.blocks).toEqual([{ kind: 'summary', text: 'The user wants things tidy.' }]);
  });
});
