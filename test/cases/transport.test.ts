/** Faults of messages between processes that users of similar tools reported, by the ids of `cases.json`. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, headers } from 'nats';
import { COMPACT_POOL, createSession, defaultService, defineTool, IDS, randomIds } from '../../core';
import type { Bus, CompactionReport, PithError, Session } from '../../core';
import { connected, createNatsBus, openLink } from '../../core/bus/nats';
import type { NatsBus } from '../../core/bus/nats';
import { createScriptedModel, createTestAgent, createVirtualClock } from '../../core/testing';
import { offlineWorker, remoteWorker, serveCompactWorker } from '../../plugins/compaction';
import type { CompactJob, CompactWorker } from '../../plugins/compaction';
import { errorOf, JOB, recordingDesk, workerOf } from '../plugins/compaction/remote-kit';
import { assistant, call, prose, result, user } from '../support/context';
import { compact, start, STOCK } from '../support/kernel';
import type { Host } from '../support/kernel';
import { describeWithNats, startNatsServer } from '../support/nats-server';
import type { NatsServer } from '../support/nats-server';
import { summaryOf, USED } from '../support/worker';

const SUBJECT = 'pith.v1.job.default.default';
const HEARTBEAT_MS = 100;
const timings = { acceptMs: 1000, heartbeatMs: HEARTBEAT_MS, probeMs: 50, resendMs: 100 };
const SERVICES = [
  defaultService(COMPACT_POOL, () => ({ tenant: 'default', pool: 'default' })),
  defaultService(IDS, () => randomIds),
];
const HISTORY = [
  user('please port it'),
  ...Array.from({ length: 30 }, (_, at) => [call(`c${at}`), result(`c${at}`, prose(1000))]).flat(),
  assistant('half done'),
  user('go on'),
];
const writing = (text: string): CompactWorker =>
  workerOf(async (_job, desk, { signal }) => {
    await desk.call('write_summary', { text: summaryOf(text) }, signal);
    return USED;
  });

const open: Bus[] = [];
const processes: ChildProcess[] = [];
let server: NatsServer;

/** A bus with a connection of its own, as another process has it. */
async function joined(): Promise<NatsBus> {
  const link = await openLink({ servers: server.url, reconnectWaitMs: 20 });
  await connected(link);
  const bus = createNatsBus(link, { timings });
  open.push(bus);
  return bus;
}

/** Serves the pool from another connection; resolves when the server has heard of it. */
async function serving(worker: CompactWorker, bus?: NatsBus): Promise<NatsBus> {
  const joining = bus ?? (await joined());
  serveCompactWorker(joining, worker);
  await joining.link.flush();
  return joining;
}

const startAgent = async (config: object = {}): Promise<Host> =>
  start({ bus: await joined(), services: SERVICES, config: { compaction: { worker: 'remote', ...config } } });

const checkpoints = (session: Session): number => [...session.records()].filter(({ t }) => t === 'checkpoint').length;
const ignore = { signal: new AbortController().signal, progress: () => undefined };

describeWithNats('faults between processes', () => {
  beforeEach(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bus) => bus.close()));
    for (const child of processes.splice(0)) child.kill('SIGKILL');
    await server.stop();
  });

  test('C49: no worker is known at once as such, the turn is answered, and the next job goes to the worker that came', async () => {
    const model = createScriptedModel({
      script: ({ last }) => (last.startsWith('loop') ? { text: 'Looking.', calls: [{ name: 'look' }] } : prose(600)),
    });
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: {},
      kind: 'read',
      run: () => ({ summary: 'Looked.', content: prose(6000) }),
    });
    await using host = await createTestAgent({
      bus: await joined(),
      services: SERVICES,
      plugins: STOCK,
      config: {
        compaction: {
          worker: 'remote',
          compactThreshold: 8000,
          compactRequestThreshold: 10_000,
          retainedTokens: 2000,
          background: false,
        },
        prune: { minSavings: 1_000_000 },
      },
      model,
      tools: [look],
    });
    const conversation = await host.agent.open();
    const send = (text: string): Promise<{ outcome: string }> => conversation.send(`${text} ${prose(700)}`).outcome;
    const begun = host.clock.now();
    while (host.events('compaction.done').length === 0)
      expect(await send('Go on.')).toMatchObject({ outcome: 'finished' });
    while (host.events('compaction.done').every(({ trigger }) => trigger !== 'request'))
      expect(await send('loop')).toMatchObject({ outcome: 'finished' });
    const served = host.events('compaction.done');
    expect(new Set(served.map(({ trigger }) => trigger))).toEqual(new Set(['post_run', 'request']));
    for (const { worker, reason } of served) {
      expect(worker).toBe('offline');
      expect(reason).toMatch(/^The worker "remote" failed: Nobody serves "job\.default\.default"/);
    }
    expect([host.clock.now() - begun, host.clock.pending]).toEqual([0, 0]);

    await serving(writing('Going on.'));
    while (host.events('compaction.done').length === served.length) await send('Go on.');
    expect(host.events('compaction.done').at(-1)).toMatchObject({ outcome: 'done', worker: 'remote' });
  });

  describe('C51: a worker is lost between request and reply', () => {
    /** A process that takes a job and does nothing more for it than to say that it lives. */
    async function hanging(lives: boolean): Promise<{ taken: Promise<string>; kill(): Promise<void> }> {
      const script = `
        const { connect, headers } = require('nats');
        connect({ servers: ${JSON.stringify(server.url)}, name: 'hanging' }).then((nc) => {
          const frame = (type) => { const head = headers(); head.set('Pith-Type', type); return head; };
          const text = (value) => Buffer.from(JSON.stringify(value));
          nc.subscribe(${JSON.stringify(SUBJECT)}, { queue: 'pith-compact', callback(_, offer) {
            nc.publish(offer.reply, text({ worker: 'hanging', heartbeatMs: ${HEARTBEAT_MS} }), { headers: frame('accepted') });
            console.log('took ' + offer.headers.get('Pith-Job') + ' ' + offer.headers.get('Pith-Attempt'));
            if (${lives}) setInterval(() => nc.request(offer.reply, text({}), { headers: frame('heartbeat'), timeout: 1000 }).catch(() => undefined), ${HEARTBEAT_MS});
          } });
          nc.subscribe('pith.v1.ctl.hanging.probe', { callback: (_, probe) => ${lives} && probe.respond(text({ known: true })) });
          nc.flush().then(() => console.log('ready'));
        });`;
      const child = spawn(process.execPath, ['-e', script], {
        cwd: process.cwd(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      processes.push(child);
      const said = (pattern: RegExp): Promise<string> =>
        new Promise((resolve) => {
          child.stdout.on('data', (data: Buffer) => {
            const [found] = pattern.exec(data.toString()) ?? [];
            if (found !== undefined) resolve(found);
          });
        });
      const taken = said(/took .*/);
      await said(/ready/);
      return {
        taken,
        async kill() {
          const exit = once(child, 'exit');
          child.kill('SIGKILL');
          await exit;
        },
      };
    }

    test('C51: killed, its job is given out once more under the same id, and one summary is applied', async () => {
      await using host = await startAgent({ fallback: 'none' });
      const { taken, kill } = await hanging(true);
      const session = host.open(HISTORY);
      const report = compact(host, session);
      const [, id, attempt] = (await taken).split(' ');
      const seen: unknown[] = [];
      await serving(
        workerOf((job, desk, options) => {
          seen.push(job.id, options.attempt);
          return writing('The second one.').run(job, desk, options);
        }),
      );
      await kill();
      expect(await report).toMatchObject({ outcome: 'done', worker: 'remote', id });
      expect([attempt, ...seen]).toEqual(['1', id, 2]);
      expect([checkpoints(session), host.clock.pending]).toEqual([1, 0]);
    });

    test.each([
      [
        'says no more, the fallback serves after a second attempt',
        false,
        /given out once more\..* The offline worker served/,
        180,
      ],
      ['lives and never answers, the fallback serves when its time is up', true, /did not end within 0.5 s/, 0.5],
    ])('C51: one that takes the job and %s', async (_, lives, reason, workerTimeoutSeconds) => {
      await using host = await startAgent({ workerTimeoutSeconds });
      await hanging(lives);
      const session = host.open(HISTORY);
      const report = await compact(host, session);
      expect(report).toMatchObject({ outcome: 'done', worker: 'offline' });
      expect(report.reason).toMatch(reason);
      expect([checkpoints(session), host.clock.pending]).toEqual([1, 0]);
    });

    test('C51: the server starts anew meanwhile: the work goes on or is done again, and is applied once', async () => {
      await using host = await startAgent();
      let runs = 0;
      await serving(
        workerOf(async (_job, desk, { signal }) => {
          if (runs++ === 0) await server.restart();
          await desk.call('write_summary', { text: summaryOf('It was ported in part.') }, signal);
          return USED;
        }),
      );
      const session = host.open(HISTORY);
      expect(await compact(host, session)).toMatchObject({ outcome: 'done' });
      expect([checkpoints(session), host.clock.pending]).toEqual([1, 0]);
    });

    test('C51: a worker in this process that never settles is left behind when its time is up', async () => {
      await using host = await start({
        bus: await joined(),
        services: SERVICES,
        config: { compaction: { worker: 'remote', workerTimeoutSeconds: 0.2 } },
      });
      await serving(workerOf(() => new Promise(() => undefined)));
      const session = host.open(HISTORY);
      expect(await compact(host, session)).toMatchObject({ outcome: 'done', worker: 'offline' });
      expect([checkpoints(session), host.clock.pending]).toEqual([1, 0]);
    });
  });

  test('C52: what is malformed, throws or rejects gets a typed reply, and the next job is served', async () => {
    let runs = 0;
    await serving(
      workerOf((job, desk, options) => {
        runs++;
        if (runs === 1) throw new Error('at once');
        if (runs === 2) return new Promise((_, reject) => setImmediate(() => reject(new Error('later'))));
        return offlineWorker.run(job, desk, options);
      }),
    );
    const nc = await connect({ servers: server.url });
    const head = headers();
    head.set('Pith-Major', '1');
    head.set('Pith-Job', 'job-0');
    head.set('Pith-Attempt', '1');
    const refusal = await nc.request(SUBJECT, Buffer.from('{"id": not json'), { headers: head, timeout: 5000 });
    expect(refusal.headers?.get('Nats-Service-Error-Code')).toBe('422');
    expect(refusal.json()).toMatchObject({ code: 'PITH_BUS_BAD_MESSAGE' });
    await nc.close();

    await using host = await startAgent({ fallback: 'none' });
    const reports: CompactionReport[] = [];
    for (let n = 0; n < 3; n++) reports.push(await compact(host, host.open(HISTORY)));
    expect(reports.map(({ outcome }) => outcome)).toEqual(['worker-failed', 'worker-failed', 'done']);
    expect(reports.map(({ reason = '' }) => reason)).toEqual([
      expect.stringContaining('at once'),
      expect.stringContaining('later'),
      '',
    ]);
  });

  describe('X38: several workers', () => {
    const counting = (jobs: string[]): CompactWorker =>
      workerOf((job, desk, options) => {
        jobs.push(job.id);
        return writing('Done by one.').run(job, desk, options);
      });

    test('X38: each job is done by one of them', async () => {
      const jobs: string[] = [];
      for (let n = 0; n < 3; n++) await serving(counting(jobs));
      await using host = await startAgent({ fallback: 'none', workerWaitSeconds: 60 });
      const reports = Promise.all(Array.from({ length: 10 }, () => compact(host, host.open(HISTORY))));
      let isDone = false;
      void reports.finally(() => (isDone = true));
      while (!isDone) await host.clock.advance(50);
      expect((await reports).map(({ outcome, worker }) => `${outcome} by ${worker}`)).toEqual(
        Array(10).fill('done by remote'),
      );
      expect(jobs).toHaveLength(10);
      expect(new Set(jobs).size).toBe(10);
    });

    test('X38: an agent that serves on its own connection does its own job and does not wait for itself', async () => {
      const jobs: string[] = [];
      const bus = await joined();
      await serving(counting(jobs), bus);
      await using host = await start({
        bus,
        services: SERVICES,
        config: { compaction: { worker: 'remote', fallback: 'none' } },
      });
      expect(await compact(host, host.open(HISTORY))).toMatchObject({ outcome: 'done', worker: 'remote' });
      expect(jobs).toHaveLength(1);
    });
  });

  test('X39: sessions of any name are served each with its own, and no name is part of a subject', async () => {
    const ids = ['a b', 'a_b', 'x.*', 'x.y', 'a.>', '..', '.', '', 'sitzung-ü-漢字', 'x'.repeat(300), '*', 'a\r\nb'];
    await using host = await startAgent({ fallback: 'none' });
    const { kernel } = host;
    const seen: string[] = [];
    await serving(
      workerOf(async (job, desk, { signal }) => {
        seen.push(job.sessionId);
        const page = await desk.call('read_history', { from: 0, limit: 1, detail: 'full' }, signal);
        const [sentinel = 'none'] = /SENTINEL-\d+/.exec(JSON.stringify(page)) ?? [];
        await desk.call('write_summary', { text: summaryOf(`${sentinel} is what was said.`) }, signal);
        return USED;
      }),
    );
    for (const [n, id] of ids.entries()) {
      const session = createSession({ id, now: () => 0, services: (one) => kernel.scope(one) });
      session.append([user(`SENTINEL-${n}`), ...HISTORY]);
      const report = await compact(host, session);
      expect(report.summary?.text).toContain(`SENTINEL-${n} is`);
    }
    expect(seen).toEqual(ids);
  });

  describe('X40: errors and values across processes', () => {
    test('X40: name, message and code of an error arrive', async () => {
      await serving(
        workerOf(() => {
          const cause = new Error('no space');
          throw Object.assign(new Error('the disk is full', { cause }), { name: 'DiskError', code: 'ENOSPC' });
        }),
      );
      const remote = remoteWorker({ bus: await joined(), clock: createVirtualClock() });
      const error = await errorOf(remote.run(JOB, recordingDesk(), ignore));
      expect(error).toMatchObject({ code: 'PITH_RUN_FAILED', details: { name: 'DiskError', code: 'ENOSPC' } });
      expect(error.message).toContain('the disk is full');
    });

    test('X40: names of fields mean nothing to who carries them', async () => {
      const args = {
        response: 1,
        err: { code: 'PITH_BUS_TIMEOUT', message: 'x' },
        isDisposed: true,
        error: null,
        'Pith-Type': 'error',
        then: 'x',
        toJSON: 'x',
        text: 'ünï 漢 \u0000 \ud83d\ude00',
        n: [0, -1.5, 1e300],
      };
      const answer = { summary: 'error', content: JSON.stringify({ code: 'PITH_BUS_REJECTED' }) };
      const answers: unknown[] = [];
      await serving(
        workerOf(async (_job, desk, { signal }) => {
          answers.push(await desk.call('read_file', args, signal));
          return USED;
        }),
      );
      const desk = recordingDesk(answer);
      const remote = remoteWorker({ bus: await joined(), clock: createVirtualClock() });
      expect(await remote.run(JOB, desk, ignore)).toEqual(USED);
      expect([desk.asked, answers]).toEqual([[['read_file', args]], [answer]]);
    });

    test('X40: what cannot cross is refused where it is sent, with its place', async () => {
      const deep = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) as unknown;
      const values = [[undefined], new Date(), 7n, new Uint8Array(2), 'a \ud800', deep, () => 1];
      const errors: PithError[] = [];
      await serving(
        workerOf(async (_job, desk, { signal }) => {
          for (const value of values)
            errors.push(await errorOf(desk.call('read_file', { path: { inner: value } }, signal)));
          return USED;
        }),
      );
      const desk = recordingDesk();
      const remote = remoteWorker({ bus: await joined(), clock: createVirtualClock() });
      expect(await remote.run(JOB, desk, ignore)).toEqual(USED);
      expect(desk.asked).toEqual([]);
      for (const { code, message } of errors) {
        expect(code).toBe('PITH_BUS_BAD_MESSAGE');
        expect(message).toContain('args.path.inner');
      }
    });

    test('X40: a job that cannot cross is refused before it is sent', async () => {
      await serving(writing('x'));
      const remote = remoteWorker({ bus: await joined(), clock: createVirtualClock() });
      for (const wrong of [
        { overview: 'a \ud800' },
        { range: { from: 0n, to: 3 } },
        { defaultReferences: [new Date()] },
      ]) {
        const error = await errorOf(remote.run({ ...JOB, ...wrong } as CompactJob, recordingDesk(), ignore));
        expect([error.code, Object.keys(wrong).some((key) => error.message.includes(key))]).toEqual([
          'PITH_BUS_BAD_MESSAGE',
          true,
        ]);
      }
    });
  });
});
