import { once } from 'node:events';
import { connected } from '../../../core/bus/nats';
import type { LinkMessage } from '../../../core/bus/nats';
import { closeTestLinks, openTestLink } from '../../support/links';
import { describeWithNats, startNatsServer } from '../../support/nats-server';
import { infoLine, natsGreeting, startRawServer } from '../../support/raw-server';

const NOTHING = Buffer.alloc(0);

/** Sockets, timers and look-ups that keep this process alive. */
function resources(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => /TCPSocket|TCPConnect|Timeout|GetAddrInfo|FSReq/.test(name));
}

/** Destroyed sockets are gone one turn later. */
async function settledResources(): Promise<readonly string[]> {
  for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate);
  return resources();
}

describeWithNats('the connection of a link', () => {
  afterEach(closeTestLinks);

  test('waits for a server that is not there yet', async () => {
    const server = await startNatsServer();
    await server.kill();
    const link = await openTestLink({ servers: server.url });
    const heard = new Promise<LinkMessage>((resolve) => link.subscribe('a', resolve));
    const { error } = await link.until('error');
    expect([error.code, error.details]).toEqual([
      'PITH_BUS_CONNECTION',
      { server: `127.0.0.1:${String(server.port)}`, reason: 'CONNECTION_REFUSED' },
    ]);
    expect([link.isConnected, link.isClosed]).toEqual([false, false]);
    await server.restart();
    await connected(link);
    link.publish('a', NOTHING);
    await heard;
    expect(link.told.map(({ type }) => type)).toEqual(['error', 'connected']);
  });

  test('comes back when the server does, with its subscriptions, as often as it takes', async () => {
    const server = await startNatsServer();
    const link = await openTestLink({ servers: server.url });
    let heard = 0;
    link.subscribe('a', () => heard++);
    const stopped = link.subscribe('a', () => heard++);
    await connected(link);
    const drained = link.subscribe('a', () => heard++);
    await drained.drain();
    stopped.stop();
    for (let round = 0; round < 3; round++) {
      const back = link.next('reconnected');
      await server.restart();
      await back;
      link.publish('a', NOTHING);
      await link.flush();
    }
    expect(heard).toBe(3);
    const types = link.told.map(({ type }) => type).filter((type) => type !== 'error');
    expect(types).toEqual(['connected', ...Array.from({ length: 3 }, () => ['disconnected', 'reconnected']).flat()]);
  });

  test('drops what is published without it, and says so to who asks', async () => {
    const server = await startNatsServer();
    const link = await openTestLink({ servers: server.url });
    let heard = 0;
    link.subscribe('a', () => heard++);
    await connected(link);
    await server.kill();
    await link.until('disconnected');
    link.publish('a', NOTHING);
    await expect(link.flush()).rejects.toMatchObject({ code: 'PITH_BUS_CONNECTION' });
    await server.restart();
    await link.until('reconnected');
    await link.flush();
    expect(heard).toBe(0);
  });

  test('fails a flush, and ends a drain, that it does not outlive', async () => {
    await using hanging = await startRawServer(natsGreeting({}, (socket) => socket.removeAllListeners('data')));
    const link = await openTestLink({ servers: hanging.host });
    const subscription = link.subscribe('a', () => undefined);
    await connected(link);
    const flushing = expect(link.flush()).rejects.toMatchObject({ code: 'PITH_BUS_CONNECTION' });
    const draining = subscription.drain();
    for (const socket of hanging.open) socket.destroy();
    await Promise.all([flushing, draining]);
  });

  test('is given up when the server hangs, and made again when it does not', async () => {
    const server = await startNatsServer();
    const link = await openTestLink({ servers: server.url, pingIntervalMs: 30, connectTimeoutMs: 100 });
    await connected(link);
    server.pause();
    for (let sent = 0; sent < 20; sent++) link.publish('a', Buffer.alloc(1_000_000)); // more than the socket takes
    await link.until('disconnected');
    expect(link.log.find((line) => line.includes('lost'))).toContain('does not answer pings');
    await link.until('error', ({ error }) => error.details?.['reason'] === 'TIMEOUT');
    server.resume();
    await link.until('reconnected');
  });

  test('tells that the server will end, and works until it does', async () => {
    const server = await startNatsServer({ config: 'lame_duck_grace_period: "1s"\nlame_duck_duration: "30s"' });
    const link = await openTestLink({ servers: server.url });
    await connected(link);
    server.lameDuck();
    expect(await link.until('lame-duck')).toEqual({ type: 'lame-duck', server: `127.0.0.1:${String(server.port)}` });
    link.publish('a', NOTHING);
    await link.flush();
  });

  test('tells what the server denies, and tries denied subscriptions again', async () => {
    const permit = (subject: string): string =>
      `authorization { users: [ { user: a, password: b, permissions: { publish: "${subject}", subscribe: "${subject}" } } ] }`;
    const server = await startNatsServer({ config: permit('other') });
    const link = await openTestLink({ servers: server.url, user: 'a', password: 'b' });
    const heard = new Promise<LinkMessage>((resolve) => link.subscribe('secret', resolve, { queue: 'q' }));
    await link.until('denied', ({ operation }) => operation === 'subscribe');
    link.publish('secret', NOTHING);
    await link.until('denied', ({ operation }) => operation === 'publish');
    expect(link.told.filter(({ type }) => type === 'denied')).toEqual([
      { type: 'denied', operation: 'subscribe', subject: 'secret' },
      { type: 'denied', operation: 'publish', subject: 'secret' },
    ]);
    await link.flush();
    const back = link.next('reconnected');
    await server.restart(permit('secret'));
    await back;
    link.publish('secret', NOTHING);
    await heard;
  });

  test('goes to another server when one is gone', async () => {
    const [one, other] = [await startNatsServer(), await startNatsServer()];
    const link = await openTestLink({ servers: `${one.url}, ${other.url}` });
    await connected(link);
    for (const server of [one, other]) {
      if (!server.url.endsWith((await link.until('connected')).server ?? '')) continue;
      await server.kill();
    }
    const { server } = await link.until('reconnected');
    expect(server).not.toBe((await link.until('connected')).server);
  });

  test.each(['when it greets', 'later'])('goes to a server that the first told of %s', async (when) => {
    const other = await startNatsServer();
    const cluster = { connect_urls: [`127.0.0.1:${String(other.port)}`] };
    await using first = await startRawServer(
      natsGreeting(when === 'later' ? {} : cluster, (socket) => socket.end(when === 'later' ? infoLine(cluster) : '')),
    );
    const link = await openTestLink({ servers: first.host });
    expect(await link.until('reconnected')).toMatchObject({ server: `127.0.0.1:${String(other.port)}` });
  });

  test('is not made with a server that knows no headers', async () => {
    await using old = await startRawServer(natsGreeting({ headers: undefined }));
    const link = await openTestLink({ servers: old.host });
    const { error } = await link.until('error');
    expect(error.details).toEqual({ server: old.host, reason: 'NO_HEADERS' });
    expect(error.message).toContain('2.2');
  });

  test('is not made with what is no NATS server, and leaves no sockets there', async () => {
    await using web = await startRawServer(
      (socket) => void socket.once('data', () => undefined).end('HTTP/1.1 400 Bad\r\n\r\n'),
    );
    await using silent = await startRawServer();
    const toWeb = await openTestLink({ servers: web.host, reconnectWaitMs: 1 });
    const toSilent = await openTestLink({ servers: silent.host, connectTimeoutMs: 20, reconnectWaitMs: 1 });
    expect((await toWeb.until('error')).error.message).toContain('unexpected response');
    expect((await toSilent.until('error')).error.details).toMatchObject({ reason: 'TIMEOUT' });
    await silent.until(10);
    await web.until(10);
    expect(silent.open.size).toBeLessThanOrEqual(2);
    await Promise.all([toWeb.close(), toSilent.close()]);
    for (const socket of silent.open) await once(socket, 'close');
    expect(toSilent.told.map(({ type }) => type)).toEqual(['error', 'closed']);
  });

  test('tells each reason once, however often it tries', async () => {
    await using silent = await startRawServer((socket) => socket.destroy());
    const link = await openTestLink({ servers: silent.host, reconnectWaitMs: 1 });
    await silent.until(20);
    expect(link.log).toEqual([...new Set(link.log)]);
  });

  test('survives listeners and logs that throw', async () => {
    const server = await startNatsServer();
    const link = await openTestLink({
      servers: server.url,
      log: () => {
        throw new Error('full disk');
      },
    });
    const stop = link.on(() => {
      throw new Error('broken listener');
    });
    await connected(link);
    stop();
    link.publish('a', NOTHING);
    await link.flush();
    const other = await openTestLink({ servers: server.url });
    other.on(() => {
      throw new Error('broken listener');
    });
    await connected(other);
    expect(other.log[1]).toContain('broken listener');
  });
});

describeWithNats('closing a link', () => {
  afterEach(closeTestLinks);

  test('ends at once, and leaves nothing that runs, before the first connection', async () => {
    const before = await settledResources();
    const link = await openTestLink({ servers: '127.0.0.1:1', reconnectWaitMs: 60_000 });
    await link.close();
    expect(await settledResources()).toEqual(before);
    const waiting = await openTestLink({ servers: '127.0.0.1:1', reconnectWaitMs: 60_000 });
    await waiting.until('error');
    const pending = expect(connected(waiting)).rejects.toMatchObject({ code: 'PITH_BUS_TRANSPORT_CLOSED' });
    await waiting.close();
    await pending;
    expect(await settledResources()).toEqual(before);
  });

  test('leaves nothing that runs after a connection, and where there is none any more', async () => {
    const server = await startNatsServer();
    const before = await settledResources();
    const link = await openTestLink({ servers: server.url });
    await connected(link);
    await link.close();
    expect(await settledResources()).toEqual(before);
    const lost = await openTestLink({ servers: server.url, reconnectWaitMs: 60_000 });
    await connected(lost);
    await server.kill();
    await lost.until('disconnected');
    const after = await settledResources();
    await lost.close();
    expect((await settledResources()).length).toBe(after.length - 1);
  });

  test('ends an attempt at a server that says nothing', async () => {
    await using silent = await startRawServer();
    const link = await openTestLink({ servers: silent.host, connectTimeoutMs: 60_000 });
    await silent.until(1);
    await link.close();
    for (const socket of silent.open) await once(socket, 'close');
    expect(link.told).toEqual([{ type: 'closed' }]);
  });

  test('does not wait for a server that hangs', async () => {
    await using hanging = await startRawServer(natsGreeting({}, (socket) => socket.removeAllListeners('data')));
    const link = await openTestLink({ servers: hanging.host, connectTimeoutMs: 50 });
    link.subscribe('a', () => undefined);
    await connected(link);
    await link.close();
    for (const socket of hanging.open) await once(socket, 'close');
    expect(link.log.at(-2)).toMatch(/^warn closed before all was sent: the server did not answer within 50 ms/);
  });
});
