import { PithError } from '../../../core';
import { CHANNEL, gate } from '../../../core/testing/bus-channel';
import { describeWithNats } from '../../support/nats-server';
import { failing, partiesOf, typed } from './raw-wire';

const SUBJECT = 'pith.v1.contract.double';
const HEAD = { 'Pith-Major': '1', 'Pith-Call': 'call-1', 'Pith-Deadline-Ms': '5000' };

describeWithNats('a plain channel, as others see who serves it', () => {
  const parties = partiesOf();

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

  test.each([
    ['no JSON', { n: 1, at: new Date() }, '422'],
    ['too large', { n: 1, text: 'x'.repeat(2 ** 20) }, '413'],
  ])('progress that is %s ends the call', async (_, step, status) => {
    const { bus, raw } = await parties();
    const ended = gate<unknown>();
    bus.serve(CHANNEL, async ({ n }, call) => {
      call.progress(step);
      ended.open(call.signal.aborted);
      return { n };
    });
    await bus.link.flush();
    const frames = await raw.offer(SUBJECT, { n: 7 }, HEAD);
    expect((await frames.next()).headers['Nats-Service-Error-Code']).toBe(status);
    expect(await ended.opened).toBe(true);
    await bus.link.flush();
    await raw.nc.flush();
    expect(frames.rest()).toEqual([]);
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
