/** `pith workers` on a real server, with real workers and made-up ones. */
import { connect, JSONCodec } from 'nats';
import type { NatsConnection } from 'nats';
import { describeWithNats, startNatsServer } from '../support/nats-server';
import type { NatsServer } from '../support/nats-server';
import { commandFile, pith } from './command';
import type { Ended } from './command';
import { faultsBySchema } from './schemas';
import { freshFolder } from './sessions';
import { endWorkers, healthOnce, isReady, jobGiver, startWorker } from './worker-kit';
import type { StartedWorker } from './worker-kit';

beforeAll(() => void commandFile(), 120_000);
afterEach(endWorkers);

interface Listed {
  readonly schema: string;
  readonly workers: readonly Readonly<Record<string, unknown>>[];
}

function listOf({ stdout }: Ended): Listed {
  const list = JSON.parse(stdout) as Listed;
  expect(faultsBySchema('pith.workers-1', list)).toEqual([]);
  return list;
}

describeWithNats('pith workers', () => {
  let server: NatsServer;
  let nc: NatsConnection | undefined;
  beforeEach(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    await nc?.close();
    await server.kill();
  });

  const workers = (...args: readonly string[]): Promise<Ended> =>
    pith(['workers', '--servers', server.url, ...args], { cwd: freshFolder() });

  async function working(...args: readonly string[]): Promise<StartedWorker> {
    const worker = startWorker(['--servers', server.url, ...args]);
    await healthOnce(worker, '/readyz', isReady);
    return worker;
  }

  test('shows who serves, with load and what they did, for people and as JSON', async () => {
    await working('--name', 'worker-b', '--concurrency', '2');
    await working('--name', 'worker-a', '--pool', 'small');
    await using agent = await jobGiver(server.url, {
      answer: (tool) => Promise.resolve({ summary: tool, content: '{}' }),
    });
    await agent.give().catch(() => undefined);
    const ended = await workers('--json');
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    const { schema, workers: listed } = listOf(ended);
    expect(schema).toBe('pith.workers/1');
    expect(listed).toMatchObject([
      {
        name: 'worker-a',
        worker: 'offline',
        model: null,
        tenant: 'default',
        pool: 'small',
        capacity: 4,
        averageMs: null,
      },
      { name: 'worker-b', majors: [1], pool: 'default', capacity: 2, inflight: 0, averageMs: expect.any(Number) },
    ]);
    const [, b] = listed as readonly { readonly done: number; readonly failed: number }[];
    expect((b?.done ?? 0) + (b?.failed ?? 0)).toBe(1);
    const { code, stdout } = await workers();
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^2 workers, 0 of 6 places busy \(0%\)\nversion \S+ {2}worker offline {2}tenant default\n\nname {6}pool {5}load/,
    );
    expect(stdout).toMatch(/\nworker-a {2}small +0\/4 +0 +0 +– +now\n/);
  });

  test('nobody there is no failure', async () => {
    expect(await workers()).toEqual({ code: 0, stdout: 'no worker answers\n', stderr: '' });
    expect(listOf(await workers('--json'))).toEqual({ schema: 'pith.workers/1', workers: [] });
  });

  test('without a server the exit code is 1, and the message says why', async () => {
    const { url } = server;
    await server.kill();
    const { code, stdout, stderr } = await pith(['workers', '--servers', url, '--wait', '0.5'], { cwd: freshFolder() });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error PITH_BUS_CONNECTION: .*nothing listens there/);
    await server.restart('authorization { user: ada, password: "p4ssw0rd" }');
    const stranger = await workers('--wait', '0.5');
    expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining('does not accept the credentials')]);
  });

  test('who may not ask is told so', async () => {
    await server.restart(
      'authorization { users: [{ user: a, password: a, permissions: { publish: { deny: [">"] }, subscribe: [">"] } }] }',
    );
    const asking = ['workers', '--servers', server.url, '--user', 'a'];
    const { code, stderr } = await pith(asking, { cwd: freshFolder(), env: { NATS_PASSWORD: 'a' } });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error PITH_BUS_DENIED: .*\$SRV\.STATS\.pith-compact/)]);
  });

  test('who has not the name that the permissions of the user are for is told to take it', async () => {
    await server.restart(
      'authorization { users: [{ user: a, password: a, permissions: { publish: [">"], subscribe: ["_INBOX.monitor.>"] } }] }',
    );
    const asking = ['workers', '--servers', server.url, '--user', 'a'];
    const start = { cwd: freshFolder(), env: { NATS_PASSWORD: 'a' } };
    const { code, stderr } = await pith(asking, start);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error PITH_BUS_DENIED: .*with --name/)]);
    expect((await pith([...asking, '--name', 'monitor'], start)).code).toBe(0);
  });

  test('two processes of one name are both there, and are marked', async () => {
    await working('--name', 'worker-a');
    await working('--name', 'worker-b');
    await working('--name', 'worker-a');
    const { workers: listed } = listOf(await workers('--json'));
    expect(listed.map(({ name, duplicate }) => [name, duplicate])).toEqual([
      ['worker-a', true],
      ['worker-a', true],
      ['worker-b', false],
    ]);
    const { stdout } = await workers();
    expect(stdout.match(/^worker-a !/gm)).toHaveLength(2);
    expect(stdout).toMatch(/\n\n! worker-a stands twice; each process needs a name of its own\n$/);
  });

  test('80 columns have room for the names that workers have by themselves', async () => {
    const name = (await (await working()).said('The worker starts.'))['name'] as string;
    await working('--pool', 'small');
    const { stdout } = await workers();
    expect(stdout).toContain(`\n${name}  `);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('what a made-up worker tells steers no terminal, and is left out where it makes no sense', async () => {
    nc = await connect({ servers: server.url });
    const json = JSONCodec<unknown>();
    const data = {
      worker: 'llm\u001b[2J',
      model: 'local\r\nfake  row',
      tenant: 'default',
      pool: '\u202edlrow',
      majors: [1],
      capacity: 1,
      inflight: 0,
      done: 9_007_199_254_740_991,
      failed: 0,
    };
    const answer = (id: string, told: unknown): Uint8Array =>
      json.encode({
        type: 'io.nats.micro.v1.stats_response',
        name: 'pith-compact',
        id,
        version: '1.0.0\u0007',
        started: '2999-01-01T00:00:00Z',
        endpoints: [{ num_requests: 1, num_errors: 0, average_processing_time: 1e15, data: told }],
      });
    nc.subscribe('$SRV.STATS.pith-compact', {
      callback(_, message) {
        message.respond(answer('odd', data));
        for (const [key, value] of Object.entries({
          capacity: 0,
          inflight: -1,
          done: 'x',
          majors: [],
          worker: 'x'.repeat(65),
        }))
          message.respond(answer(`bad-${key}`, { ...data, [key]: value }));
      },
    });
    await nc.flush();
    const { code, stdout } = await workers();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').length).toBe(5);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    listOf(await workers('--json'));
  });
});
