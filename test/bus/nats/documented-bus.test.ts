/** A compaction over our own transport, with each of the documented server configurations as it is written. */
import { findServices } from '../../../core/bus/nats/discovery';
import { answerDiscovery } from '../../../core/bus/nats/micro';
import { askingWorker, errorOf, recordingDesk, workerOf } from '../../plugins/compaction/remote-kit';
import { describeWithNats, type NatsServer } from '../../support/nats-server';
import { certificate, tenants, tlsNkeys, userPassword } from './documented-configs';
import { documentedServer } from './documented-server';
import { joined, offer, serving } from './parties';

const cert = certificate();
afterAll(() => cert[Symbol.dispose]());

for (const config of [userPassword(), tlsNkeys(cert), tenants()])
  describeWithNats(`a compaction with ${config.file}`, () => {
    let server: NatsServer;
    beforeAll(async () => {
      server = await documentedServer(config);
    });

    it('is done by a worker in another place, which can be found, with no right missing on the way', async () => {
      await using agent = await joined(server, config.agent);
      await using worker = await joined(server, config.worker);
      await using monitor = await joined(server, config.monitor);
      await serving(worker, config.job, askingWorker('read_file', { path: 'src/a.ts' }));
      const { name } = worker.link;
      const endpoint = { name: 'compact', subject: config.job, queue: 'pith-compact' };
      const identity = { id: name, name: 'pith-compact', version: '1.0.0', description: '', metadata: {}, endpoint };
      const stats = { requests: 0, errors: 0, lastError: undefined, ended: 0, processingMs: 0, data: {} };
      answerDiscovery(worker.link, identity, () => stats);
      await worker.link.flush();

      const desk = recordingDesk();
      await offer(agent, config.job, { desk });
      expect(desk.asked).toEqual([['read_file', { path: 'src/a.ts' }]]);
      expect(await findServices(monitor.link, 'pith-compact')).toMatchObject([{ id: name }]);
      for (const { denied, faults } of [agent, worker, monitor]) expect([denied, faults]).toEqual([[], []]);
    });

    it('is stopped at the worker when the agent gives it up', async () => {
      await using agent = await joined(server, config.agent);
      await using worker = await joined(server, config.worker);
      const control = new AbortController();
      const stopped = new Promise<void>((resolve) => {
        const untilStopped = workerOf((_job, _desk, { signal }) => {
          control.abort();
          return new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              resolve();
              reject(signal.reason as Error);
            }),
          );
        });
        void serving(worker, config.job, untilStopped);
      });
      await worker.link.flush();
      expect((await errorOf(offer(agent, config.job, { signal: control.signal }))).code).toBe('PITH_BUS_CANCELLED');
      await stopped;
      expect([agent.denied, worker.denied]).toEqual([[], []]);
    });

    it('of another pool or tenant is denied at once', async () => {
      await using agent = await joined(server, config.agent);
      const { code, details } = await errorOf(offer(agent, config.otherJob));
      expect([code, details?.['subject']]).toEqual(['PITH_BUS_DENIED', config.otherJob]);
    });

    it('finds nobody where no worker serves, across accounts after a while', async () => {
      await using agent = await joined(server, config.agent);
      const { code, details } = await errorOf(offer(agent, config.job));
      const acrossAccounts = ['PITH_BUS_RESPONDER_LOST', 'offered'];
      expect([code, details?.['stage']]).toEqual(
        config.file === 'tenants.conf' ? acrossAccounts : ['PITH_BUS_NO_RESPONDER', undefined],
      );
    });
  });
