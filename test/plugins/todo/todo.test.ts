import { COMPACTION, CONTEXT, restoreSession, type NewItem, type Session } from '../../../core';
import compaction from '../../../plugins/compaction';
import tracker from '../../../plugins/tracker';
import todo, { TODO_LIST, type TodoEntry } from '../../../plugins/todo';
import { problemOf, render, summarise, tidy } from '../../../plugins/todo/list';
import { call, prose, result, user } from '../../support/context';
import { workplace } from '../file-tools/workplace';
import { start } from '../../support/kernel';

const entry = (content: string, status: TodoEntry['status'] = 'pending'): TodoEntry => ({ content, status });
const PLAN = [entry('read the docs', 'completed'), entry('write the parser', 'in_progress'), entry('test it')];
const SHOWN = '- [completed] read the docs\n- [in_progress] write the parser\n- [pending] test it';

describe('todo_write', () => {
  test('shows the list and keeps it in the session', async () => {
    const { call: run, session } = await workplace({}, { plugins: [todo] });
    expect(session.get(TODO_LIST).entries()).toEqual([]);
    expect(await run('todo_write', { todos: PLAN as never })).toEqual({
      summary: 'Todo list: 1 of 3 done; in progress: write the parser',
      text: SHOWN,
      isError: false,
    });
    expect(session.get(TODO_LIST).entries()).toEqual(PLAN);
    expect((await run('todo_write', { todos: [] })).text).toBe('The todo list is empty');
    expect(session.get(TODO_LIST).entries()).toEqual([]);
  });

  test('leaves the list as it was where the new one is refused', async () => {
    const { call: run, session } = await workplace({}, { plugins: [todo] });
    await run('todo_write', { todos: PLAN as never });
    const lists: [readonly unknown[], string][] = [
      [[entry('a', 'in_progress'), entry('b', 'in_progress')], '2 entries are in_progress; only one may be at a time.'],
      [[entry('a'), entry(' \n ')], 'entry 2 says nothing.'],
      [[entry('')], 'minLength'],
      [[{ content: 'a', status: 'done' }], 'must be one of'],
      [[{ content: 'a' }], 'missing'],
      [[{ ...entry('a'), priority: 'high' }], 'not allowed'],
      [Array.from({ length: 51 }, () => entry('a')), 'at most 50'],
      [[entry('x'.repeat(301))], 'at most 300'],
      [Array.from({ length: 50 }, (_, at) => entry(prose(50).slice(0, 290 - at))), 'tokens, 900 is the most'],
    ];
    for (const [todos, why] of lists) {
      const answer = await run('todo_write', { todos: todos as never });
      expect(answer.isError).toBe(true);
      if (why !== 'minLength') expect(answer.text).toContain(why);
    }
    expect(session.get(TODO_LIST).entries()).toEqual(PLAN);
  });

  test('an entry is one line of well-formed text, however it was given', () => {
    expect(tidy([entry('  a\n\t b\u2028c \ud800')])).toEqual([entry('a b c \uFFFD')]);
    expect(render(tidy([entry('- [ ] x\n- [completed] y')]))).toBe('- [pending] - [ ] x - [completed] y');
    expect([problemOf(PLAN), summarise([entry('a')])]).toEqual([undefined, 'Todo list: 0 of 1 done']);
  });

  test('the list comes back with the session', async () => {
    const { call: run, session } = await workplace({}, { plugins: [todo] });
    await run('todo_write', { todos: PLAN as never });
    await using host = await start({ plugins: [todo] });
    const restored = restoreSession([...session.records()], { services: (one) => host.kernel.scope(one) });
    expect(restored.get(TODO_LIST).entries()).toEqual(PLAN);
  });
});

describe('a list with open entries', () => {
  const history = (shown: string): readonly NewItem[] => [
    user('port the parser'),
    { kind: 'tool_call', callId: 'plan', name: 'todo_write', arguments: { todos: PLAN as never } },
    result('plan', shown),
    ...Array.from({ length: 20 }, (_, at) => [call(`c${String(at)}`), result(`c${String(at)}`, prose(1000))]).flat(),
    user('go on'),
  ];
  const blocks = (session: Session): readonly string[] =>
    session
      .get(CONTEXT)
      .view()
      .system.filter(({ block }) => block?.kind === 'state')
      .map(({ text }) => text);

  test('is carried over a compaction verbatim; a list that is done is not', async () => {
    await using host = await start({ plugins: [tracker, compaction, todo] });
    const open = host.open(history(SHOWN));
    expect((await host.kernel.get(COMPACTION).compact(open, { trigger: 'manual' })).outcome).toBe('done');
    expect(blocks(open)).toEqual([`[State of todo_write — carried over]\n${SHOWN}`]);
  });

  test('of the largest size that is taken fits what is carried over', async () => {
    const { call: run } = await workplace({}, { plugins: [todo] });
    let todos: readonly TodoEntry[] = [];
    let shown = '';
    for (let size = 1; size <= 50; size++) {
      const longer = [...todos, entry(prose(60).slice(size, size + 200))];
      const answer = await run('todo_write', { todos: longer as never });
      if (answer.isError) break;
      todos = longer;
      shown = answer.text;
    }
    await using host = await start({ plugins: [tracker, compaction, todo] });
    const session = host.open(history(shown));
    await host.kernel.get(COMPACTION).compact(session, { trigger: 'manual' });
    expect(blocks(session)).toEqual([`[State of todo_write — carried over]\n${shown}`]);
  });
});
