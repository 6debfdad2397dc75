/** The checks of the bus contract about what a job is, who takes it and how it ends (S4.1, S4.2). */
import assert from 'node:assert/strict';
import { PithError } from '../errors';
import type { Job, TraceContext } from '../bus/bus';
import { aborted, fails, gate, JOBS, SHORT, SOON, submit, work } from './bus-channel';
import type { PairCheck } from './bus-contract';

export const jobChecks: readonly PairCheck[] = [
  {
    name: 'the responder sees which job, which attempt and which trace a request is of',
    async check({ requester, responder, settled }) {
      const seen: unknown[] = [];
      work(responder, async ({ n }, { job, trace }) => {
        seen.push([job, trace]);
        return { n };
      });
      await settled();
      const job: Job = { id: 'job-1_a', attempt: 3 };
      const traces: TraceContext[] = [
        { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'one=1,two=2' },
        { traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-00' },
      ];
      for (const trace of traces) await submit(requester, 1, { job: { ...job, id: trace.traceparent }, trace });
      assert.deepEqual(
        seen,
        traces.map((trace) => [{ ...job, id: trace.traceparent }, trace]),
      );
    },
  },
  {
    name: 'a request that names no job is a first attempt at one of its own, without a trace',
    async check({ requester, responder, settled }) {
      const seen: Job[] = [];
      work(responder, async ({ n }, call) => {
        assert.equal(call.trace, undefined);
        assert.equal(call.job.id, call.job.id);
        seen.push(call.job);
        return { n };
      });
      await settled();
      await Promise.all([submit(requester, 1), submit(requester, 2)]);
      assert.deepEqual(
        seen.map(({ attempt }) => attempt),
        [1, 1],
      );
      assert.equal(new Set(seen.map(({ id }) => id)).size, 2);
    },
  },
  {
    name: 'a job that throws fails the request with PITH_BUS_REJECTED and what it said',
    async check({ requester, responder, settled }) {
      work(responder, () => {
        throw new PithError('PITH_USAGE', 'no model', { details: { retryAfterMs: 7 } });
      });
      await settled();
      const { message, details } = await fails(submit(requester, 1), 'PITH_BUS_REJECTED');
      assert.match(message, /no model/);
      assert.equal(details?.['code'], 'PITH_USAGE');
      assert.deepEqual(details['details'], { retryAfterMs: 7 });
    },
  },
  {
    name: 'a reply or progress of a job that does not fit its schema fails the request with PITH_BUS_BAD_MESSAGE',
    async check({ requester, responder, settled }) {
      work(responder, async ({ n }, call) => {
        if (n === 1) call.progress({ n: 'half' } as never);
        return { n: 'one' } as never;
      });
      await settled();
      await fails(submit(requester, 0), 'PITH_BUS_BAD_MESSAGE');
      await fails(submit(requester, 1), 'PITH_BUS_BAD_MESSAGE');
    },
  },
  {
    name: 'a job that is cancelled, or whose requester closes, is told to stop',
    async check({ requester, responder, settled }) {
      const [stopped, begun] = [
        [gate(), gate()],
        [gate(), gate()],
      ];
      work(responder, async ({ n }, { signal }) => {
        begun[n]?.open();
        await aborted(signal);
        stopped[n]?.open();
        return { n };
      });
      await settled();
      const controller = new AbortController();
      const cancelled = fails(submit(requester, 0, { signal: controller.signal }), 'PITH_BUS_CANCELLED');
      const open = fails(submit(requester, 1), 'PITH_BUS_TRANSPORT_CLOSED');
      await Promise.all(begun.map(({ opened }) => opened));
      controller.abort();
      await Promise.all([cancelled, stopped[0]?.opened]);
      await Promise.all([requester.close(), open]);
      await Promise.all([stopped[1]?.opened, responder.close()]);
    },
  },
  {
    name: 'a job that is late is told to stop',
    async check({ requester, responder, settled }) {
      const stopped = gate();
      work(responder, async ({ n }, { signal }) => {
        await aborted(signal);
        stopped.open();
        return { n };
      });
      await settled();
      await fails(submit(requester, 1, { deadlineMs: SHORT }), 'PITH_BUS_TIMEOUT');
      await stopped.opened;
    },
  },
  {
    name: 'a responder of another major does not answer: PITH_BUS_BAD_MESSAGE, with the majors that are served',
    async check({ requester, responder, settled }) {
      for (const major of [1, 2]) responder.serve({ ...JOBS, major }, async ({ n }) => ({ n: n * 10 + major }));
      await settled();
      const of = (major: number) => requester.request({ ...JOBS, major }, { n: 1 }, { deadlineMs: SOON });
      assert.deepEqual(
        (await Promise.all([of(1), of(2), submit(requester, 1)])).map(({ n }) => n),
        [11, 12, 11],
      );
      assert.deepEqual((await fails(of(3), 'PITH_BUS_BAD_MESSAGE')).details?.['majors'], [1, 2]);
    },
  },
  {
    name: 'a full responder that refuses is as nobody, and takes again when it is free',
    async check({ requester, responder, settled }) {
      const begun = [gate(), gate()];
      const [free, seen] = [gate(), [] as number[]];
      const handler = async ({ n }: { n: number }) => {
        seen.push(n);
        begun[n]?.open();
        if (n < 2) await free.opened;
        return { n };
      };
      work(responder, handler, { concurrency: 2, whenFull: 'refuse' });
      await settled();
      const first = submit(requester, 0);
      await begun[0]?.opened;
      const second = submit(requester, 1);
      await begun[1]?.opened;
      for (const n of [2, 3]) await fails(submit(requester, n), 'PITH_BUS_NO_RESPONDER');
      free.open();
      await Promise.all([first, second]);
      await settled();
      assert.equal((await submit(requester, 4)).n, 4);
      assert.deepEqual(seen, [0, 1, 4]);
    },
  },
  {
    name: 'one that waits takes what another refuses',
    async check({ requester, responder, settled }) {
      const [begun, free] = [gate(), gate()];
      work(
        responder,
        async () => {
          begun.open();
          await free.opened;
          return { n: 1 };
        },
        { concurrency: 1, whenFull: 'refuse' },
      );
      await settled();
      const first = submit(requester, 0);
      await begun.opened;
      work(responder, async () => ({ n: 2 }), { concurrency: 1 });
      await settled();
      assert.equal((await submit(requester, 0)).n, 2);
      free.open();
      assert.equal((await first).n, 1);
    },
  },
];
