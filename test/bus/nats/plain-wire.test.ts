import { PithError } from '../../../core';
import { CHANNEL, fails, gate, SOON } from '../../../core/testing/bus-channel';
import { describeWithNats } from '../../support/nats-server';
import { failing, partiesOf, typed } from './raw-wire';

const SUBJECT = 'pith.v1.contract.double';
const HEAD = { 'Pith-Major': '1', 'Pith-Call': 'call-1', 'Pith-Deadline-Ms': '5000' };

describeWithNats('a plain channel on the wire', () => {
  const parties = partiesOf();

  describe('as others see who serves it', () => {
    it('the reply is the mere body, without a header', async () => {
      const { bus, raw } = await parties();
      bus.serve(CHANNEL, async ({ n }) => ({ n: n * 2 }));
      await bus.link.flush();
      for (const head of [HEAD, {}]) {
        expect(await raw.ask(SUBJECT, { n: 21 }, head)).toMatchObject({ body: { n: 42 }, headers: {}, to: '' });
      }
    });

    it('progress says that it is', async () => {
      const { bus, raw } = await parties();
      bus.serve(CHANNEL, async ({ n }, call) => {
        call.progress({ n: 1 });
        return { n };
      });
      await bus.link.flush();
      const frames = await raw.offer(SUBJECT, { n: 7 }, HEAD);
      expect(await frames.next()).toMatchObject({ body: { n: 1 }, headers: typed('progress') });
      expect(await frames.next()).toMatchObject({ body: { n: 7 }, headers: {} });
    });

    it('an error has its status and one line in the headers, and code, message and details in the body', async () => {
      const { bus, raw } = await parties();
      bus.serve(CHANNEL, () => Promise.reject(new PithError('PITH_USAGE', 'no\nroom', { details: { ms: 7 } })));
      await bus.link.flush();
      expect(await raw.ask(SUBJECT, { n: 1 }, HEAD)).toMatchObject({
        body: { code: 'PITH_USAGE', message: 'no\nroom', details: { ms: 7 } },
        headers: { 'Pith-Type': 'error', 'Nats-Service-Error-Code': '500', 'Nats-Service-Error': 'no room' },
      });
    });

    test.each([
      ['a body that is no JSON', Buffer.from('{'), HEAD],
      ['a body that is no text', Buffer.from([0xff, 0xfe]), HEAD],
      ['no body', new Uint8Array(), HEAD],
      ['a body that does not fit', { n: 'one' }, HEAD],
      ['a body nested too deeply', Buffer.from(`{"n":1,"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`), HEAD],
      ['another major', { n: 1 }, { 'Pith-Major': '2' }],
      ['a major that is none', { n: 1 }, { 'Pith-Major': 'one' }],
      ['a deadline that is none', { n: 1 }, { 'Pith-Deadline-Ms': '-1e99' }],
      ['a job that is none', { n: 1 }, { 'Pith-Job': 'a b>*', 'Pith-Attempt': '1' }],
    ])('%s is answered with 422, and served by nobody', async (_, body, head) => {
      const { bus, raw } = await parties();
      const served: unknown[] = [];
      bus.serve(CHANNEL, async ({ n }) => ({ n: served.push(n) }));
      await bus.link.flush();
      const { headers, body: said } = await raw.ask(SUBJECT, body, head);
      expect(headers).toMatchObject(failing(422));
      expect(said).toMatchObject({ code: 'PITH_BUS_BAD_MESSAGE', details: { subject: CHANNEL.subject } });
      expect(served).toEqual([]);
      expect((await raw.ask(SUBJECT, { n: 1 }, HEAD)).body).toEqual({ n: 1 });
    });

    it('who asks in another major learns which are served', async () => {
      const { bus, raw } = await parties();
      for (const major of [3, 4]) bus.serve({ ...CHANNEL, major }, async ({ n }) => ({ n: n + major }));
      await bus.link.flush();
      expect((await raw.ask(SUBJECT, { n: 1 }, HEAD)).body).toMatchObject({ details: { majors: [3, 4] } });
      expect((await raw.ask(SUBJECT, { n: 1 }, { 'Pith-Major': '4' })).body).toEqual({ n: 5 });
    });

    it('a message that awaits no reply, or awaits it where nothing can be sent, is ignored', async () => {
      const { bus, raw } = await parties();
      const served: unknown[] = [];
      bus.serve(CHANNEL, async ({ n }) => ({ n: served.push(n) }));
      await bus.link.flush();
      for (const reply of [undefined, 'a.*', '>', 'a..b']) raw.say(SUBJECT, { n: 0 }, HEAD, reply);
      expect((await raw.ask(SUBJECT, { n: 5 }, HEAD)).body).toEqual({ n: 1 });
      expect(served).toEqual([5]);
    });

    it('a cancel by the token of the call tells the handler to stop', async () => {
      const { bus, raw } = await parties();
      const begun = gate();
      bus.serve(CHANNEL, (_, { signal }) => {
        begun.open();
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as PithError)),
        );
      });
      await bus.link.flush();
      const frames = await raw.offer(SUBJECT, { n: 1 }, HEAD);
      await begun.opened;
      for (const token of ['another', 'call-1']) raw.say(`${SUBJECT}.cancel`, {}, { 'Pith-Call': token });
      raw.say(`${SUBJECT}.cancel`, {});
      expect((await frames.next()).headers).toMatchObject({ 'Nats-Service-Error-Code': '499' });
    });

    it('the time left is kept by the responder, too: 408', async () => {
      const { bus, raw } = await parties();
      const stopped = gate<string>();
      bus.serve(CHANNEL, (_, { signal }) => {
        signal.addEventListener('abort', () => stopped.open((signal.reason as PithError).code));
        return new Promise(() => undefined);
      });
      await bus.link.flush();
      const { headers } = await raw.ask(SUBJECT, { n: 1 }, { 'Pith-Deadline-Ms': '10' });
      expect(headers).toMatchObject({ 'Nats-Service-Error-Code': '408' });
      expect(await stopped.opened).toBe('PITH_BUS_TIMEOUT');
    });

    it('a reply that is too large becomes an error: 413; one that is no JSON: 422', async () => {
      const { bus, raw } = await parties();
      bus.serve(CHANNEL, async ({ n }) => (n === 0 ? { n, at: new Date() } : { n, text: 'x'.repeat(2 ** 20) }));
      await bus.link.flush();
      const large = await raw.ask(SUBJECT, { n: 1 }, HEAD);
      expect(large.headers).toMatchObject({ 'Nats-Service-Error-Code': '413' });
      expect(large.body).toMatchObject({ code: 'PITH_BUS_TOO_LARGE', details: { subject: CHANNEL.subject } });
      const { headers, body } = await raw.ask(SUBJECT, { n: 0 }, HEAD);
      expect(headers).toMatchObject({ 'Nats-Service-Error-Code': '422' });
      expect((body as Error).message).toContain('body.at is an instance of a class');
    });

    it('a full responder that refuses leaves the queue: the server says that nobody is there', async () => {
      const { bus, raw } = await parties();
      const [begun, free] = [gate(), gate()];
      bus.serve(
        CHANNEL,
        async ({ n }) => {
          begun.open();
          await free.opened;
          return { n };
        },
        { concurrency: 1, whenFull: 'refuse' },
      );
      await bus.link.flush();
      const first = await raw.offer(SUBJECT, { n: 1 }, HEAD);
      const early = raw.ask(SUBJECT, { n: 2 }, HEAD);
      await begun.opened;
      await bus.link.flush();
      expect(['429', '']).toContain((await early).headers['Nats-Service-Error-Code'] ?? '');
      const { headers, body } = await raw.ask(SUBJECT, { n: 3 }, HEAD);
      expect([headers, body]).toEqual([{}, '']);
      free.open();
      await first.next();
      await bus.link.flush();
      expect((await raw.ask(SUBJECT, { n: 4 }, HEAD)).body).toEqual({ n: 4 });
    });
  });

  describe('as others see who asks', () => {
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
});
