import { createMemoryStore } from '../../../core';
import { createTestAgent } from '../../../core/testing';
import { isStateTool, noteStateTool, openState, stateToolsOf } from '../../../plugins/compaction/state-tools';
import { call, open, result, user } from '../../support/context';

const todos = (status: string) => ({
  todos: [
    { content: 'write the parser', status },
    { content: 'read the docs', status: 'completed' },
  ],
});

describe('the state that is carried over (S3.8)', () => {
  test.each(['TodoWrite', 'todo_write', 'update_plan', 'write_todos', 'task_tracker'])(
    '%s keeps a list of tasks',
    (name) => {
      expect(isStateTool(name)).toBe(true);
    },
  );

  test.each(['read_file', 'Bash', 'todo_search'])('%s does not', (name) => {
    expect(isStateTool(name)).toBe(false);
  });

  test('is kept by any tool of kind state once it was called, also after a restore', async () => {
    const store = createMemoryStore();
    const first = await createTestAgent({ store });
    const { session } = await first.agent.open('s');
    expect(stateToolsOf(session)('note_finding')).toBe(false);
    noteStateTool(session, { name: 'note_finding', kind: 'state' });
    noteStateTool(session, { name: 'read_file', kind: 'read' });
    await first.agent.close();
    const again = await createTestAgent({ store });
    const isState = stateToolsOf((await again.agent.open('s')).session);
    expect(['note_finding', 'TodoWrite', 'read_file'].map(isState)).toEqual([true, true, false]);
    await again.agent.close();
  });

  test('is the newest list with open entries, from the result or else the arguments', () => {
    const fromArguments = open([
      user('go'),
      call('a', 'TodoWrite', todos('pending')),
      result('a', 'Todos were updated'),
      user('x'),
    ]);
    expect(openState(fromArguments.context, 3, isStateTool)).toEqual({
      tool: 'TodoWrite',
      text: '- [pending] write the parser\n- [completed] read the docs',
    });
    const fromResult = open([user('go'), call('a', 'todo', {}), result('a', '- [ ] write the parser'), user('x')]);
    expect(openState(fromResult.context, 3, isStateTool)).toEqual({ tool: 'todo', text: '- [ ] write the parser' });
  });

  test('is nothing where all is done, where a newer list is in the tail, and where there is none', () => {
    const done = open([user('go'), call('a', 'TodoWrite', todos('completed')), result('a', 'ok'), user('x')]);
    expect(openState(done.context, 3, isStateTool)).toBeUndefined();
    const inTail = open([
      user('go'),
      call('a', 'TodoWrite', todos('pending')),
      result('a', 'ok'),
      user('x'),
      call('b', 'TodoWrite', todos('pending')),
      result('b', 'ok'),
    ]);
    expect(openState(inTail.context, 4, isStateTool)).toBeUndefined();
    expect(openState(open([user('go')]).context, 1, isStateTool)).toBeUndefined();
  });
});
