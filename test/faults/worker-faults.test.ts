/** What may happen to a worker and to the way to it, with real processes: the session loses nothing, and each end has its name. */
import { commandFile } from '../cli/command';
import { endWorkers } from '../cli/worker-kit';
import { compact } from '../support/kernel';
import { describeWithNats, startNatsServer } from '../support/nats-server';
import type { NatsServer } from '../support/nats-server';
import { layCable } from './cable';
import {
  endedJobs,
  history,
  nextOffer,
  startAgent,
  startHeldModel,
  startModelWorker,
  startOfflineWorker,
  startSilentModel,
  watchLoss,
} from './pool';

const saying = (pattern: RegExp): string => expect.stringMatching(pattern) as string;

/** What the report says of a worker that was lost. */
const LOST = saying(/The job was given out once more\./);

beforeAll(() => void commandFile(), 120_000);

describeWithNats('a worker', () => {
  let server: NatsServer;
  beforeEach(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    endWorkers();
    await server.kill();
  });

  test('that is not there is found missing at once, and the offline worker serves', async () => {
    await using agent = await startAgent(server.url);
    const session = agent.open(history());
    const loss = watchLoss(session);
    const report = await compact(agent, session);
    expect(report).toMatchObject({ outcome: 'done', worker: 'offline', reason: saying(/Nobody serves/) });
    loss.nothingIsLost(report);
  });

  test('that is not there ends as worker-unavailable where there is no fallback, and changes nothing', async () => {
    await using agent = await startAgent(server.url, { fallback: 'none' });
    const session = agent.open(history());
    const loss = watchLoss(session);
    const report = await compact(agent, session);
    expect(report).toMatchObject({ outcome: 'worker-unavailable' });
    loss.nothingIsLost(report);
  });

  test('that is killed before it takes the job: the job goes to the next one', async () => {
    const first = await startOfflineWorker(server.url);
    first.child.kill('SIGSTOP');
    await using agent = await startAgent(server.url, { workerWaitSeconds: 20, fallback: 'none' });
    const session = agent.open(history());
    const loss = watchLoss(session);
    const offer = await nextOffer(server.url);
    const compacting = compact(agent, session);
    await offer.heard;
    first.child.kill('SIGKILL');
    const [report, second] = await Promise.all([compacting, startOfflineWorker(server.url)]);
    expect(report).toMatchObject({ outcome: 'done', worker: 'remote', reason: LOST });
    expect(endedJobs(second, 'done')).toBe(1);
    loss.nothingIsLost(report);
  });

  test('that is killed in the middle of a job: the same job goes to the next one, at a fresh desk', async () => {
    await using model = await startSilentModel();
    const first = await startModelWorker(server.url, model.url);
    await using agent = await startAgent(server.url, { workerWaitSeconds: 20, fallback: 'none' });
    const session = agent.open(history());
    const loss = watchLoss(session);
    const compacting = compact(agent, session);
    await model.asked;
    first.child.kill('SIGKILL');
    const [report, second] = await Promise.all([compacting, startOfflineWorker(server.url)]);
    expect(report).toMatchObject({ outcome: 'done', worker: 'remote', reason: LOST });
    const begun = (line: { readonly message: string }): boolean => line.message === 'A job began.';
    const [one, two] = [first.lines.find(begun), second.lines.find(begun)];
    expect([one?.['attempt'], two?.['attempt']]).toEqual([1, 2]);
    expect(two?.['job']).toBe(one?.['job']);
    loss.nothingIsLost(report);
  });

  test('that is killed after its result, before that was acknowledged: the result counts, once', async () => {
    await using model = await startHeldModel();
    await using cable = await layCable(server.port);
    const worker = await startModelWorker(cable.url, model.url);
    await using agent = await startAgent(server.url, { fallback: 'none', timings: { missed: 100 } });
    const session = agent.open(history());
    const loss = watchLoss(session);
    const compacting = compact(agent, session);
    await model.asked;
    // The summary is asked for at the desk, whose answer must arrive; the acknowledgement of the result must not.
    agent.kernel.bus.on('compaction.progress', ({ phase }) => {
      if (phase === 'summary') cable.hold('to the client');
    });
    model.release();
    const report = await compacting;
    worker.child.kill('SIGKILL');
    expect(report).toMatchObject({ outcome: 'done', worker: 'remote' });
    loss.nothingIsLost(report);
  });

  test('that hangs is given up after the missed heartbeats, and what it says when it wakes changes nothing', async () => {
    await using model = await startHeldModel();
    const first = await startModelWorker(server.url, model.url);
    await using agent = await startAgent(server.url, { workerWaitSeconds: 20, fallback: 'none' });
    const session = agent.open(history());
    const loss = watchLoss(session);
    const compacting = compact(agent, session);
    await model.asked;
    first.child.kill('SIGSTOP');
    await startOfflineWorker(server.url, ['--concurrency', '9']);
    const report = await compacting;
    model.release();
    first.child.kill('SIGCONT');
    await first.said('A job ended: cancelled.');
    // The job may have been offered to the one that hangs again, by the queue; then nobody took it the second time.
    expect(report.outcome === 'done' ? report.worker : report.outcome).toMatch(/^(?:remote|worker-unavailable)$/);
    loss.nothingIsLost(report);
  });

  test('stops its model within two heartbeats when its agent is gone', async () => {
    await using model = await startSilentModel();
    const worker = await startModelWorker(server.url, model.url);
    await using cable = await layCable(server.port);
    const agent = await startAgent(cable.url);
    const compacting = compact(agent, agent.open(history()));
    await model.asked;
    await cable[Symbol.asyncDispose]();
    await model.left;
    await worker.said('A job ended: cancelled.');
    await agent[Symbol.asyncDispose]();
    expect(await compacting).toMatchObject({ outcome: expect.stringMatching(/done|cancelled/) as string });
  });
});
