/** The checks of the contract of compact workers about what they do at the desk (S9.4 to S9.7). */
import assert from 'node:assert/strict';
import type { CompactionReport } from '../agent/compaction';
import { soon } from './contract-check';
import type { WorkerCheck } from './compact-worker-contract';
import { createSentinel } from './sentinel';
import { ON_DISK } from './worker-workplace';
import type { Workplace, WatchedRun } from './worker-workplace';

/** Compacts a session of a workplace, which must succeed. */
export async function done(place: Workplace): Promise<{ readonly report: CompactionReport; readonly run: WatchedRun }> {
  const report = await soon('the worker ends', place.compact(await place.session()));
  assert.equal(report.outcome, 'done', report.reason);
  return { report, run: place.runs.at(-1) as WatchedRun };
}

export const workerDutyChecks: readonly WorkerCheck[] = [
  {
    name: 'it hands in a summary that the format takes, and says what that cost',
    async check(open) {
      const { report, run } = await done(await open());
      assert.ok((report.summary?.text ?? '').trim() !== '');
      assert.ok(run.calls.some(({ tool }) => tool === 'write_summary'));
      for (const [name, figure] of Object.entries(report.usage))
        assert.ok(Number.isSafeInteger(figure) && figure >= 0, `${name} is ${String(figure)}`);
    },
  },
  {
    name: 'it calls the tools that the job offers and no others, with an object of arguments and a signal',
    async check(open) {
      const { run } = await done(await open());
      const offered = run.job.tools.map(({ name }) => name);
      for (const { tool, args, signal } of run.calls) {
        assert.ok(offered.includes(tool), `"${tool}" is not offered`);
        assert.ok(typeof args === 'object' && args !== null && !Array.isArray(args), `${tool}: no object`);
        assert.ok(signal instanceof AbortSignal, `${tool}: no signal`);
      }
    },
  },
  {
    name: 'it says how far it is in named phases and tokens that never fall, and nothing after its end',
    async check(open) {
      const { run } = await done(await open());
      await new Promise((resolve) => setImmediate(resolve));
      let before = 0;
      for (const { phase, tokens } of run.progress) {
        assert.ok(phase.trim() !== '', 'a phase has no name');
        assert.ok(Number.isFinite(tokens) && tokens >= before, `${tokens} tokens after ${before}`);
        before = tokens;
      }
      assert.deepEqual(run.late, []);
    },
  },
  {
    name: 'it leaves the job as it is',
    async check(open) {
      await done(await open({ frozen: true }));
    },
  },
  {
    name: 'it knows of files what the desk shows, and reads none by itself',
    async check(open) {
      const place = await open();
      const { report, run } = await done(place);
      const told = { report, calls: run.calls.map(({ args }) => args), log: place.test.log, heard: run.progress };
      assert.ok(!JSON.stringify(told).includes(ON_DISK), 'it read a file of the disk');
    },
  },
  {
    name: 'it works at several sessions at the same time and mixes nothing up',
    async check(open) {
      const place = await open();
      const words = ['one', 'two', 'three'].map((name) => createSentinel(name).text);
      const sessions = await Promise.all(words.map((word) => place.session(word)));
      const reports = await soon('all end', Promise.all(sessions.map((session) => place.compact(session))));
      for (const [at, { outcome, reason, summary }] of reports.entries()) {
        assert.equal(outcome, 'done', reason);
        for (const other of words.filter((word) => word !== words[at]))
          assert.ok(summary?.text.includes(other) === false, 'a summary tells of another session');
      }
    },
  },
  {
    name: 'it keeps to the limit of the summary',
    async check(open) {
      const { report } = await done(await open({ config: { summaryMaxTokens: 1000 } }));
      assert.ok((report.summary?.tokens ?? Infinity) <= 1000);
    },
  },
  {
    name: 'it goes on where the budget refuses a mark',
    async check(open) {
      const refusal =
        'Error: auto-read budget exhausted (8000 tokens). Remove an existing mark or use add_reference instead.';
      const place = await open({
        answer: ({ tool }, next) =>
          tool === 'mark_read_required' ? Promise.resolve({ summary: refusal, isError: true }) : next(),
      });
      const { report } = await done(place);
      assert.deepEqual(report.marks, []);
    },
  },
];
