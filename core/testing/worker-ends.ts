/** The checks of the contract of compact workers about how they end where they cannot go on (S9.7, S9.10). */
import assert from 'node:assert/strict';
import { PithError } from '../errors';
import { gate } from './bus-channel';
import { soon } from './contract-check';
import type { WorkerCheck } from './compact-worker-contract';
import { done } from './worker-duties';
import type { Answer, Workplace, WatchedRun } from './worker-workplace';

/** More calls than any worker makes at one job. */
const MOST_CALLS = 1000;

/** A desk that is gone after the most calls, and silent to whoever goes on even then. */
function limited(answer: Answer): Answer {
  let calls = 0;
  return (call, next) => {
    calls++;
    if (calls <= MOST_CALLS) return answer(call, next);
    return calls <= 2 * MOST_CALLS ? Promise.reject(new Error('too many calls')) : new Promise(() => undefined);
  };
}

/** Compacts with such a desk; the worker must come to an end by itself, and not with a result. */
async function failed(place: Workplace): Promise<WatchedRun> {
  const session = await place.session();
  const before = session.itemCount;
  const report = await soon('the worker ends', place.compact(session));
  assert.notEqual(report.outcome, 'done');
  assert.equal(session.itemCount, before);
  const run = place.runs.at(-1) as WatchedRun;
  assert.ok(run.calls.length <= MOST_CALLS, `it made more than ${MOST_CALLS} calls`);
  const { ok, error } = await run.ended;
  if (!ok) assert.ok(isError(error), 'it rejects with what is no error');
  return run;
}

/** Whether something is an error with a message, of whichever realm. */
function isError(thrown: unknown): boolean {
  const { message } = (thrown ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' && message !== '';
}

export const workerEndChecks: readonly WorkerCheck[] = [
  {
    name: 'it ends where no summary is ever taken',
    async check(open) {
      const refuse: Answer = ({ tool }, next) =>
        tool === 'write_summary'
          ? Promise.resolve({ summary: 'The summary says nothing: its sections are empty.', isError: true })
          : next();
      await failed(await open({ answer: limited(refuse) }));
    },
  },
  {
    name: 'it ends where the desk refuses everything',
    async check(open) {
      await failed(await open({ answer: limited(() => Promise.resolve({ summary: 'Not now.', isError: true })) }));
    },
  },
  {
    name: 'it fails where the desk does not answer any more, and does not pretend to be done',
    async check(open) {
      const lost = new PithError('PITH_BUS_TRANSPORT_CLOSED', 'The desk is gone.');
      const run = await failed(await open({ answer: limited(() => Promise.reject(lost)) }));
      assert.equal((await run.ended).ok, false, 'it ended as if it had worked');
    },
  },
  {
    name: 'it ends when it is aborted while it waits for the desk, does nothing more, and can work again',
    async check(open) {
      const asked = gate();
      let isFirst = true;
      const place = await open({
        answer(call, next) {
          if (!isFirst) return next();
          asked.open();
          return untilAborted(call.signal);
        },
      });
      const abort = new AbortController();
      const report = place.compact(await place.session(), { signal: abort.signal });
      await soon('the desk is asked', asked.opened);
      abort.abort(new Error('nobody waits any more'));
      assert.equal((await soon('the compaction ends', report)).outcome, 'cancelled');
      const run = place.runs[0] as WatchedRun;
      assert.equal((await soon('the worker ends', run.ended)).ok, false, 'it ended as if it had worked');
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(run.late, []);
      isFirst = false;
      await done(place);
    },
  },
  {
    name: 'it does nothing at a job that was aborted before',
    async check(open) {
      const place = await open();
      const { job } = (await done(place)).run;
      const aborted = place.worker.run(
        job,
        { call: () => Promise.resolve({ summary: 'too late' }) },
        { signal: AbortSignal.abort(new Error('nobody waits any more')), progress: () => undefined },
      );
      await assert.rejects(soon('the worker ends', aborted));
      const [, run] = place.runs;
      assert.deepEqual(run?.calls, []);
    },
  },
];

/** A call that hangs until its signal aborts; without one for ever. */
function untilAborted(signal: unknown): Promise<never> {
  return new Promise((_, reject) => {
    if (!(signal instanceof AbortSignal)) return;
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}
