import { createNatsBus, openLink } from '../../../core/bus/nats';
import type { NatsBus } from '../../../core/bus/nats';
import type { ObserverFault } from '../../../core/bus/observers';
import { ask, CHANNEL, fails, gate, serve, SOON, submit, work } from '../../../core/testing/bus-channel';
import { closeTestLinks } from '../../support/links';
import { describeWithNats, startNatsServer } from '../../support/nats-server';
import type { NatsServer } from '../../support/nats-server';
import { BRISK, openBus } from './raw-wire';

/** A server whose only user may do so much. */
function permitting(permissions: string): Promise<NatsServer> {
  return startNatsServer({
    config: `authorization: { users: [ { user: u, password: p, permissions: { ${permissions} } } ] }`,
  });
}

const asUser = ({ url }: NatsServer): string => url.replace('://', '://u:p@');

describeWithNats('a bus over NATS', () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
  beforeAll(() => void process.on('unhandledRejection', onUnhandled));
  afterAll(() => void process.off('unhandledRejection', onUnhandled));
  afterEach(async () => {
    await closeTestLinks();
    await new Promise(setImmediate);
    expect(unhandled).toEqual([]);
  });

  describe('where the server does not permit', () => {
    it('to ask: the requests that need it fail with PITH_BUS_DENIED, no other', async () => {
      const server = await permitting('publish: { allow: ["pith.v1.open.>", "_INBOX.>"] }');
      const bus = await openBus(asUser(server));
      const free = gate();
      bus.serve({ ...CHANNEL, subject: 'open.one' }, async ({ n }) => {
        await free.opened;
        return { n };
      });
      await bus.link.flush();
      const permitted = bus.request({ ...CHANNEL, subject: 'open.one' }, { n: 1 }, { deadlineMs: SOON });
      const { details } = await fails(ask(bus, 1), 'PITH_BUS_DENIED');
      expect(details).toMatchObject({ subject: 'pith.v1.contract.double' });
      await fails(submit(bus, 1), 'PITH_BUS_DENIED');
      free.open();
      expect(await permitted).toEqual({ n: 1 });
    });

    it('to hear replies: requests fail at once, and also later ones, until another server permits it', async () => {
      const server = await permitting('subscribe: { deny: ["_INBOX.>"] }');
      const bus = await openBus(asUser(server));
      serve(bus, async ({ n }) => ({ n }));
      await fails(ask(bus, 1), 'PITH_BUS_DENIED');
      await fails(ask(bus, 2), 'PITH_BUS_DENIED');
      await fails(submit(bus, 3), 'PITH_BUS_DENIED');
      const back = new Promise<void>((resolve) => bus.link.on(({ type }) => type === 'reconnected' && resolve()));
      await server.restart('authorization: { users: [ { user: u, password: p } ] }');
      await back;
      await bus.link.flush();
      expect((await ask(bus, 4)).n).toBe(4);
    });

    it('to serve: that is reported', async () => {
      const server = await permitting('subscribe: { deny: ["pith.v1.contract.double"] }');
      const told = gate<ObserverFault>();
      const bus = await openBus(asUser(server), { report: told.open });
      serve(bus, async ({ n }) => ({ n }));
      expect(await told.opened).toMatchObject({ name: CHANNEL.subject, error: { code: 'PITH_BUS_DENIED' } });
    });

    it('a worker to answer, or to hear what is answered: it gives up the job, and serves on', async () => {
      const server = await startNatsServer({
        config: `authorization: { users: [ { user: a, password: p },
          { user: mute, password: p, permissions: { publish: { deny: ["_INBOX.>"] } } },
          { user: deaf, password: p, permissions: { subscribe: { deny: ["_INBOX.>"] } } } ] }`,
      });
      const requester = await openBus(server.url.replace('://', '://a:p@'), { timings: { ...BRISK, acceptMs: 200 } });
      for (const user of ['mute', 'deaf']) {
        const worker = await openBus(server.url.replace('://', `://${user}:p@`));
        const ended: string[] = [];
        work(worker, async ({ n }, call) => {
          ended.push((await fails(call.ask({ n }), 'PITH_BUS_DENIED')).code);
          return { n };
        });
        await worker.link.flush();
        for (const n of [1, 2]) await fails(submit(requester, n), 'PITH_BUS_RESPONDER_LOST');
        expect(ended).toEqual(['PITH_BUS_DENIED', 'PITH_BUS_DENIED']);
        await worker.close();
      }
    });
  });

  describe('without a connection', () => {
    it('a request fails at once with PITH_BUS_NO_RESPONDER and says why; what is served is so when it is there', async () => {
      const server = await startNatsServer();
      const link = await openLink({ servers: server.url, reconnectWaitMs: 20 });
      const bus = createNatsBus(link);
      serve(bus, async ({ n }) => ({ n }));
      for (const request of [ask(bus, 1), submit(bus, 1)])
        expect((await fails(request, 'PITH_BUS_NO_RESPONDER')).details).toMatchObject({ connected: false });
      await new Promise<void>((resolve) => link.on(({ type }) => type === 'connected' && resolve()));
      await link.flush();
      expect((await ask(bus, 2)).n).toBe(2);
      await bus.close();
    });

    it('a job outlives a restart of the server, and its result that came meanwhile is not lost', async () => {
      const server = await startNatsServer();
      const [requester, worker] = await Promise.all([openBus(server.url), openBus(server.url)]);
      const [begun, free, done] = [gate(), gate(), gate()];
      let answered = 0;
      work(worker, async ({ n }, call) => {
        begun.open();
        await free.opened;
        const answers = await Promise.all([call.ask({ n }), call.ask({ n: n + 1 })]);
        done.open();
        return { n: answers.reduce((sum, answer) => sum + answer.n, 0) };
      });
      await worker.link.flush();
      const reply = submit(requester, 5, { onAsk: async ({ n }) => ({ n: n * ++answered }) });
      await begun.opened;
      await server.kill();
      free.open();
      await server.restart();
      await done.opened;
      await server.kill();
      await server.restart();
      expect(await reply).toEqual({ n: 5 * 1 + 6 * 2 });
      expect(answered).toBe(2);
    });
  });

  describe('that is closed', () => {
    async function busy(): Promise<{ bus: NatsBus; open: Promise<unknown>; served: Promise<string> }> {
      const server = await startNatsServer();
      const bus = await openBus(server.url);
      const [begun, served] = [gate(), gate<string>()];
      work(bus, (_, { signal }) => {
        begun.open();
        signal.addEventListener('abort', () => served.open((signal.reason as { code: string }).code));
        return new Promise(() => undefined);
      });
      await bus.link.flush();
      const open = fails(submit(bus, 1), 'PITH_BUS_TRANSPORT_CLOSED');
      await begun.opened;
      return { bus, open, served: served.opened };
    }

    it('closes its link, and ends what it asked and what it served', async () => {
      const { bus, open, served } = await busy();
      await bus.close();
      await open;
      expect(await served).toBe('PITH_BUS_TRANSPORT_CLOSED');
      expect(bus.link.isClosed).toBe(true);
    });

    it('is so, too, when its link is closed', async () => {
      const { bus, open, served } = await busy();
      await bus.link.close();
      await open;
      expect(await served).toBe('PITH_BUS_TRANSPORT_CLOSED');
      await fails(ask(bus, 1), 'PITH_BUS_TRANSPORT_CLOSED');
    });

    it('does not let a full responder that becomes free ask for more', async () => {
      const server = await startNatsServer();
      const bus = await openBus(server.url);
      const [begun, free] = [gate(), gate()];
      work(
        bus,
        async ({ n }) => {
          begun.open();
          await free.opened;
          return { n };
        },
        { concurrency: 1, whenFull: 'refuse' },
      );
      await bus.link.flush();
      const open = fails(submit(bus, 1), 'PITH_BUS_TRANSPORT_CLOSED');
      await begun.opened;
      await bus.close();
      await open;
      free.open();
    });
  });

  it('loses no request when one of its responders is disposed, or its process closes', async () => {
    const server = await startNatsServer();
    const [requester, one, two] = await Promise.all([1, 2, 3].map(() => openBus(server.url)));
    if (requester === undefined || one === undefined || two === undefined) throw new Error('no bus');
    const [first] = [one, two].map((bus) => serve(bus, async ({ n }) => ({ n })));
    await Promise.all([one.link.flush(), two.link.flush()]);
    const outcomes = (from: number) =>
      Array.from({ length: 50 }, (_, n) =>
        ask(requester, from + n).then(
          () => 'answered',
          (thrown: unknown) => (thrown as { code: string }).code,
        ),
      );
    const disposing = outcomes(0);
    await requester.link.flush();
    await first?.[Symbol.asyncDispose]();
    expect(new Set(await Promise.all(disposing))).toEqual(new Set(['answered']));
    const closing = outcomes(50);
    await two.close();
    const permitted = ['answered', 'PITH_BUS_NO_RESPONDER', 'PITH_BUS_RESPONDER_LOST'];
    expect((await Promise.all(closing)).filter((outcome) => !permitted.includes(outcome))).toEqual([]);
  });

  it('has a namespace of one token, and hears nothing of others', async () => {
    const server = await startNatsServer();
    const [one, two] = await Promise.all(['one', 'two'].map((namespace) => openBus(server.url, { namespace })));
    if (one === undefined || two === undefined) throw new Error('no bus');
    serve(one, async ({ n }) => ({ n }));
    await one.link.flush();
    await fails(ask(two, 1), 'PITH_BUS_NO_RESPONDER');
    expect((await ask(one, 1)).n).toBe(1);
    for (const namespace of ['a.b', '', '>']) expect(() => createNatsBus(one.link, { namespace })).toThrow('namespace');
  });

  it('shares the requests of a service among processes, and each is served once', async () => {
    const server = await startNatsServer();
    const [requester, ...responders] = await Promise.all([1, 2, 3].map(() => openBus(server.url)));
    const served: number[] = [];
    for (const bus of responders) serve(bus, async ({ n }) => ({ n: served.push(n) }));
    await Promise.all(responders.map(({ link }) => link.flush()));
    await Promise.all(Array.from({ length: 20 }, (_, n) => ask(requester as NatsBus, n)));
    expect([...served].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });
});
