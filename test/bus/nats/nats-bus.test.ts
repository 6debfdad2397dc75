import { createNatsBus } from '../../../core/bus/nats';
import type { BusPair } from '../../../core/testing/bus-contract';
import { busContract } from '../../../core/testing/bus-contract';
import { connected, openLink } from '../../../core/bus/nats/link';
import { describeWithNats, startNatsServer } from '../../support/nats-server';
import type { NatsServer } from '../../support/nats-server';

describeWithNats('the contract of the bus, over NATS', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer();
  });

  async function openBus() {
    const link = await openLink({ servers: server.url });
    await connected(link);
    return createNatsBus(link, { report: () => undefined });
  }

  async function twoProcesses(): Promise<BusPair> {
    const [requester, responder] = await Promise.all([openBus(), openBus()]);
    return {
      requester,
      responder,
      async settled() {
        for (const { link } of [requester, responder, requester]) await link.flush();
      },
    };
  }

  async function oneProcess(): Promise<BusPair> {
    const bus = await openBus();
    return { requester: bus, responder: bus, settled: () => bus.link.flush() };
  }

  describe('between two processes', () => {
    test.each([...busContract({ create: twoProcesses })])('$name', ({ run }) => run());
  });
  describe('within one process', () => {
    test.each([...busContract({ create: oneProcess })])('$name', ({ run }) => run());
  });
});
