import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { healthAddressOf, serveHealth } from '../../core/cli/worker-health';
import type { HealthProbes, HealthServer } from '../../core/cli/worker-health';

const FREE = { host: '127.0.0.1', port: 0 };
const WELL: HealthProbes = { dead: () => undefined, unready: () => undefined, metrics: () => 'pith_worker_ready 1\n' };
const open: HealthServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serving(probes: Partial<HealthProbes> = {}): Promise<string> {
  const server = await serveHealth(FREE, { ...WELL, ...probes });
  open.push(server);
  return server.url;
}

describe('the health of a worker', () => {
  test('lives and is ready with 200, and says with 503 why it does not', async () => {
    const url = await serving();
    for (const path of ['/livez', '/readyz', '/readyz?verbose'])
      expect([(await fetch(url + path)).status, await (await fetch(url + path)).text()]).toEqual([200, 'ok\n']);
    const other = await serving({ dead: () => 'the connection is closed', unready: () => 'shutting down' });
    expect((await fetch(`${other}/livez`)).status).toBe(503);
    expect(await (await fetch(`${other}/readyz`)).text()).toBe('shutting down\n');
  });

  test('metrics come as Prometheus wants them', async () => {
    const answer = await fetch(`${await serving()}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe('pith_worker_ready 1\n');
  });

  test('there is no other path and no method but GET and HEAD', async () => {
    const url = await serving();
    for (const path of ['/', '/livez/', '/metrics/x', '/constructor', '/__proto__', '/..%2fetc'])
      expect((await fetch(url + path)).status).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(`${url}/livez`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
    const head = await fetch(`${url}/livez`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '3', '']);
  });

  test('closing ends connections that say nothing', async () => {
    const server = await serveHealth(FREE, WELL);
    const idle = connect(Number(new URL(server.url).port), '127.0.0.1');
    const ended = new Promise((resolve) => idle.on('close', resolve));
    await new Promise((resolve) => idle.on('connect', resolve));
    idle.on('error', () => undefined);
    await server.close();
    await ended;
  });

  test('a connection that begins to ask and does not go on is ended', async () => {
    const slow = connect(Number(new URL(await serving()).port), '127.0.0.1');
    const ended = new Promise((resolve) => slow.on('close', resolve));
    let answer = '';
    slow.on('data', (data: Buffer) => (answer += data.toString()));
    slow.write('GET /livez HT');
    await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  }, 15_000);

  test('a port that is taken is one clear error', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    await expect(serveHealth({ host: '127.0.0.1', port }, WELL)).rejects.toMatchObject({
      code: 'PITH_HEALTH_PORT',
      message: `The health server cannot listen on 127.0.0.1:${String(port)}: the port is taken. Give another --health HOST:PORT, or --no-health.`,
    });
    await new Promise((resolve) => taken.close(resolve));
  });

  test('an address is a host and a port', () => {
    expect(healthAddressOf('127.0.0.1:9464')).toEqual({ host: '127.0.0.1', port: 9464 });
    expect(healthAddressOf('[::1]:0')).toEqual({ host: '::1', port: 0 });
    expect(healthAddressOf('worker-1.internal:65535')).toEqual({ host: 'worker-1.internal', port: 65_535 });
    for (const text of ['', '9464', ':9464', 'host:', 'host:x', 'host:65536', '::1:80', 'a b:1', 'http://host:1'])
      expect(() => healthAddressOf(text)).toThrow('HOST:PORT');
  });
});
