import type { Entry } from '../../../plugins/compaction/workers/offline/pages';
import { tasksOf, turnsOf } from '../../../plugins/compaction/workers/offline/turns';

const said = (number: number, kind: 'user' | 'assistant', text: string): Entry => ({
  number,
  kind,
  kept: false,
  text,
  tokens: 1,
  tool: '',
  args: null,
  failed: false,
  call: -1,
  touches: [],
});

test('prompts that nobody answered are of the task that follows, also hundreds of thousands of them', async () => {
  const prompts = Array.from({ length: 200_000 }, (_, number) => said(number, 'user', `do ${String(number)}`));
  const entries = [...prompts, said(200_000, 'assistant', 'done'), said(200_001, 'user', 'something else')];
  const tasks = tasksOf(await turnsOf(entries, new AbortController().signal));
  expect(tasks.map(({ turns }) => turns.length)).toEqual([200_000, 1]);
});
