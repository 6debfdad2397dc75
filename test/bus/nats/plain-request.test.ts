import { PithError } from '../../../core';
import { CHANNEL, fails, SOON } from '../../../core/testing/bus-channel';
import { describeWithNats } from '../../support/nats-server';
import { partiesOf, typed } from './raw-wire';

const SUBJECT = 'pith.v1.contract.double';

describeWithNats('a plain channel, as others see who asks', () => {
  const parties = partiesOf();

  it('a request says its major, its token, the time left and the trace, and where the reply is awaited', async () => {
    const { bus, raw } = await parties();
    const requests = await raw.hear(SUBJECT);
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=1' };
    const reply = bus.request({ ...CHANNEL, major: 3 }, { n: 5 }, { deadlineMs: 1234.5, trace });
    const { headers, body, to, answer } = await requests.next();
    const { 'Pith-Call': call, ...others } = headers;
    expect(others).toEqual({ 'Pith-Major': '3', 'Pith-Deadline-Ms': '1235', ...trace });
    expect(body).toEqual({ n: 5 });
    expect(call).toMatch(/^[\w-]{16,64}$/);
    expect(to).toBe(`${bus.link.inbox}.${String(call)}`);
    answer({ n: 6 });
    expect(await reply).toEqual({ n: 6 });
  });

  it('without a deadline it says none; with one that has passed, 0', async () => {
    const { bus, raw } = await parties();
    const requests = await raw.hear(SUBJECT);
    for (const [deadlineMs, said] of [
      [Infinity, undefined],
      [-3, '0'],
      [NaN, '0'],
    ] as const) {
      const request = bus.request(CHANNEL, { n: 1 }, { deadlineMs }).catch(() => undefined);
      const { headers, answer } = await requests.next();
      expect(headers['Pith-Deadline-Ms']).toBe(said);
      answer({ n: 1 });
      await request;
    }
  });

  it('giving up says so by the token, whatever the reason', async () => {
    const { bus, raw } = await parties();
    const [requests, cancels] = [await raw.hear(SUBJECT), await raw.hear(`${SUBJECT}.cancel`)];
    const controller = new AbortController();
    const gone: Promise<unknown>[] = [
      fails(bus.request(CHANNEL, { n: 1 }, { deadlineMs: SOON, signal: controller.signal }), 'PITH_BUS_CANCELLED'),
      fails(bus.request(CHANNEL, { n: 2 }, { deadlineMs: 10 }), 'PITH_BUS_TIMEOUT'),
      fails(bus.request(CHANNEL, { n: 3 }, { deadlineMs: SOON }), 'PITH_BUS_TRANSPORT_CLOSED'),
    ];
    const tokens = new Map<unknown, string | undefined>();
    for (let at = 0; at < 3; at++) {
      const { headers, body } = await requests.next();
      tokens.set((body as { n: number }).n, headers['Pith-Call']);
    }
    controller.abort();
    await Promise.all(gone.slice(0, 2));
    await bus.close();
    await gone[2];
    const said = [await cancels.next(), await cancels.next(), await cancels.next()];
    expect(said.map(({ headers }) => headers['Pith-Call'])).toEqual([1, 2, 3].map((n) => tokens.get(n)));
  });

  test.each([
    ['a reply that is no JSON', Buffer.from('{'), {}, 'PITH_BUS_BAD_MESSAGE'],
    ['a reply that does not fit', { n: 'one' }, {}, 'PITH_BUS_BAD_MESSAGE'],
    ['progress that does not fit', { n: 'one' }, typed('progress'), 'PITH_BUS_BAD_MESSAGE'],
    ['an error without a body', new Uint8Array(), typed('error'), 'PITH_BUS_REJECTED'],
    [
      'an error of a stranger',
      Buffer.from('no'),
      { 'Nats-Service-Error-Code': '409', 'Nats-Service-Error': 'no' },
      'PITH_BUS_REJECTED',
    ],
    [
      'an error of wrong types',
      { code: 5, message: {}, details: [] },
      { 'Nats-Service-Error-Code': '500' },
      'PITH_BUS_REJECTED',
    ],
    ['a deadline of the responder', {}, { 'Nats-Service-Error-Code': '408' }, 'PITH_BUS_TIMEOUT'],
    ['a cancel of the responder', {}, { 'Nats-Service-Error-Code': '499' }, 'PITH_BUS_CANCELLED'],
    ['a reply too large for the server', {}, { 'Nats-Service-Error-Code': '413' }, 'PITH_BUS_TOO_LARGE'],
    ['a responder that is full', {}, { 'Nats-Service-Error-Code': '429' }, 'PITH_BUS_NO_RESPONDER'],
    ['a responder that closes', {}, { 'Nats-Service-Error-Code': '410' }, 'PITH_BUS_RESPONDER_LOST'],
  ] as const)('%s ends the request with its code', async (_, body, head, code) => {
    const { bus, raw } = await parties();
    const requests = await raw.hear(SUBJECT);
    const failed = fails(bus.request(CHANNEL, { n: 1 }, { deadlineMs: SOON }), code);
    (await requests.next()).answer(body, head);
    expect((await failed).details).toMatchObject({ subject: CHANNEL.subject });
  });

  it('a frame of a kind that it does not know is ignored, and so is all that comes after the end', async () => {
    const { bus, raw } = await parties();
    const requests = await raw.hear(SUBJECT);
    const reply = bus.request(CHANNEL, { n: 1 }, { deadlineMs: SOON });
    const { answer } = await requests.next();
    answer({ n: 2 }, typed('rumour'));
    answer({ n: 3 });
    answer({ n: 4 });
    answer({}, typed('error'));
    expect(await reply).toEqual({ n: 3 });
  });

  it('who asks it something after the end is told that it is over: 410', async () => {
    const { bus, raw } = await parties();
    const requests = await raw.hear(SUBJECT);
    const reply = bus.request(CHANNEL, { n: 1 }, { deadlineMs: SOON });
    const { answer, to = '' } = await requests.next();
    answer({ n: 2 });
    await reply;
    expect((await raw.ask(to, {})).headers).toMatchObject({ 'Nats-Service-Error-Code': '410' });
  });

  it('a request that is too large, no JSON, or under a name that is no subject is not sent', async () => {
    const { bus, raw } = await parties();
    const heard = await raw.hear('>');
    const large = { n: 1, text: 'x'.repeat(2 ** 20) };
    const { details } = await fails(bus.request(CHANNEL, large, { deadlineMs: SOON }), 'PITH_BUS_TOO_LARGE');
    expect(details).toMatchObject({ subject: CHANNEL.subject, maxBytes: 2 ** 20 });
    await fails(bus.request(CHANNEL, { n: 1, at: [1n] } as never, { deadlineMs: SOON }), 'PITH_BUS_BAD_MESSAGE');
    for (const subject of ['a b', 'a\r\nPUB evil 0\r\n', 'a.*', '>', '', 'a..b']) {
      const named = { ...CHANNEL, subject };
      await fails(bus.request(named, { n: 1 }, { deadlineMs: SOON }), 'PITH_BUS_BAD_MESSAGE');
      expect(() => bus.serve(named, async ({ n }) => ({ n }))).toThrow(PithError);
    }
    const trace = { traceparent: 'x\r\nEvil: 1' };
    await fails(bus.request(CHANNEL, { n: 1 }, { deadlineMs: SOON, trace }), 'PITH_BUS_BAD_MESSAGE');
    expect(() => bus.serve({ ...CHANNEL, service: 'a b' }, async ({ n }) => ({ n }))).toThrow(PithError);
    await bus.link.flush();
    await raw.nc.flush();
    expect(heard.rest()).toEqual([]);
  });
});
