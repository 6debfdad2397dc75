import { COMPACT_POOL, createLocalBus, defaultService, PithError } from '../../../core';
import { connected, createNatsBus, openLink } from '../../../core/bus/nats';
import type { NatsBus } from '../../../core/bus/nats';
import type { Bus, NewItem, Session, SessionRecord, ToolResult } from '../../../core';
import { createScriptedModel, createTestKernel, createVirtualClock } from '../../../core/testing';
import { llmWorker, offlineWorker, remoteWorker, serveCompactWorker } from '../../../plugins/compaction';
import type { CompactJob } from '../../../plugins/compaction';
import guard from '../../../plugins/guard';
import { assistant, call, prose, result, user } from '../../support/context';
import { compact, start } from '../../support/kernel';
import { describeWithNats, startNatsServer } from '../../support/nats-server';
import { summaryOf, USED } from '../../support/worker';
import { calls, FILES, HISTORY, mark, read, workplace, write } from './llm-kit';
import { askingWorker, errorOf, JOB, recordingDesk, workerOf } from './remote-kit';

const ignore = { signal: new AbortController().signal, progress: () => undefined };
const REMOTE = defaultService(COMPACT_POOL, () => ({ tenant: 'default', pool: 'default' }));

/** All that a session keeps of its compactions, but for who the worker was and how long it took. */
function kept(session: Session): string {
  const records = [...session.records()].filter(({ t }) => t === 'checkpoint' || t === 'compaction');
  const told = (record: SessionRecord): unknown => {
    if (record.t !== 'compaction') return record;
    const { worker: _worker, durationsMs: _durations, ...data } = record.data;
    return { ...record, data };
  };
  return JSON.stringify(records.map(told), undefined, 1);
}

describe('the offline worker, served', () => {
  const turns = (count: number, topic: string): readonly NewItem[] =>
    Array.from({ length: count }, (_, at) => [
      user(`Please do ${topic} number ${String(at)}, and never touch the lock file.`),
      call(`${topic}${String(at)}`, 'read_file', { path: `src/${topic}-${String(at % 5)}.ts` }),
      result(`${topic}${String(at)}`, prose(900), `src/${topic}-${String(at % 5)}.ts: 90 lines`),
      assistant(`I decided to port ${topic} ${String(at)} because it was slow. ✓ ünïcödé 漢字`),
    ]).flat();
  const sessions: readonly (readonly [string, readonly NewItem[]])[] = [
    ['many turns', turns(40, 'parser')],
    ['one turn with many calls', [user('Port it.'), ...turns(30, 'lexer').filter((item) => item.kind !== 'message')]],
    ['the work of the model tests', HISTORY],
    ['words alone', Array.from({ length: 60 }, (_, at) => [user(prose(300)), assistant(`${prose(300)} ${at}`)]).flat()],
    ['text that is not well-formed', [user('a \ud800 b'), ...turns(30, 'b\udfff'), user('go on')]],
  ];

  /** What two compactions of a session leave, by the worker of this process or one that is asked for. */
  async function left(items: readonly NewItem[], worker: 'offline' | 'remote', buses: readonly Bus[]): Promise<string> {
    const [bus = createLocalBus(), other = bus] = buses;
    await using host = await start({ bus, config: { compaction: { worker, fallback: 'none' } }, services: [REMOTE] });
    await using _server = serveCompactWorker(other, offlineWorker);
    if (buses.length > 0) await (other as NatsBus).link.flush();
    const session = host.open(items);
    expect(await compact(host, session, { focus: 'the parser' })).toMatchObject({ outcome: 'done', worker });
    session.append(turns(30, 'more'));
    expect(await compact(host, session)).toMatchObject({ outcome: 'done', worker });
    return kept(session);
  }

  test.each(sessions)('leaves of %s what it leaves when it is not, byte for byte', async (_, items) => {
    expect(await left(items, 'remote', [])).toBe(await left(items, 'offline', []));
  });

  describeWithNats('from another process', () => {
    test.each(sessions)('leaves of %s the same', async (_, items) => {
      const { url } = await startNatsServer();
      const joined = async (): Promise<NatsBus> => {
        const link = await openLink({ servers: url });
        await connected(link);
        return createNatsBus(link);
      };
      const [agent, worker] = await Promise.all([joined(), joined()]);
      expect(await left(items, 'remote', [agent, worker])).toBe(await left(items, 'offline', []));
      await worker.close();
    });
  });
});

describe('a worker with a model in another kernel', () => {
  test('reads, marks and writes at the desk of the agent, and its guard limits it there', async () => {
    const clock = createVirtualClock();
    const model = createScriptedModel({
      script: [calls(read(), mark()), calls(write(summaryOf('Ported.'))), 'Done.'],
      clock,
    });
    await using place = await workplace([], { config: { worker: 'remote' }, services: [REMOTE] });
    await using workers = await createTestKernel({ plugins: [guard], clock });
    const { kernel } = workers;
    const worker = llmWorker({ model, kernel, clock, ids: { next: (kind) => `${kind}-1` } });
    serveCompactWorker(place.test.kernel.bus, worker);
    const report = await place.compact();
    expect(report).toMatchObject({
      outcome: 'done',
      worker: 'remote',
      model: model.model,
      marks: [{ path: 'src/a.ts' }],
      usage: { requests: 3 },
    });
    expect(model.requests[1]?.last).toContain(FILES['src/a.ts'].trim());
    expect(workers.hooks('pre_llm_request').map(({ role }) => role)).toEqual(Array(3).fill('compact-worker'));
    expect(place.test.hooks('pre_llm_request')).toEqual([]);
    expect(place.test.hooks('pre_tool_call').map(({ call: { name } }) => name)).toEqual([
      'read_file',
      'mark_read_required',
      'write_summary',
    ]);
    expect(workers.hooks('pre_tool_call')).toEqual([]);
  });

  test('that may send no more says so by its code', async () => {
    const clock = createVirtualClock();
    const model = createScriptedModel({ script: [calls(read()), calls(read())], clock });
    await using place = await workplace([], {
      config: { worker: 'remote', compactWorkerMaxInputTokens: 1000 },
      services: [REMOTE],
    });
    await using workers = await createTestKernel({ plugins: [guard], clock });
    const worker = llmWorker({ model, kernel: workers.kernel, clock, ids: { next: (kind) => `${kind}-1` } });
    serveCompactWorker(place.test.kernel.bus, worker);
    const report = await place.compact();
    expect(report).toMatchObject({ outcome: 'worker-failed', usage: { requests: 0 } });
    expect(report.reason).toMatch(/compact_worker_max_input_tokens allows 1000/);
  });
});

describe('serving', () => {
  test('takes so many jobs at once, and leaves further ones to others', async () => {
    const bus = createLocalBus();
    const served: string[] = [];
    const free: (() => void)[] = [];
    const holding = (name: string) =>
      workerOf(async () => {
        served.push(name);
        await new Promise<void>((resolve) => free.push(resolve));
        return USED;
      });
    serveCompactWorker(bus, holding('a'), { concurrency: 2 });
    serveCompactWorker(bus, holding('b'));
    const clock = createVirtualClock();
    const remote = remoteWorker({ bus, clock });
    const jobs = [1, 2, 3].map((n) => remote.run({ ...JOB, id: `job-${n}` }, recordingDesk(), ignore));
    while (free.length < 3) await new Promise(setImmediate);
    const refused = errorOf(remote.run(JOB, recordingDesk(), ignore));
    await clock.advance(100);
    expect((await refused).code).toBe('PITH_BUS_NO_RESPONDER');
    for (const open of free) open();
    await Promise.all(jobs);
    expect(served.toSorted()).toEqual(['a', 'a', 'b']);
  });

  test('ends when the jobs at work have ended, and takes none meanwhile', async () => {
    const bus = createLocalBus();
    let free: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const server = serveCompactWorker(
      bus,
      workerOf(async () => {
        begun();
        await new Promise<void>((resolve) => (free = resolve));
        return USED;
      }),
    );
    const remote = remoteWorker({ bus, clock: createVirtualClock() });
    const job = remote.run(JOB, recordingDesk(), ignore);
    await isBegun;
    const ended = server[Symbol.asyncDispose]();
    expect((await errorOf(remote.run(JOB, recordingDesk(), ignore))).code).toBe('PITH_BUS_NO_RESPONDER');
    free();
    expect(await job).toEqual(USED);
    await ended;
  });

  test('gives the worker nothing of a job or an answer that it does not know', async () => {
    const bus = createLocalBus();
    const seen: unknown[] = [];
    serveCompactWorker(
      bus,
      workerOf(async (job, desk, { signal }) => {
        seen.push(job, await desk.call('read_file', {}, signal));
        return { ...USED, more: 1 } as never;
      }),
    );
    const report = await remoteWorker({ bus, clock: createVirtualClock() }).run(
      { ...JOB, secret: 'x', limits: { ...JOB.limits, more: 1 } } as CompactJob,
      recordingDesk({ summary: 's', more: 1 } as ToolResult),
      ignore,
    );
    expect([...seen, report]).toEqual([JOB, { summary: 's' }, USED]);
  });

  test('refuses what is no job before the worker sees it', async () => {
    const bus = createLocalBus();
    let runs = 0;
    serveCompactWorker(
      bus,
      workerOf(() => (runs++, Promise.resolve(USED))),
    );
    const remote = remoteWorker({ bus, clock: createVirtualClock() });
    for (const wrong of [{ overview: 'x'.repeat(50_000_000) }, { tools: [{ name: '' }] }, { range: { from: 0 } }]) {
      const error = await errorOf(remote.run({ ...JOB, ...wrong } as CompactJob, recordingDesk(), ignore));
      expect(error.code).toBe('PITH_BUS_BAD_MESSAGE');
    }
    expect(runs).toBe(0);
  });

  test('ends a call of the desk whose signal aborts', async () => {
    const bus = createLocalBus();
    const stuck = { call: () => new Promise<ToolResult>(() => undefined) };
    serveCompactWorker(
      bus,
      workerOf(async (_job, desk) => {
        const controller = new AbortController();
        const answer = desk.call('read_file', {}, controller.signal);
        controller.abort(new PithError('PITH_CANCELLED', 'enough of it'));
        await answer;
        return USED;
      }),
    );
    const error = await errorOf(remoteWorker({ bus, clock: createVirtualClock() }).run(JOB, stuck, ignore));
    expect([error.code, error.message.includes('enough of it')]).toEqual(['PITH_CANCELLED', true]);
  });
});

describe('a worker that fails in its own way', () => {
  const thrown = async (what: unknown): Promise<PithError> => {
    const bus = createLocalBus();
    serveCompactWorker(
      bus,
      workerOf(() => {
        throw what;
      }),
    );
    return errorOf(remoteWorker({ bus, clock: createVirtualClock() }).run(JOB, recordingDesk(), ignore));
  };

  test('is told by message, name and code of its error', async () => {
    class DiskError extends Error {
      override readonly name = 'DiskError';
      readonly code = 'EIO';
    }
    const error = await thrown(new DiskError('the disk is gone'));
    expect(error.code).toBe('PITH_RUN_FAILED');
    expect(error.message).toContain('the disk is gone');
    expect(error.details).toEqual({ name: 'DiskError', code: 'EIO' });
  });

  test.each([undefined, null, 'a text', 7, { code: 3 }])('also where it throws %j', async (what) => {
    expect((await thrown(what)).code).toBe('PITH_RUN_FAILED');
  });

  test('and details that no message carries are left out', async () => {
    for (const details of [{ at: new Date() }, { n: 1n }, { all: 'x'.repeat(20_000) }, { run: () => 1 }]) {
      const error = await thrown(new PithError('PITH_LLM_AUTH', 'no key', { details }));
      expect([error.code, error.details]).toEqual(['PITH_LLM_AUTH', undefined]);
    }
  });

  test('a desk that refuses an ask ends the work with why', async () => {
    const bus = createLocalBus();
    const gone = { call: () => Promise.reject(new PithError('PITH_CANCELLED', 'The work at this desk is over.')) };
    serveCompactWorker(bus, askingWorker('read_file', {}));
    const error = await errorOf(remoteWorker({ bus, clock: createVirtualClock() }).run(JOB, gone, ignore));
    expect(error.message).toContain('The work at this desk is over.');
  });
});
