/** A summary format of a third party (S9.8): workers with a model are held to its sections, the offline worker is not. */
import { definePlugin } from '../../../core';
import { SUMMARY_FORMAT } from '../../../plugins/compaction/tokens';
import type { SummaryFormat } from '../../../plugins/compaction/summary';
import { assistant, prose, user } from '../../support/context';
import { compact, start, STOCK } from '../../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../../support/worker';

const tickets: SummaryFormat = {
  name: 'tickets',
  instructions: 'Write one section, ## Tickets.',
  check: (text) => (text.includes('## Tickets') ? [] : [{ problem: 'missing-section', message: 'Write ## Tickets.' }]),
  repair: (text) => text,
};

const format = definePlugin({
  name: 'tickets',
  api: 1,
  provides: [SUMMARY_FORMAT],
  setup: ({ provide }) => provide(SUMMARY_FORMAT, () => tickets),
});

const history = Array.from({ length: 30 }, (_, n) => [user(`ask ${String(n)}`), assistant(prose(800))]).flat();

test('the offline worker serves under any format, with the sections of the stock one', async () => {
  await using host = await start({ plugins: [...STOCK, format] });
  const report = await compact(host, host.open(history));
  expect(report).toMatchObject({ outcome: 'done', worker: 'offline' });
  expect(report.summary?.text).toContain('## Current Work');
});

test('it also serves where a worker with a model left a summary that the format does not take', async () => {
  const scripted = scriptedWorker(writing(summaryOf('Going on.')));
  await using host = await start({ plugins: [...STOCK, format, scripted.plugin] });
  const report = await compact(host, host.open(history));
  expect(scripted.jobs).toHaveLength(1);
  expect(report).toMatchObject({ outcome: 'done', worker: 'offline' });
});
