/** Discovery of micro services: the library's own client and service are the other side. */
import { connect, JSONCodec, RequestStrategy } from 'nats';
import type { NatsConnection, QueuedIterator } from 'nats';
import { connected, openLink } from '../../../core/bus/nats';
import type { Link, LinkOptions } from '../../../core/bus/nats';
import { findServices } from '../../../core/bus/nats/discovery';
import { answerDiscovery } from '../../../core/bus/nats/micro';
import type { MicroService, MicroStats } from '../../../core/bus/nats/micro';
import { describeWithNats, startNatsServer } from '../../support/nats-server';
import type { NatsServer } from '../../support/nats-server';

const SERVICE: MicroService = {
  id: 'worker-1',
  name: 'pith-compact',
  version: '1.2.3',
  description: 'Writes summaries.',
  metadata: { majors: '1', model: 'local-model', capacity: '4' },
  endpoint: { name: 'compact', subject: 'pith.v1.job.default.default', queue: 'pith-compact' },
};
const STATS: MicroStats = {
  requests: 5,
  errors: 1,
  lastError: 'PITH_LLM_TRANSPORT',
  ended: 4,
  processingMs: 10_000.5,
  data: { capacity: 4, inflight: 1 },
};
/** Silence after which nobody else answers; answers come within a millisecond or so. */
const QUICK = { silenceMs: 150, waitMs: 5000 };
const ASKING = { strategy: RequestStrategy.JitterTimer, maxWait: 5000, jitter: 150 };
const json = JSONCodec<unknown>();

describeWithNats('discovery of micro services', () => {
  let server: NatsServer;
  let nc: NatsConnection;
  const links: Link[] = [];
  beforeEach(async () => {
    server = await startNatsServer();
    nc = await connect({ servers: server.url, reconnect: false });
  });
  afterEach(async () => {
    for (const link of links.splice(0)) await link.close();
    await nc.close();
    await server.kill();
  });

  async function linked(options: Partial<LinkOptions> = {}): Promise<Link> {
    const link = await openLink({ servers: server.url, ...options });
    links.push(link);
    await connected(link);
    return link;
  }

  async function serving(service: Partial<MicroService> = {}, stats: () => MicroStats = () => STATS): Promise<Link> {
    const link = await linked();
    answerDiscovery(link, { ...SERVICE, ...service }, stats);
    await link.flush();
    return link;
  }

  async function all<T>(answers: Promise<QueuedIterator<T>>): Promise<readonly T[]> {
    const found: T[] = [];
    for await (const answer of await answers) found.push(answer);
    return found;
  }

  test("the library's client finds a service, for all, by its name and by its id", async () => {
    await serving();
    await serving({ id: 'worker-2' });
    const client = nc.services.client(ASKING);
    const identity = { name: 'pith-compact', id: 'worker-1', version: '1.2.3', metadata: SERVICE.metadata };
    for (const name of ['', 'pith-compact']) {
      expect((await all(client.ping(name))).map(({ id }) => id).sort()).toEqual(['worker-1', 'worker-2']);
      expect((await all(client.info(name))).length).toBe(2);
      expect((await all(client.stats(name))).length).toBe(2);
    }
    const [ping] = await all(client.ping('pith-compact', 'worker-1'));
    const [info] = await all(client.info('pith-compact', 'worker-1'));
    expect(ping).toEqual({ type: 'io.nats.micro.v1.ping_response', ...identity });
    expect(info).toEqual({
      type: 'io.nats.micro.v1.info_response',
      ...identity,
      description: 'Writes summaries.',
      endpoints: [
        { name: 'compact', subject: 'pith.v1.job.default.default', queue_group: 'pith-compact', metadata: {} },
      ],
    });
  });

  test('statistics are those of whole pieces of work, as they are when they are asked for', async () => {
    let stats: MicroStats = { ...STATS, requests: 0, errors: 0, ended: 0, processingMs: 0, lastError: undefined };
    await serving({}, () => stats);
    const client = nc.services.client(ASKING);
    const endpoint = { name: 'compact', subject: 'pith.v1.job.default.default', queue_group: 'pith-compact' };
    const told = async (): Promise<unknown> => (await all(client.stats('pith-compact', 'worker-1')))[0]?.endpoints;
    expect(await told()).toEqual([
      {
        ...endpoint,
        num_requests: 0,
        num_errors: 0,
        last_error: '',
        processing_time: 0,
        average_processing_time: 0,
        data: { capacity: 4, inflight: 1 },
      },
    ]);
    stats = STATS;
    expect(await told()).toEqual([
      {
        ...endpoint,
        num_requests: 5,
        num_errors: 1,
        last_error: 'PITH_LLM_TRANSPORT',
        processing_time: 10_000_500_000,
        average_processing_time: 2_500_125_000,
        data: { capacity: 4, inflight: 1 },
      },
    ]);
  });

  test('a service that was stopped is not found, and one that has reconnected is', async () => {
    const link = await linked({ reconnectWaitMs: 10 });
    const answered = answerDiscovery(link, SERVICE, () => STATS);
    await server.restart();
    await connected(link);
    await link.flush();
    const asking = await linked();
    expect((await findServices(asking, 'pith-compact', QUICK)).map(({ id }) => id)).toEqual(['worker-1']);
    await answered.stop();
    expect(await findServices(asking, 'pith-compact', QUICK)).toEqual([]);
  });

  test('who asks finds every instance once, also those of another make, in the order of their ids', async () => {
    await serving({ id: 'b' });
    await serving({ id: 'a' });
    const theirs = await nc.services.add({ name: 'pith-compact', version: '9.0.0' });
    theirs.addEndpoint('compact', { subject: 'elsewhere', handler: () => undefined });
    await nc.flush();
    const found = await findServices(await linked(), 'pith-compact', QUICK);
    expect(found.map(({ id }) => id)).toEqual(['a', 'b', theirs.info().id].sort());
    expect(found.find(({ id }) => id === 'a')).toEqual({
      id: 'a',
      version: '1.2.3',
      started: expect.stringMatching(/^\d{4}-/),
      requests: 5,
      errors: 1,
      averageMs: 2500.125,
      data: { capacity: 4, inflight: 1 },
    });
  });

  test('two processes of one id are both found, the one that started first before the other', async () => {
    await serving({}, () => ({ ...STATS, requests: 1 }));
    for (const at = Date.now(); Date.now() === at;); // the other starts in a later millisecond
    await serving({}, () => ({ ...STATS, requests: 2 }));
    const found = await findServices(await linked(), 'pith-compact', QUICK);
    expect(found.map(({ id, requests }) => [id, requests])).toEqual([
      ['worker-1', 1],
      ['worker-1', 2],
    ]);
  });

  test('where nobody serves, that is known at once', async () => {
    const link = await linked();
    // The wait is far longer than this test may take.
    expect(await findServices(link, 'pith-compact', { waitMs: 600_000 })).toEqual([]);
  });

  test('hostile answers are left out, and the others stay', async () => {
    const honest = {
      type: 'io.nats.micro.v1.stats_response',
      name: 'pith-compact',
      id: 'honest',
      version: '1.0.0',
      started: new Date().toISOString(),
      endpoints: [{ num_requests: 1, num_errors: 0, average_processing_time: 1e9, data: null }],
    };
    const hostile: readonly (Uint8Array | object | string)[] = [
      new Uint8Array([0xff, 0xfe, 0x00]),
      '',
      'null',
      '[]',
      '['.repeat(50_000),
      { ...honest, id: 'a.b', type: 'io.nats.micro.v1.ping_response' },
      { ...honest, id: 'with space' },
      { ...honest, id: '\u001b[2J' },
      { ...honest, id: '' },
      { ...honest, id: 'x'.repeat(65) },
      { ...honest, id: 'other', name: 'another-service' },
      { ...honest, id: 'old', version: 'v'.repeat(300) },
      { ...honest, id: 'when', started: 'yesterday' },
      { ...honest, id: 'none', endpoints: [] },
      { ...honest, id: 'negative', endpoints: [{ ...honest.endpoints[0], num_requests: -1 }] },
      { ...honest, id: 'huge', endpoints: [{ ...honest.endpoints[0], data: 'x'.repeat(70_000) }] },
      '{"__proto__":{"polluted":true},"type":"io.nats.micro.v1.stats_response"}',
      { ...honest, endpoints: [{ ...honest.endpoints[0], num_requests: 2 }] },
    ];
    nc.subscribe('$SRV.STATS.pith-compact', {
      callback(_, message) {
        message.respond(json.encode(honest));
        for (const answer of hostile)
          message.respond(
            answer instanceof Uint8Array || typeof answer === 'string' ? bytesOf(answer) : json.encode(answer),
          );
      },
    });
    await nc.flush();
    const found = await findServices(await linked(), 'pith-compact', QUICK);
    expect(found).toEqual([
      {
        id: 'honest',
        version: '1.0.0',
        started: honest.started,
        requests: 1,
        errors: 0,
        averageMs: 1000,
        data: null,
      },
    ]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describeWithNats('discovery on a server that permits little', () => {
  test('what is denied harms nothing and is told once; the rest is answered', async () => {
    const server = await startNatsServer({
      config: `authorization { users: [
        { user: worker, password: worker, permissions: {
          publish: { deny: [">"] }, allow_responses: true,
          subscribe: ["$SRV.STATS.pith-compact", "still.heard"] } }
        { user: monitor, password: monitor } ] }`,
    });
    const told: string[] = [];
    const worker = await openLink({ servers: server.url, user: 'worker', password: 'worker' });
    const monitor = await openLink({ servers: server.url, user: 'monitor', password: 'monitor' });
    const denied = new Promise<void>((resolve) => {
      let left = 8;
      worker.on(({ type }) => type === 'denied' && --left === 0 && resolve());
    });
    await Promise.all([connected(worker), connected(monitor)]);
    answerDiscovery(
      worker,
      SERVICE,
      () => STATS,
      (level, message) => told.push(`${level}: ${message}`),
    );
    await denied;
    expect(told).toEqual([
      'info: The server does not permit all of NATS micro discovery; monitors may not see this process.',
    ]);
    expect((await findServices(monitor, 'pith-compact', QUICK)).map(({ id }) => id)).toEqual(['worker-1']);
    await Promise.all([worker.close(), monitor.close()]);
  });

  test.each([
    ['to ask', 'publish: { deny: [">"] }, subscribe: ["_INBOX.>"]', '$SRV.STATS.pith-compact'],
    ['to hear answers', 'publish: [">"], subscribe: ["_INBOX.other.>"]', 'with --name'],
  ])('who is not permitted %s is told so at once', async (_, permissions, subject) => {
    const server = await startNatsServer({
      config: `authorization { users: [{ user: m, password: m, permissions: { ${permissions} } }] }`,
    });
    const link = await openLink({ servers: server.url, user: 'm', password: 'm', name: 'monitor' });
    await connected(link);
    await expect(findServices(link, 'pith-compact', { waitMs: 600_000 })).rejects.toMatchObject({
      code: 'PITH_BUS_DENIED',
      message: expect.stringContaining(subject),
    });
    await link.close();
  });
});

function bytesOf(data: Uint8Array | string): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data) : data;
}
