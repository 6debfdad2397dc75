import { PithError } from '../../../core';
import { fails, gate, SOON, submit } from '../../../core/testing/bus-channel';
import { describeWithNats } from '../../support/nats-server';
import { failing, partiesOf, typed } from './raw-wire';
import type { Timings } from '../../../core/bus/nats';
import type { Raw, Seen } from './raw-wire';

const SUBJECT = 'pith.v1.contract.job';
const ACCEPTED = { worker: 'raw-worker', heartbeatMs: 200 };

describeWithNats('the offer of a job on the wire', () => {
  const open = partiesOf();

  async function parties(timings?: Partial<Timings>) {
    const { bus, raw } = await open(timings);
    return { bus, raw, offers: await raw.hear(SUBJECT, 'contract-worker') };
  }

  /** Tells the agent something and hears its answer. */
  const tell = (raw: Raw, { to = '' }: Seen, type: string, body: unknown, seq?: number): Promise<Seen> =>
    raw.ask(to, body, typed(type, seq));

  it('says which job and attempt it is of, and the pace that is expected', async () => {
    const { bus, raw, offers } = await parties();
    const reply = submit(bus, 5, { job: { id: 'job-1', attempt: 2 }, deadlineMs: SOON });
    const offer = await offers.next();
    const { 'Pith-Call': call, ...others } = offer.headers;
    expect(others).toEqual({
      'Pith-Major': '1',
      'Pith-Deadline-Ms': String(SOON),
      'Pith-Job': 'job-1',
      'Pith-Attempt': '2',
      'Pith-Heartbeat-Ms': '200',
      'Pith-Missed': '10',
    });
    expect([offer.body, offer.to]).toEqual([{ n: 5 }, `${bus.link.inbox}.${String(call)}`]);
    expect(await tell(raw, offer, 'result', { n: 6 })).toMatchObject({ body: {}, headers: {} });
    expect(await reply).toEqual({ n: 6 });
  });

  it('is of a job of its own where none is named', async () => {
    const { bus, raw, offers } = await parties();
    const replies = [submit(bus, 1), submit(bus, 2)];
    const seen = [await offers.next(), await offers.next()];
    const ids = seen.map(({ headers }) => headers['Pith-Job']);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,64}$/);
    expect(new Set(ids).size).toBe(2);
    expect(seen.map(({ headers }) => headers['Pith-Attempt'])).toEqual(['1', '1']);
    for (const offer of seen) await tell(raw, offer, 'result', { n: 1 });
    await Promise.all(replies);
  });

  test.each([
    { id: 'a b', attempt: 1 },
    { id: '', attempt: 1 },
    { id: 'a.b', attempt: 1 },
    { id: 'x'.repeat(65), attempt: 1 },
    { id: 'a', attempt: 0 },
    { id: 'a', attempt: 1.5 },
  ])('a job that no worker would know is not sent: %j', async (job) => {
    const { bus, offers } = await parties();
    await fails(submit(bus, 1, { job }), 'PITH_BUS_BAD_MESSAGE');
    await bus.link.flush();
    expect(offers.rest()).toEqual([]);
  });

  it('heartbeats and results are answered; progress is heard once, in rising order', async () => {
    const { bus, raw, offers } = await parties();
    const heard: number[] = [];
    const reply = submit(bus, 1, { onProgress: ({ n }) => heard.push(n) });
    const offer = await offers.next();
    offer.answer(ACCEPTED, typed('accepted'));
    for (const seq of [1, 3, 2, 3, 4]) offer.answer({ n: seq }, typed('progress', seq));
    expect(await tell(raw, offer, 'heartbeat', {})).toMatchObject({ body: {}, headers: {} });
    expect((await tell(raw, offer, 'result', { n: 9 })).body).toEqual({});
    expect((await reply).n).toBe(9);
    expect(heard).toEqual([1, 3, 4]);
    expect((await tell(raw, offer, 'heartbeat', {})).headers).toMatchObject({ 'Nats-Service-Error-Code': '410' });
  });

  it('an ask is done once, and its answer repeated', async () => {
    const { bus, raw, offers } = await parties();
    let done = 0;
    const reply = submit(bus, 1, { onAsk: async ({ n }) => ({ n: n + ++done }) });
    const offer = await offers.next();
    const answers: Seen[] = [];
    for (const seq of [1, 1, 2]) answers.push(await tell(raw, offer, 'ask', { n: 10 }, seq));
    expect(answers.map(({ body }) => body)).toEqual([{ n: 11 }, { n: 11 }, { n: 12 }]);
    await tell(raw, offer, 'result', { n: 1 });
    await reply;
  });

  it('an ask that fails is answered with its error, repeated like any answer', async () => {
    const { bus, raw, offers } = await parties();
    let done = 0;
    const onAsk = ({ n }: { n: number }): Promise<never> => {
      done++;
      if (n === 3) return Promise.resolve({ n, text: 'x'.repeat(2 ** 20) } as never);
      if (n === 4) return Promise.resolve({ n, at: new Date() } as never);
      return Promise.reject(new PithError('PITH_USAGE', 'no file', { details: { line: 7 } }));
    };
    const reply = submit(bus, 1, { onAsk });
    const offer = await offers.next();
    for (const _ of [1, 2]) {
      expect(await tell(raw, offer, 'ask', { n: 1 }, 1)).toMatchObject({
        headers: failing(500),
        body: { code: 'PITH_USAGE', message: 'no file', details: { line: 7 } },
      });
    }
    const status = async (seq: number, body: unknown) =>
      (await tell(raw, offer, 'ask', body, seq)).headers['Nats-Service-Error-Code'];
    expect([await status(2, { n: 'two' }), await status(3, Buffer.from('{')), await status(4, { n: 3 })]).toEqual([
      '422',
      '422',
      '413',
    ]);
    expect(await status(5, { n: 4 })).toBe('422');
    expect(done).toBe(3);
    await tell(raw, offer, 'result', { n: 1 });
    await reply;
  });

  it('what is no frame of a job is answered with 422 where an answer is awaited, and harms nothing', async () => {
    const { bus, raw, offers } = await parties();
    const reply = submit(bus, 1);
    const offer = await offers.next();
    const status = async (type: string, seq?: number) =>
      (await tell(raw, offer, type, {}, seq)).headers['Nats-Service-Error-Code'];
    expect([await status('ask'), await status('ask', 0), await status('ask', 1.5), await status('rumour')]).toEqual(
      Array(4).fill('422'),
    );
    for (const body of [{}, { worker: 'a b', heartbeatMs: 5 }, { worker: 'w', heartbeatMs: 'x' }, [], null])
      offer.answer(body, typed('accepted'));
    offer.answer(Buffer.from('{'), typed('accepted'));
    await tell(raw, offer, 'result', { n: 3 });
    expect((await reply).n).toBe(3);
  });

  test.each([
    ['progress', Buffer.from('{')],
    ['progress', { n: 'one' }],
    ['result', Buffer.from([0xff])],
    ['result', { n: 'one' }],
  ] as const)('%s that does not fit ends the job with PITH_BUS_BAD_MESSAGE', async (type, body) => {
    const { bus, raw, offers } = await parties();
    const cancels = await raw.hear('pith.v1.ctl.raw-worker.cancel');
    const failed = fails(submit(bus, 1, { job: { id: 'j', attempt: 1 } }), 'PITH_BUS_BAD_MESSAGE');
    const offer = await offers.next();
    offer.answer(ACCEPTED, typed('accepted'));
    if (type === 'result') expect((await tell(raw, offer, type, body)).body).toEqual({});
    else offer.answer(body, typed(type, 1));
    await failed;
    if (type === 'progress') expect((await cancels.next()).body).toEqual({ job: 'j', attempt: 1 });
  });

  it('the error of a worker is acknowledged, and is what it threw', async () => {
    const { bus, raw, offers } = await parties();
    const failed = fails(submit(bus, 1), 'PITH_BUS_REJECTED');
    const offer = await offers.next();
    const head = failing(500);
    const body = { code: 'PITH_LLM_AUTH', message: 'no key', details: { retryAfterMs: 5 } };
    expect((await raw.ask(offer.to ?? '', body, head)).body).toEqual({});
    expect((await failed).details).toMatchObject({ code: 'PITH_LLM_AUTH', details: { retryAfterMs: 5 } });
  });

  it('a worker without room is as nobody, but for details.busy', async () => {
    const { bus, raw, offers } = await parties();
    const failed = fails(submit(bus, 1), 'PITH_BUS_NO_RESPONDER');
    (await offers.next()).answer({}, failing(429));
    expect((await failed).details).toMatchObject({ busy: true });
    await raw.nc.drain();
    expect((await fails(submit(bus, 1), 'PITH_BUS_NO_RESPONDER')).details).not.toHaveProperty('busy');
  });

  it('an offer that nobody accepts, and a worker that falls silent, are lost', async () => {
    const { bus, raw, offers } = await parties({ acceptMs: 100, heartbeatMs: 100, missed: 3 });
    expect((await fails(submit(bus, 1), 'PITH_BUS_RESPONDER_LOST')).details).toMatchObject({ stage: 'offered' });
    await offers.next();
    const probes = await raw.hear('pith.v1.ctl.raw-worker.probe');
    const cancels = await raw.hear('pith.v1.ctl.raw-worker.cancel');
    const lost = fails(submit(bus, 2, { job: { id: 'j', attempt: 1 } }), 'PITH_BUS_RESPONDER_LOST');
    (await offers.next()).answer(ACCEPTED, typed('accepted'));
    expect((await probes.next()).body).toEqual({ job: 'j', attempt: 1 });
    expect((await lost).details).toMatchObject({ stage: 'accepted', sign: 'silent', job: 'j', attempt: 1 });
    expect((await cancels.next()).body).toEqual({ job: 'j', attempt: 1 });
  });

  test.each(['nobody', 'unknown'] as const)('a worker of whom a probe says %s is lost at once', async (sign) => {
    const { bus, raw, offers } = await parties({ missed: 1000 });
    if (sign === 'unknown') {
      const probes = await raw.hear('pith.v1.ctl.raw-worker.probe');
      void (async () => {
        for (const body of [Buffer.from('{'), { known: 'yes' }, { known: true }, { known: false }])
          (await probes.next()).answer(body);
      })();
    }
    const lost = fails(submit(bus, 2), 'PITH_BUS_RESPONDER_LOST');
    (await offers.next()).answer(ACCEPTED, typed('accepted'));
    expect((await lost).details).toMatchObject({ stage: 'accepted', sign });
  });

  it('giving up cancels at the worker by job and attempt, and answers 410 from then on', async () => {
    const { bus, raw, offers } = await parties();
    const cancels = await raw.hear('pith.v1.ctl.raw-worker.cancel');
    const controller = new AbortController();
    const asked = gate();
    const onAsk = (): Promise<never> => {
      asked.open();
      return new Promise(() => undefined);
    };
    const options = { job: { id: 'j', attempt: 3 }, signal: controller.signal, onAsk };
    const failed = fails(submit(bus, 1, options), 'PITH_BUS_CANCELLED');
    const offer = await offers.next();
    offer.answer(ACCEPTED, typed('accepted'));
    const open = tell(raw, offer, 'ask', { n: 1 }, 1);
    await asked.opened;
    controller.abort();
    await failed;
    expect((await cancels.next()).body).toEqual({ job: 'j', attempt: 3 });
    expect((await open).headers).toMatchObject({ 'Nats-Service-Error-Code': '410' });
    expect((await tell(raw, offer, 'result', { n: 1 })).headers).toMatchObject({ 'Nats-Service-Error-Code': '410' });
  });
});
