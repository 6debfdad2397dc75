import { CLOCK, COMPACT_POOL, defaultService, definePlugin, PithError } from '../../../core';
import type { Bus, CompactionReport, NewItem, Plugin, Session } from '../../../core';
import { remoteWorker, serveCompactWorker } from '../../../plugins/compaction';
import type { CompactJob, CompactWorker, Desk } from '../../../plugins/compaction';
import { COMPACT_WORKER } from '../../../plugins/compaction/tokens';
import { assistant, call, prose, result, user } from '../../support/context';
import { compact, start, STOCK, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { summaryOf, USED } from '../../support/worker';
import { errorOf, losing, workerOf } from './remote-kit';

const HISTORY: readonly NewItem[] = [
  user('please port it'),
  ...Array.from({ length: 30 }, (_, at) => [call(`c${at}`), result(`c${at}`, prose(1000))]).flat(),
  assistant('half done'),
  user('go on'),
];
const SPENT = { model: 'm', usage: { ...USED.usage, inputTokens: 111 } };
const write = (desk: Desk, text: string, signal: AbortSignal): Promise<unknown> =>
  desk.call('write_summary', { text: summaryOf(text) }, signal);
const writing = workerOf(async (_job, desk, { signal }) => {
  await write(desk, 'It was ported in part.', signal);
  return USED;
});

/** The stock plugins with `worker = "remote"`, on a bus that carries jobs. */
const startRemote = (config: object = {}): Promise<Host> =>
  start({
    config: { compaction: { worker: 'remote', ...config } },
    services: [defaultService(COMPACT_POOL, () => ({ tenant: 'default', pool: 'default' }))],
  });

/** The stock plugins with a remote worker behind a bus that is not what it was. */
function startBehind(make: (bus: Bus) => Bus, config: object = {}): Promise<Host> {
  const plugin: Plugin = definePlugin({
    name: 'behind',
    api: 1,
    needs: { clock: CLOCK },
    provides: [COMPACT_WORKER],
    setup: ({ bus, needs, provide }) =>
      provide(COMPACT_WORKER, () => remoteWorker({ bus: make(bus), clock: needs.clock })),
  });
  return start({ plugins: [...STOCK, plugin], config: { compaction: config } });
}

describe('worker = "remote"', () => {
  test('has the summary written by whoever serves the pool', async () => {
    await using host = await startRemote();
    serveCompactWorker(host.kernel.bus, writing);
    const session = host.open(HISTORY);
    expect(await compact(host, session)).toMatchObject({ outcome: 'done', worker: 'remote', usage: USED.usage });
    expect(host.events('compaction.started')).toMatchObject([{ worker: 'remote' }]);
    expect(host.events('compaction.done')).toMatchObject([{ worker: 'remote', usage: USED.usage }]);
  });

  test('asks no other pool and no other tenant', async () => {
    await using host = await startRemote({ fallback: 'none' });
    serveCompactWorker(host.kernel.bus, writing, { pool: 'other' });
    serveCompactWorker(host.kernel.bus, writing, { tenant: 'other' });
    expect(await compact(host, host.open(HISTORY))).toMatchObject({ outcome: 'worker-unavailable' });
  });

  test('without anybody there the fallback serves, which is said; with one there the next job is done', async () => {
    await using host = await startRemote();
    const session = host.open(HISTORY);
    expect(await compact(host, session)).toMatchObject({
      outcome: 'done',
      worker: 'offline',
      reason: expect.stringMatching(
        /The worker "remote" failed: Nobody serves .* The offline worker served\./,
      ) as string,
    });
    serveCompactWorker(host.kernel.bus, writing);
    expect(await compact(host, host.open(HISTORY))).toMatchObject({ outcome: 'done', worker: 'remote' });
  });

  test('waits for a worker as long as worker_wait_seconds says, beside the time of the job', async () => {
    await using host = await startRemote({ workerWaitSeconds: 5, workerTimeoutSeconds: 1, fallback: 'none' });
    const report = compact(host, host.open(HISTORY));
    while (host.clock.pending < 2) await host.clock.settle();
    await host.clock.advance(4000);
    serveCompactWorker(host.kernel.bus, writing);
    await host.clock.advance(250);
    expect(await report).toMatchObject({ outcome: 'done', worker: 'remote' });
    expect(host.clock.pending).toBe(0);
  });

  test('needs a bus to other processes, and says how to get one', async () => {
    const { code, message } = await errorOf(start({ config: { compaction: { worker: 'remote' } } }));
    expect(code).toBe('PITH_PLUGIN_SETUP');
    expect(message).toMatch(/worker "remote" needs a bus to other processes; set \[transport\] kind = "nats"/);
  });

  test.each([
    ['PITH_LLM_REFUSED', 'refused'],
    ['PITH_LLM_OUTPUT_LIMIT', 'truncated-summary'],
    ['PITH_LLM_TRANSPORT', 'worker-failed'],
  ] as const)('a worker that fails with %s ends as %s, as it does in this process', async (code, outcome) => {
    await using host = await startRemote({ fallback: 'none' });
    serveCompactWorker(
      host.kernel.bus,
      workerOf((_job, _desk, { progress }) => {
        progress({ phase: 'reading', tokens: 111, spent: SPENT });
        return Promise.reject(new PithError(code, 'no luck'));
      }),
    );
    const session = host.open(HISTORY);
    const { digest } = view(session);
    expect(await compact(host, session)).toMatchObject({ outcome, worker: 'remote', ...SPENT });
    expect(view(session).digest).toBe(digest);
  });

  test('a worker that is late ends as timeout, is told to stop, and reaches the desk no more', async () => {
    await using host = await startRemote({ fallback: 'none', workerTimeoutSeconds: 0.1 });
    let late: Promise<PithError> | undefined;
    serveCompactWorker(
      host.kernel.bus,
      workerOf(async (_job, desk, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        late = errorOf(write(desk, 'LATE', new AbortController().signal));
        await late;
        return USED;
      }),
    );
    const report = await compact(host, host.open(HISTORY));
    expect(report).toMatchObject({ outcome: 'timeout', reason: expect.stringContaining('within 0.1 s') as string });
    expect((await late)?.code).toBe('PITH_BUS_TIMEOUT');
  });
});

describe('a worker that is lost (S11)', () => {
  /** The first time it reads for much and writes FIRST, then SECOND. */
  const changing = (): { worker: CompactWorker; jobs: CompactJob[] } => {
    const jobs: CompactJob[] = [];
    const worker = workerOf(async (job, desk, { signal }) => {
      jobs.push(job);
      await desk.call('add_reference', { path: jobs.length === 1 ? 'of/the/first.ts' : 'of/the/second.ts' }, signal);
      if (jobs.length === 1) await write(desk, 'FIRST', signal);
      else await write(desk, 'SECOND', signal);
      return USED;
    });
    return { worker, jobs };
  };

  test('has its job given out once more, under the same id, at a desk of its own', async () => {
    const attempts: number[] = [];
    await using host = await startBehind((bus) => losing(bus, 1, attempts));
    const { worker, jobs } = changing();
    serveCompactWorker(host.kernel.bus, worker);
    const report = await compact(host, host.open(HISTORY));
    expect(report).toMatchObject({ outcome: 'done', worker: 'remote', references: [{ path: 'of/the/second.ts' }] });
    expect(report.summary?.text).toContain('SECOND');
    expect(attempts).toEqual([1, 2]);
    expect(jobs.map(({ id }) => id)).toEqual([report.id, report.id]);
    expect(report.reason).toMatch(/The worker is gone\. The job was given out once more\./);
    expect(host.events('compaction.done')).toMatchObject([{ worker: 'remote', reason: report.reason }]);
  });

  test('costs what it has told', async () => {
    await using host = await startBehind((bus) => losing(bus, 1));
    serveCompactWorker(
      host.kernel.bus,
      workerOf(async (_job, desk, { signal, attempt, progress }) => {
        if (attempt === 1) progress({ phase: 'reading', tokens: 111, spent: SPENT });
        await write(desk, 'It was ported in part.', signal);
        return USED;
      }),
    );
    expect((await compact(host, host.open(HISTORY))).usage.inputTokens).toBe(111 + 100);
  });

  test('twice leaves the job to the fallback, and nothing of it is applied', async () => {
    const attempts: number[] = [];
    await using host = await startBehind((bus) => losing(bus, Infinity, attempts));
    serveCompactWorker(host.kernel.bus, changing().worker);
    const session = host.open(HISTORY);
    const report = await compact(host, session);
    expect(report).toMatchObject({ outcome: 'done', worker: 'offline' });
    expect(report.summary?.text).not.toMatch(/FIRST|SECOND/);
    expect(attempts).toEqual([1, 2]);
    expect([...session.records()].filter(({ t }) => t === 'checkpoint')).toHaveLength(1);
  });

  test('twice without a fallback ends as worker-failed and counts once against the worker', async () => {
    await using host = await startBehind((bus) => losing(bus, Infinity), { fallback: 'none', breakerFailures: 2 });
    serveCompactWorker(host.kernel.bus, changing().worker);
    const outcomes = [];
    for (let pass = 0; pass < 3; pass++)
      outcomes.push((await compact(host, host.open(HISTORY), { trigger: 'post_run' })).outcome);
    expect(outcomes).toEqual(['worker-failed', 'worker-failed', 'breaker-open']);
  });

  test('has the whole of its time again', async () => {
    let begun: readonly number[] = [];
    await using host = await startBehind((bus) => losing(bus, 1), { workerTimeoutSeconds: 10, fallback: 'none' });
    serveCompactWorker(
      host.kernel.bus,
      workerOf(async (job, desk, { signal }) => {
        begun = [...begun, job.limits.timeoutMs];
        await host.clock.advance(9000);
        await write(desk, 'It was ported in part.', signal);
        return USED;
      }),
    );
    expect(await compact(host, host.open(HISTORY))).toMatchObject({ outcome: 'done' });
    expect(begun).toEqual([10_000, 10_000]);
  });

  test('is not replaced when the compaction is cancelled meanwhile', async () => {
    const attempts: number[] = [];
    const controller = new AbortController();
    await using host = await startBehind((bus) => losing(bus, Infinity, attempts));
    serveCompactWorker(
      host.kernel.bus,
      workerOf(() => (controller.abort(), Promise.resolve(USED))),
    );
    const report = await compact(host, host.open(HISTORY), { signal: controller.signal });
    expect(report.outcome).toBe('cancelled');
    expect(attempts).toEqual([1]);
  });

  test('attempts rise over all plans of a compaction, so that no offer is taken for an old one', async () => {
    const attempts: number[] = [];
    await using host = await startBehind((bus) => losing(bus, 1, attempts), { retainedTokens: 16_000 });
    serveCompactWorker(
      host.kernel.bus,
      workerOf(async (_job, desk, { signal, attempt }) => {
        await write(desk, attempt === 2 ? prose(2500) : 'short', signal);
        return USED;
      }),
    );
    const talk = Array.from({ length: 30 }, () => [user(prose(500)), assistant(prose(500))]).flat();
    expect((await compact(host, host.open(talk), { threshold: 22_000 })).outcome).toBe('done');
    expect(attempts).toEqual([1, 2, 3]);
  });
});

describe('a rate limit of the worker', () => {
  const limited = (retryAfterMs: unknown, times = 1): CompactWorker => {
    let runs = 0;
    return workerOf(async (job, desk, options) => {
      await desk.call('add_reference', { path: `run-${runs}.ts` }, options.signal);
      if (runs++ >= times) return writing.run(job, desk, options);
      throw new PithError('PITH_LLM_RATE_LIMITED', 'slow down', { details: { retryAfterMs } });
    });
  };
  const withLimit = async (
    worker: CompactWorker,
    config: object,
    use: (host: Host, report: Promise<CompactionReport>, session: Session) => Promise<void>,
  ): Promise<void> => {
    await using host = await startRemote({ fallback: 'none', ...config });
    serveCompactWorker(host.kernel.bus, worker);
    const session = host.open(HISTORY);
    await use(host, compact(host, session), session);
  };

  test('that passes while there is time to wait is waited for; the next attempt has a desk of its own', async () => {
    await withLimit(limited(2000), { workerWaitSeconds: 5 }, async (host, report) => {
      while (host.clock.pending === 0) await host.clock.settle();
      await host.clock.advance(2000);
      expect(await report).toMatchObject({ outcome: 'done', worker: 'remote', references: [{ path: 'run-1.ts' }] });
    });
  });

  test.each([
    ['that takes longer than there is time', 6000, 5],
    ['where there is no time to wait', 0, 0],
    ['that does not say when it is over', undefined, 5],
    ['that says nonsense', 'soon', 5],
    ['that was over before it began', -1, 5],
  ])('%s ends the attempt', async (_, retryAfterMs, workerWaitSeconds) => {
    await withLimit(limited(retryAfterMs), { workerWaitSeconds }, async (_host, report) => {
      expect(await report).toMatchObject({ outcome: 'worker-failed' });
    });
  });

  test('that never passes is over when the wait is', async () => {
    const worker = limited(0, Infinity);
    await withLimit(worker, { workerWaitSeconds: 1 }, async (host, report) => {
      for (let quarter = 0; quarter < 5; quarter++) await host.clock.advance(250);
      expect(await report).toMatchObject({ outcome: 'worker-failed' });
    });
  });
});
