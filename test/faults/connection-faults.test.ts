/** What may happen to the server and to the network between an agent and its pool: the session loses nothing. */
import { commandFile } from '../cli/command';
import { endWorkers } from '../cli/worker-kit';
import { compact } from '../support/kernel';
import type { Host } from '../support/kernel';
import { describeWithNats, startNatsServer } from '../support/nats-server';
import type { NatsServer } from '../support/nats-server';
import { layCable } from './cable';
import {
  connectedAgain,
  endedJobs,
  history,
  startAgent,
  startHeldModel,
  startModelWorker,
  startOfflineWorker,
  watchLoss,
} from './pool';

/** As many heartbeats as there are in a restart of a server. */
const PATIENT = { timings: { missed: 100 }, fallback: 'none' } as const;
/** Milliseconds for which a network is away. */
const CUT_MS = 10_000;

beforeAll(() => void commandFile(), 120_000);

describeWithNats('a server', () => {
  let server: NatsServer;
  beforeEach(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    endWorkers();
    await server.kill();
  });

  test('that is started anew in the middle of a job: the job goes on where it was, and is done once', async () => {
    await using model = await startHeldModel();
    const worker = await startModelWorker(server.url, model.url);
    await using agent = await startAgent(server.url, PATIENT);
    const session = agent.open(history());
    const loss = watchLoss(session);
    const compacting = compact(agent, session);
    await model.asked;
    await server.restart();
    await connectedAgain(agent);
    model.release();
    const report = await compacting;
    expect(report).toMatchObject({ outcome: 'done', worker: 'remote' });
    expect(report.reason).toBeUndefined();
    await worker.said('A job ended: done.');
    loss.nothingIsLost(report);
  });

  test('that is away when the worker is done: what was not heard is said again, and counts once', async () => {
    await using model = await startHeldModel();
    const worker = await startModelWorker(server.url, model.url);
    await using agent = await startAgent(server.url, PATIENT);
    const session = agent.open(history());
    const loss = watchLoss(session);
    const compacting = compact(agent, session);
    await model.asked;
    await server.kill();
    model.release();
    await worker.said(/^lost the connection/);
    await server.restart();
    const report = await compacting;
    expect(report).toMatchObject({ outcome: 'done', worker: 'remote' });
    await worker.said('A job ended: done.');
    expect(endedJobs(worker, 'done')).toBe(1);
    loss.nothingIsLost(report);
  });

  test('that is not there at the start keeps nobody waiting; as soon as it is, its workers serve', async () => {
    const { url } = server;
    await server.kill();
    await using agent = await startAgent(url, { unconnected: true });
    const session = agent.open(history());
    const loss = watchLoss(session);
    const report = await compact(agent, session);
    expect(report).toMatchObject({ outcome: 'done', worker: 'offline' });
    loss.nothingIsLost(report);
    await server.restart();
    await Promise.all([startOfflineWorker(url), connectedAgain(agent)]);
    expect(await compact(agent, agent.open(history()))).toMatchObject({ outcome: 'done', worker: 'remote' });
  });
});

describeWithNats('a network that is away for ten seconds', () => {
  let server: NatsServer;
  beforeEach(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    endWorkers();
    await server.kill();
  });

  async function afterwards(agent: Host): Promise<void> {
    const session = agent.open(history());
    const loss = watchLoss(session);
    const report = await compact(agent, session);
    expect(report).toMatchObject({ outcome: 'done', worker: 'remote' });
    loss.nothingIsLost(report);
  }

  test('on the side of the agent: the offline worker serves, and the next job is done by the pool', async () => {
    await using model = await startHeldModel();
    const worker = await startModelWorker(server.url, model.url);
    await using cable = await layCable(server.port);
    await using agent = await startAgent(cable.url);
    const session = agent.open(history());
    const loss = watchLoss(session);
    const compacting = compact(agent, session);
    await model.asked;
    const isBack = away(cable);
    const report = await compacting;
    expect(report).toMatchObject({ outcome: 'done', worker: 'offline' });
    loss.nothingIsLost(report);
    await worker.said(/A job ended: cancelled/);
    model.release();
    await isBack;
    await afterwards(agent);
    loss.nothingIsLost(report);
  });

  test('on the side of the worker: another one serves, and it takes jobs again when it is back', async () => {
    await using model = await startHeldModel();
    await using cable = await layCable(server.port);
    const worker = await startModelWorker(cable.url, model.url);
    await using agent = await startAgent(server.url, { workerWaitSeconds: 20 });
    const session = agent.open(history());
    const loss = watchLoss(session);
    const compacting = compact(agent, session);
    await model.asked;
    const isBack = away(cable);
    const other = await startOfflineWorker(server.url);
    const report = await compacting;
    expect(report.outcome).toBe('done');
    loss.nothingIsLost(report);
    await worker.said(/A job ended: cancelled/);
    model.release();
    await isBack;
    other.child.kill('SIGTERM');
    await other.ended;
    await afterwards(agent);
  });
});

function away(cable: { hold(): void; mend(): void }): Promise<void> {
  cable.hold();
  return new Promise((resolve) =>
    setTimeout(() => {
      cable.mend();
      resolve();
    }, CUT_MS),
  );
}
