/** A pool whose workers are replaced one by one while it works. */
import type { CompactionReport } from '../../core';
import { commandFile } from '../cli/command';
import { endWorkers } from '../cli/worker-kit';
import { compact } from '../support/kernel';
import { describeWithNats, startNatsServer } from '../support/nats-server';
import { endedJobs, history, startAgent, startOfflineWorker, watchLoss } from './pool';

const JOBS = 100;
/** Jobs of the agent at once. */
const AT_ONCE = 4;

beforeAll(() => void commandFile(), 120_000);
afterEach(endWorkers);

describeWithNats('a rolling restart of the pool', () => {
  test('under a hundred jobs loses none: each is done by a worker, once, and no worker ends badly', async () => {
    const server = await startNatsServer();
    const start = (n: number) => startOfflineWorker(server.url, ['--name', `worker-${n}`, '--concurrency', '2']);
    const workers = await Promise.all([1, 2, 3].map(start));
    await using agent = await startAgent(server.url, { workerWaitSeconds: 60, fallback: 'none' });
    const reports: CompactionReport[] = [];
    let begun = 0;
    async function work(): Promise<void> {
      while (begun < JOBS) {
        const session = agent.open(history(`port part ${begun++}`));
        const loss = watchLoss(session);
        const report = await compact(agent, session);
        loss.nothingIsLost(report);
        reports.push(report);
      }
    }
    async function replace(): Promise<void> {
      for (let n = 4; n <= 6; n++) {
        workers.push(await start(n));
        const old = workers[n - 4];
        old?.child.kill('SIGTERM');
        expect(await old?.ended).toBe(0);
      }
    }
    await Promise.all([replace(), ...Array.from({ length: AT_ONCE }, work)]);
    expect(reports).toHaveLength(JOBS);
    const odd = reports.filter(({ outcome, worker, reason }) => outcome !== 'done' || worker !== 'remote' || reason);
    expect(odd).toEqual([]);
    expect(workers.reduce((sum, worker) => sum + endedJobs(worker, 'done'), 0)).toBe(JOBS);
  }, 240_000);
});
