import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { connect } from 'nats';
import { PithError } from '../../../core';
import { connected } from '../../../core/bus/nats';
import type { LinkMessage } from '../../../core/bus/nats';
import { closeTestLinks, openTestLink } from '../../support/links';
import type { TestLink } from '../../support/links';
import { describeWithNats, startNatsServer } from '../../support/nats-server';
import type { NatsServer } from '../../support/nats-server';
import { natsGreeting, startRawServer } from '../../support/raw-server';

const bytes = (text: string): Buffer => Buffer.from(text);
const textOf = ({ data }: LinkMessage): string => Buffer.from(data).toString();

let server: NatsServer;

async function open(): Promise<TestLink> {
  const link = await openTestLink({ servers: server.url });
  await connected(link);
  return link;
}

/** The first message of a subject. */
function first(link: TestLink, subject: string): Promise<LinkMessage> {
  return new Promise((resolve) => link.subscribe(subject, resolve));
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return PithError.is(error) ? error.code : String(error);
  }
}

describeWithNats('a link', () => {
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterEach(closeTestLinks);

  test('carries subject, reply, headers and bytes to another', async () => {
    const [sender, receiver] = [await open(), await open()];
    const coming = first(receiver, 'a.*');
    await receiver.flush();
    const headers = [
      ['Pith-Major', '1'],
      ['X', 'first'],
      ['X', 'second'],
      ['Umlaut', ' Grüße '],
    ] as const;
    sender.publish('a.b', bytes('hello'), { reply: `${sender.inbox}.r`, headers });
    const message = await coming;
    expect([message.subject, message.reply, textOf(message)]).toEqual(['a.b', `${sender.inbox}.r`, 'hello']);
    expect(['Pith-Major', 'X', 'Umlaut', 'pith-major', 'Nothing'].map((name) => message.header(name))).toEqual([
      '1',
      'first',
      'Grüße',
      undefined,
      undefined,
    ]);
    expect(message.nobody).toBe(false);
  });

  test('carries no reply and no headers where there are none', async () => {
    const link = await open();
    const coming = first(link, 'plain');
    link.publish('plain', bytes('\r\nX: y\r\n'));
    const message = await coming;
    expect([message.reply, message.header('X'), message.nobody, textOf(message)]).toEqual([
      undefined,
      undefined,
      false,
      '\r\nX: y\r\n',
    ]);
  });

  test('carries messages of any size that the server takes, with headers beside them', async () => {
    const link = await open();
    const got: LinkMessage[] = [];
    link.subscribe('size', (message) => got.push(message));
    const sizes = [0, 1, 65_530, 300_000, link.maxPayload - 27];
    for (const size of sizes)
      link.publish('size', Buffer.alloc(size, 1), { headers: [['Size', String(size).padStart(7)]] });
    await link.flush();
    expect(got.map(({ data }) => data.length)).toEqual(sizes);
    expect(got.map((message) => Number(message.header('Size')))).toEqual(sizes);
  });

  test('is understood by the library, and understands it', async () => {
    const link = await open();
    const other = await connect({ servers: server.url });
    other.subscribe('echo', {
      callback: (_, message) => void message.respond(message.data, { headers: message.headers! }),
    });
    await other.flush();
    const coming = first(link, `${link.inbox}.*`);
    link.publish('echo', bytes('x'), { reply: `${link.inbox}.1`, headers: [['A-B', 'c: d']] });
    const message = await coming;
    expect([textOf(message), message.header('A-B')]).toEqual(['x', 'c: d']);
    await other.close();
  });

  test('says at once that nobody listens', async () => {
    const link = await open();
    const coming = first(link, `${link.inbox}.*`);
    link.publish('nowhere', bytes('x'), { reply: `${link.inbox}.1` });
    expect((await coming).nobody).toBe(true);
  });

  test('shares the messages of a queue and not those without', async () => {
    const links = [await open(), await open()];
    let [shared, all] = [0, 0];
    for (const link of links) {
      link.subscribe('work', () => shared++, { queue: 'workers' });
      link.subscribe('work', () => all++);
      await link.flush();
    }
    for (let sent = 0; sent < 50; sent++) links[0]!.publish('work', bytes('x'));
    await links[0]!.flush();
    await links[1]!.flush();
    expect([shared, all]).toEqual([50, 100]);
  });

  test.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('out of order');
      },
    ],
    ['rejects', (() => Promise.reject(new Error('out of order'))) as () => void],
  ])('stays usable when a handler %s, and tells of it', async (_, handler) => {
    const link = await open();
    link.subscribe('bad', handler);
    const heard = first(link, 'good');
    link.publish('bad', bytes('1'));
    link.publish('good', bytes('2'));
    expect(textOf(await heard)).toBe('2');
    const { error } = await link.until('error');
    expect([error.code, error.details]).toEqual(['PITH_BUS_REJECTED', { subject: 'bad' }]);
    expect(error.message).toContain('out of order');
    await link.flush();
    expect(link.isConnected).toBe(true);
  });

  test('stays usable when somebody sends headers that are none', async () => {
    const link = await open();
    const got: (string | undefined)[] = [];
    link.subscribe('odd', (message) => got.push(message.header('A'), message.header('ok')));
    await link.flush();
    const raw = await rawClient(server);
    for (const headers of [
      'NATS/1.0\r\nä b: c\r\nA: 1\r\n\r\n',
      'NATS/1.0\r\nA: 2',
      'nonsense\r\nA: 3\r\n\r\n',
      'NATS/1.0\r\n:\r\nok: 4\r\n\r\n',
    ]) {
      const size = Buffer.byteLength(headers);
      raw.write(`HPUB odd ${String(size)} ${String(size)}\r\n${headers}\r\n`);
    }
    raw.write('PUB odd 4\r\nlast\r\nPING\r\n');
    await once(raw, 'data');
    await link.flush();
    expect(got.slice(-2)).toEqual([undefined, undefined]);
    expect(got).toContain('4');
    expect(got).not.toContain('3');
    raw.destroy();
  });

  test.each([
    ['a space', 'a b'],
    ['a line break', 'a\r\nPUB evil 0\r\n'],
    ['a wildcard', 'a.*'],
    ['an empty token', 'a..b'],
    ['nothing', ''],
    ['too much', 'a.'.repeat(600) + 'a'],
    ['a letter beyond ASCII', 'grün'],
  ])('refuses %s in subjects, replies, queues and names', async (_, text) => {
    const link = await open();
    const evil = jest.fn();
    link.subscribe('evil', evil);
    const acts = [
      () => link.publish(text, bytes('x')),
      () => link.publish('ok', bytes('x'), { reply: text }),
      () => link.subscribe(text === 'a.*' ? 'a.b*' : text, () => undefined),
      () => link.subscribe('ok', () => undefined, { queue: text }),
    ];
    expect(acts.map(codeOf)).toEqual(acts.map(() => 'PITH_BUS_BAD_MESSAGE'));
    await expect(openTestLink({ servers: server.url, name: text })).rejects.toMatchObject({
      code: 'PITH_BUS_SETTINGS',
      details: { setting: 'name' },
    });
    await link.flush();
    expect(evil).not.toHaveBeenCalled();
  });

  test('refuses headers that would begin a line or a body of their own', async () => {
    const link = await open();
    const evil = [
      ['A', 'b\r\nEvil: 1'],
      ['A', 'b\nc'],
      ['A\r\nB', 'c'],
      ['A:B', 'c'],
      ['', 'c'],
      ['A B', 'c'],
      ['Ä', 'c'],
    ] as const;
    for (const header of evil) {
      expect(codeOf(() => link.publish('ok', bytes('x'), { headers: [header] }))).toBe('PITH_BUS_BAD_MESSAGE');
    }
  });

  test('refuses what is larger than the server takes, headers and all, and stays usable', async () => {
    const link = await open();
    const headers = [['A', 'b']] as const; // 18 bytes on the wire
    link.publish('ok', Buffer.alloc(link.maxPayload));
    link.publish('ok', Buffer.alloc(link.maxPayload - 18), { headers });
    for (const options of [{}, { headers }]) {
      const size = link.maxPayload - (options.headers === undefined ? 0 : 18) + 1;
      expect(() => link.publish('ok', Buffer.alloc(size), options)).toThrow(
        expect.objectContaining({
          code: 'PITH_BUS_TOO_LARGE',
          details: { subject: 'ok', bytes: link.maxPayload + 1, maxBytes: link.maxPayload },
        }),
      );
    }
    await link.flush();
    expect(link.told.map(({ type }) => type)).toEqual(['connected']);
  });

  test('takes the size from the server', async () => {
    await using small = await startRawServer(natsGreeting({ max_payload: 100 }));
    const link = await openTestLink({ servers: small.host });
    expect(link.maxPayload).toBe(1_048_576);
    await connected(link);
    expect(link.maxPayload).toBe(100);
    expect(codeOf(() => link.publish('a', Buffer.alloc(101)))).toBe('PITH_BUS_TOO_LARGE');
  });

  test('hands over what has arrived when a subscription is drained, and nothing more', async () => {
    const [link, sender] = [await open(), await open()];
    let got = 0;
    const subscription = link.subscribe('job', () => got++);
    await link.flush();
    for (let sent = 0; sent < 100; sent++) sender.publish('job', bytes('x'));
    await sender.flush();
    await Promise.all([subscription.drain(), subscription.drain()]);
    expect(got).toBe(100);
    sender.publish('job', bytes('x'));
    await sender.flush();
    await link.flush();
    expect(got).toBe(100);
    subscription.stop();
  });

  test('hears nothing more of a subscription that is stopped', async () => {
    const link = await open();
    let got = 0;
    const subscription = link.subscribe('job', () => {
      got++;
      subscription.stop();
    });
    for (let sent = 0; sent < 10; sent++) link.publish('job', bytes('x'));
    await link.flush();
    subscription.stop();
    await subscription.drain();
    expect(got).toBe(1);
  });

  test('drains its subscriptions when it closes, sends what they answer, and then serves nothing', async () => {
    const [link, other] = [await open(), await open()];
    let answers = 0;
    other.subscribe('answer', () => answers++);
    link.subscribe('ask', () => link.publish('answer', bytes('x')));
    await Promise.all([link.flush(), other.flush()]);
    for (let sent = 0; sent < 100; sent++) other.publish('ask', bytes('x'));
    await other.flush();
    const closing = link.close();
    expect(codeOf(() => link.subscribe('more', () => undefined))).toBe('PITH_BUS_TRANSPORT_CLOSED');
    expect(link.close()).toBe(closing);
    await closing;
    await other.flush();
    expect(answers).toBe(100);
    expect([link.isClosed, link.isConnected]).toEqual([true, false]);
    expect(codeOf(() => link.publish('a', bytes('x')))).toBe('PITH_BUS_TRANSPORT_CLOSED');
    await expect(link.flush()).rejects.toMatchObject({ code: 'PITH_BUS_TRANSPORT_CLOSED' });
    await expect(connected(link)).rejects.toMatchObject({ code: 'PITH_BUS_TRANSPORT_CLOSED' });
    expect(link.told.map(({ type }) => type)).toEqual(['connected', 'closed']);
  });

  test('has an inbox of its own name, which nobody guesses', async () => {
    const links = await Promise.all([1, 2].map(() => openTestLink({ servers: server.url, name: 'worker-1' })));
    for (const link of links) expect(link.inbox).toMatch(/^_INBOX\.worker-1\.[\w-]{22}$/);
    expect(links[0]!.inbox).not.toBe(links[1]!.inbox);
    const [one, other] = await Promise.all([
      openTestLink({ servers: server.url }),
      openTestLink({ servers: server.url }),
    ]);
    expect(one.name).not.toBe(other.name);
  });
});

/** A connection that writes what it is told. */
async function rawClient({ port }: NatsServer): Promise<Socket> {
  const socket = createConnection(port, '127.0.0.1');
  await once(socket, 'data');
  socket.write('CONNECT {"verbose":false,"headers":true,"protocol":1}\r\nPING\r\n');
  await once(socket, 'data');
  return socket;
}
