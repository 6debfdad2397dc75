import { COMPACTION, type NewItem } from '../../../core';
import autoReadBudget from '../../../plugins/auto-read-budget';
import compaction from '../../../plugins/compaction';
import fileTools from '../../../plugins/file-tools';
import tracker from '../../../plugins/tracker';
import { call, prose, result, user } from '../../support/context';
import { scriptedWorker, summaryOf, writing } from '../../support/worker';
import { workplace } from './workplace';

const history: readonly NewItem[] = [
  user('port both files'),
  ...['large.ts', 'small.ts'].flatMap((path): readonly NewItem[] => [
    { kind: 'tool_call', callId: path, name: 'read_file', arguments: { path } },
    result(path, prose(50)),
  ]),
  ...Array.from({ length: 20 }, (_, at) => [call(`c${String(at)}`), result(`c${String(at)}`, prose(1000))]).flat(),
  user('go on'),
];

describe('editing after a compaction', () => {
  test('needs a new reading, except of what was read into the new context', async () => {
    const desk = await workplace(
      { 'large.ts': `${prose(20_000)}\nlarge end\n`, 'small.ts': 'small\n' },
      { plugins: [tracker, compaction, autoReadBudget, fileTools] },
    );
    desk.session.append(history);
    await desk.call('read_file', { path: 'large.ts' });
    await desk.call('read_file', { path: 'small.ts' });
    const report = await desk.host.kernel.get(COMPACTION).compact(desk.session, { trigger: 'manual' });
    expect([report.outcome, report.marks.map(({ path }) => path)]).toEqual(['done', ['small.ts']]);
    const edit = (path: string, old_text: string) => desk.call('edit_file', { path, old_text, new_text: 'new' });
    expect((await edit('small.ts', 'small')).isError).toBe(false);
    expect((await edit('large.ts', 'large end')).text).toContain('Read it again');
    await desk.call('read_file', { path: 'large.ts', offset: 2 });
    expect((await edit('large.ts', 'large end')).isError).toBe(false);
  });

  test('needs none where what was read stands in the tail that was kept', async () => {
    const desk = await workplace(
      { 'tail.ts': 'in the tail\n', 'small.ts': 'small\n' },
      { plugins: [tracker, compaction, fileTools, scriptedWorker(writing(summaryOf('Ported in part.'))).plugin] },
    );
    for (const path of ['small.ts', 'tail.ts']) await desk.call('read_file', { path });
    desk.session.append([
      ...history,
      { kind: 'tool_call', callId: 'tail', name: 'read_file', arguments: { path: 'tail.ts' } },
      result('tail', 'in the tail'),
    ]);
    const report = await desk.host.kernel.get(COMPACTION).compact(desk.session, { trigger: 'manual' });
    expect([report.outcome, report.marks]).toEqual(['done', []]);
    const edit = (path: string, old_text: string) => desk.call('edit_file', { path, old_text, new_text: 'new' });
    expect((await edit('tail.ts', 'tail')).isError).toBe(false);
    expect((await edit('small.ts', 'small')).text).toContain('Read it again');
  });
});
