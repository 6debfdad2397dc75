import { createLocalBus, PithError } from '../../../core';
import type { Bus, ErrorCode, ToolResult } from '../../../core';
import { createVirtualClock } from '../../../core/testing';
import { remoteWorker, serveCompactWorker } from '../../../plugins/compaction';
import type { CompactWorker, WorkerProgress } from '../../../plugins/compaction';
import { USED } from '../../support/worker';
import { askingWorker, errorOf, JOB, recordingDesk, workerOf } from './remote-kit';

const done = workerOf(() => Promise.resolve(USED));
const failing = (code: ErrorCode, details: Record<string, unknown> = {}): CompactWorker =>
  workerOf(() => Promise.reject(new PithError(code, 'no luck', { details })));
const ignore = { signal: new AbortController().signal, progress: () => undefined };

describe('a worker that is reached by messages', () => {
  test('does the job at the desk of the one that asked, tells its progress, and reports what it has cost', async () => {
    const bus = createLocalBus();
    const desk = recordingDesk({ summary: 's', content: 'c' });
    const steps: WorkerProgress[] = [];
    const seen: unknown[] = [];
    serveCompactWorker(
      bus,
      workerOf(async (job, at, { signal, attempt, progress }) => {
        progress({ phase: 'reading', tokens: 7, spent: USED });
        seen.push(job, attempt, await at.call('read_file', { path: 'src/a.ts' }, signal));
        return { model: 'm', ...USED };
      }),
    );
    const report = await remoteWorker({ bus, clock: createVirtualClock() }).run(JOB, desk, {
      ...ignore,
      attempt: 2,
      progress: (step) => steps.push(step),
    });
    expect(report).toEqual({ model: 'm', ...USED });
    expect(seen).toEqual([JOB, 2, { summary: 's', content: 'c' }]);
    expect(desk.asked).toEqual([['read_file', { path: 'src/a.ts' }]]);
    expect(steps).toEqual([{ phase: 'reading', tokens: 7, spent: USED }]);
  });

  test('is told by a refusal of the desk as by any other answer', async () => {
    const bus = createLocalBus();
    const answers: ToolResult[] = [];
    serveCompactWorker(
      bus,
      workerOf(async (_job, at, { signal }) => {
        answers.push(await at.call('read_file', { path: '/etc/passwd' }, signal));
        return USED;
      }),
    );
    const refusal = { summary: '/etc/passwd is outside of the root.', isError: true };
    await remoteWorker({ bus, clock: createVirtualClock() }).run(JOB, recordingDesk(refusal), ignore);
    expect(answers).toEqual([refusal]);
  });

  test('may ask for the tools of the job alone', async () => {
    for (const tool of ['run_command', '__proto__', '', 'read_file ', 'x'.repeat(150)]) {
      const bus = createLocalBus();
      const desk = recordingDesk();
      serveCompactWorker(bus, askingWorker(tool, {}));
      const error = await errorOf(remoteWorker({ bus, clock: createVirtualClock() }).run(JOB, desk, ignore));
      expect(error.code).toBe('PITH_BUS_REJECTED');
      expect(error.message).toContain('The job has no tool');
      expect(error.message.length).toBeLessThan(400);
      expect(desk.asked).toEqual([]);
    }
  });

  test('gets no more of a result than a message carries, and only well-formed text', async () => {
    const lone = 'a \ud800 b';
    const answers: ToolResult[] = [];
    for (const given of [
      { summary: 's', content: 'x'.repeat(150_001) },
      { summary: 's', content: [{ type: 'image', mediaType: 'image/png', data: 'A'.repeat(150_000) }] },
      { summary: lone, content: lone, isError: true },
      {
        summary: 's',
        content: [
          { type: 'text', text: lone },
          { type: 'image', mediaType: 'image/png' },
        ],
      },
    ] as const) {
      const bus = createLocalBus();
      serveCompactWorker(
        bus,
        workerOf(async (_job, at, { signal }) => {
          answers.push(await at.call('read_file', {}, signal));
          return USED;
        }),
      );
      await remoteWorker({ bus, clock: createVirtualClock() }).run(JOB, recordingDesk(given), ignore);
    }
    const mended = 'a \ufffd b';
    expect(answers).toEqual([
      { summary: expect.stringMatching(/^The result has 150002 characters/) as string, isError: true },
      { summary: expect.stringMatching(/^The result has 1500\d\d characters/) as string, isError: true },
      { summary: mended, content: mended, isError: true },
      {
        summary: 's',
        content: [
          { type: 'text', text: mended },
          { type: 'image', mediaType: 'image/png' },
        ],
      },
    ]);
  });

  test('that floods its progress is heard ten times a second, and with what it told last', async () => {
    const bus = createLocalBus();
    const clock = createVirtualClock();
    const steps: number[] = [];
    serveCompactWorker(
      bus,
      workerOf(async (_job, _desk, { progress }) => {
        for (let tokens = 0; tokens < 1000; tokens++) progress({ phase: 'p', tokens });
        await clock.advance(100);
        for (let tokens = 1000; tokens < 2000; tokens++) progress({ phase: 'p', tokens });
        throw new Error('enough');
      }),
    );
    const run = remoteWorker({ bus, clock }).run(JOB, recordingDesk(), {
      ...ignore,
      progress: ({ tokens }) => steps.push(tokens),
    });
    expect((await errorOf(run)).message).toContain('enough');
    expect(steps).toEqual([0, 1000, 1999]);
  });

  test('stops when the job is cancelled, and when its time is up', async () => {
    const bus = createLocalBus();
    const reasons: (string | undefined)[] = [];
    serveCompactWorker(
      bus,
      workerOf(async (_job, _desk, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reasons.push(PithError.is(signal.reason) ? signal.reason.code : undefined);
        throw signal.reason;
      }),
      { concurrency: 2 },
    );
    const remote = remoteWorker({ bus, clock: createVirtualClock() });
    const controller = new AbortController();
    const cancelled = errorOf(remote.run(JOB, recordingDesk(), { ...ignore, signal: controller.signal }));
    const late = errorOf(remote.run({ ...JOB, limits: { ...JOB.limits, timeoutMs: 20 } }, recordingDesk(), ignore));
    setImmediate(() => controller.abort());
    expect((await cancelled).code).toBe('PITH_BUS_CANCELLED');
    expect((await late).code).toBe('PITH_BUS_TIMEOUT');
    expect(reasons).toEqual(['PITH_BUS_CANCELLED', 'PITH_BUS_TIMEOUT']);
  });
});

describe('the errors of a worker', () => {
  const run = (worker: CompactWorker): Promise<PithError> => {
    const bus = createLocalBus();
    serveCompactWorker(bus, worker);
    return errorOf(remoteWorker({ bus, clock: createVirtualClock() }).run(JOB, recordingDesk(), ignore));
  };

  test.each(['PITH_LLM_REFUSED', 'PITH_LLM_OUTPUT_LIMIT', 'PITH_LLM_AUTH', 'PITH_WORKER_LIMIT'] as const)(
    '%s arrives as itself, with its message',
    async (code) => {
      const error = await run(failing(code));
      expect(error.code).toBe(code);
      expect(error.message).toContain('no luck');
    },
  );

  test('a rate limit arrives with when to come back (S11)', async () => {
    const error = await run(failing('PITH_LLM_RATE_LIMITED', { provider: 'p', retryAfterMs: 700 }));
    expect(error.code).toBe('PITH_LLM_RATE_LIMITED');
    expect(error.details).toMatchObject({ reason: 'rate-limited', retryAfterMs: 700 });
  });

  test.each(['PITH_KERNEL_STOPPED', 'PITH_BUS_TRANSPORT_CLOSED', 'PITH_BUS_RESPONDER_LOST'] as const)(
    '%s says that the worker goes away with the job undone: it is lost',
    async (code) => {
      expect((await run(failing(code))).code).toBe('PITH_BUS_RESPONDER_LOST');
    },
  );

  test.each(['PITH_BUS_NO_RESPONDER', 'PITH_BUS_TIMEOUT', 'PITH_OF_TOMORROW', 'toString'])(
    '%s is none that a worker can have: it is a rejection',
    async (code) => {
      expect((await run(failing(code as ErrorCode))).code).toBe('PITH_BUS_REJECTED');
    },
  );

  test('what it says of itself is bounded', async () => {
    const talkative = workerOf(() =>
      Promise.reject(new PithError('PITH_LLM_REFUSED', 'no'.repeat(1_000_000), { details: { all: 'x'.repeat(1e6) } })),
    );
    const { code, message, details } = await run(talkative);
    expect([code, message.length, details]).toEqual(['PITH_LLM_REFUSED', 1000, undefined]);
  });
});

describe('where no worker takes the job', () => {
  const waiting = (bus: Bus, waitMs: number) => {
    const clock = createVirtualClock();
    const offers: number[] = [];
    const counted: Bus = {
      ...bus,
      request(channel, body, options) {
        offers.push(clock.now());
        return bus.request(channel, body, options);
      },
    };
    const worker = remoteWorker({ bus: counted, clock, waitMs, random: () => 0.5 });
    return { clock, offers, run: () => worker.run(JOB, recordingDesk(), ignore) };
  };

  test('it ends at once, unless it is to wait', async () => {
    const { offers, run } = waiting(createLocalBus(), 0);
    expect((await errorOf(run())).code).toBe('PITH_BUS_NO_RESPONDER');
    expect(offers).toHaveLength(1);
  });

  test('it is offered again and again, more and more seldom, until there is one', async () => {
    const bus = createLocalBus();
    const { clock, offers, run } = waiting(bus, 10_000);
    const report = run();
    await clock.advance(3000);
    const pauses = offers.slice(1).map((at, nth) => at - (offers[nth] as number));
    expect(pauses.slice(0, 7)).toEqual([7.5, 15, 30, 60, 75, 75, 75]);
    serveCompactWorker(bus, done);
    await clock.advance(250);
    expect(await report).toEqual(USED);
    expect(clock.pending).toBe(0);
  });

  test('one that waits long is offered at pauses that are a share of its wait', async () => {
    const { clock, offers, run } = waiting(createLocalBus(), 100_000);
    const error = errorOf(run());
    await clock.advance(100_000);
    expect((await error).code).toBe('PITH_BUS_NO_RESPONDER');
    const first = offers[0] as number;
    const late = offers.filter((at) => at - first > 10_000).slice(0, -1);
    expect(late.length).toBeGreaterThan(100);
    late.slice(1).forEach((at, nth) => {
      const before = late[nth] as number;
      expect((at - before) / (before - first)).toBeCloseTo(0.015);
    });
  });

  test('or until the wait is over', async () => {
    const { clock, offers, run } = waiting(createLocalBus(), 1000);
    const error = errorOf(run());
    await clock.advance(1000);
    expect((await error).code).toBe('PITH_BUS_NO_RESPONDER');
    expect((offers.at(-1) as number) - (offers[0] as number)).toBe(1000);
  });

  test('a worker that is busy is waited for, too', async () => {
    const bus = createLocalBus();
    let free: () => void = () => undefined;
    const isFree = new Promise<void>((resolve) => (free = resolve));
    let begun = 0;
    serveCompactWorker(
      bus,
      workerOf(async () => {
        if (begun++ === 0) await isFree;
        return USED;
      }),
    );
    const { clock, run } = waiting(bus, 1000);
    const [first, second] = [run(), run()];
    await clock.advance(500);
    expect(begun).toBe(1);
    free();
    await clock.advance(250);
    expect(await Promise.all([first, second])).toEqual([USED, USED]);
  });

  test('one that has just become busy is given a moment to leave its place to others, also where nobody is to wait', async () => {
    const bus = createLocalBus();
    const hanging = workerOf(() => new Promise(() => undefined));
    serveCompactWorker(bus, hanging);
    const { clock, run } = waiting(bus, 0);
    const held = errorOf(run());
    const given = errorOf(run());
    await clock.advance(100);
    expect((await given).code).toBe('PITH_BUS_NO_RESPONDER');
    const found = run();
    await clock.advance(20);
    serveCompactWorker(bus, done);
    await clock.advance(80);
    expect(await found).toEqual(USED);
    expect(clock.pending).toBe(0);
    await bus.close();
    expect((await held).code).toBe('PITH_BUS_TRANSPORT_CLOSED');
  });

  test('the wait ends when the job is cancelled', async () => {
    const { clock, offers } = waiting(createLocalBus(), 1000);
    const controller = new AbortController();
    const worker = remoteWorker({ bus: createLocalBus(), clock, waitMs: 1000 });
    const run = worker.run(JOB, recordingDesk(), { ...ignore, signal: controller.signal });
    const outcome = expect(run).rejects.toThrow('over');
    await clock.settle();
    controller.abort(new Error('over'));
    await outcome;
    expect([clock.pending, offers.length]).toEqual([0, 0]);
  });
});
