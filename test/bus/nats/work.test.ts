import { PithError } from '../../../core';
import { fails, work } from '../../../core/testing/bus-channel';
import type { Timings } from '../../../core/bus/nats';
import type { Answer } from '../../../core/testing/bus-channel';
import { describeWithNats } from '../../support/nats-server';
import { BRISK, failing, jobHead, partiesOf, typeIs } from './raw-wire';
import type { Seen, Stream } from './raw-wire';

const SUBJECT = 'pith.v1.contract.job';

/** Answers the heartbeats and the reply of a worker, as any agent does; resolves with its reply. */
async function result(frames: Stream): Promise<Seen> {
  for (;;) {
    const frame = await frames.next(typeIs('heartbeat', 'result', 'error'));
    frame.answer({});
    if (!typeIs('heartbeat')(frame)) return frame;
  }
}

describeWithNats('the work on a job on the wire', () => {
  const open = partiesOf();

  async function parties(timings?: Partial<Timings>) {
    const { bus, raw } = await open(timings);
    const { name } = bus.link;
    return { bus, raw, cancel: `pith.v1.ctl.${name}.cancel`, probe: `pith.v1.ctl.${name}.probe` };
  }

  it('accepts, lives, tells its progress in rising order, asks by number, and hands in its result', async () => {
    const { bus, raw } = await parties();
    work(bus, async ({ n }, call) => {
      call.progress({ n: 1 });
      call.progress({ n: 2 });
      const answers = await Promise.all([call.ask({ n: 10 }), call.ask({ n: 20 })]);
      return { n: n + answers.reduce((sum, answer) => sum + answer.n, 0) };
    });
    await bus.link.flush();
    const frames = await raw.offer(SUBJECT, { n: 1 }, jobHead('j-1'));
    expect(await frames.next()).toMatchObject({
      headers: { 'Pith-Type': 'accepted' },
      body: { worker: bus.link.name, heartbeatMs: BRISK.heartbeatMs },
      to: '',
    });
    for (const n of [1, 2]) {
      const { headers, body, to } = await frames.next();
      expect([headers, body, to]).toEqual([{ 'Pith-Type': 'progress', 'Pith-Seq': String(n) }, { n }, '']);
    }
    const asks = [await frames.next(typeIs('ask')), await frames.next(typeIs('ask'))];
    expect(asks.map(({ headers, body }) => [headers['Pith-Seq'], body])).toEqual([
      ['1', { n: 10 }],
      ['2', { n: 20 }],
    ]);
    for (const { answer, body } of asks.reverse()) answer({ n: (body as Answer).n * 2 });
    const beat = await frames.next(typeIs('heartbeat'));
    expect([beat.body, beat.to?.startsWith(`${bus.link.inbox}.`)]).toEqual([{}, true]);
    expect(await result(frames)).toMatchObject({ headers: { 'Pith-Type': 'result' }, body: { n: 61 } });
  });

  it('keeps the faster pace of both', async () => {
    const { bus, raw } = await parties();
    work(bus, async ({ n }) => ({ n }));
    await bus.link.flush();
    for (const [expected, kept] of [
      ['100', 100],
      ['100000', 200],
    ] as const) {
      const frames = await raw.offer(
        SUBJECT,
        { n: 1 },
        jobHead(`pace-${expected}`, 1, { 'Pith-Heartbeat-Ms': expected }),
      );
      expect((await frames.next()).body).toMatchObject({ heartbeatMs: kept });
      await result(frames);
    }
  });

  it('sends an ask again under its number until it is answered, also after 429, and a result until it is acknowledged', async () => {
    const { bus, raw } = await parties();
    work(bus, (_, call) => call.ask({ n: 5 }));
    await bus.link.flush();
    const frames = await raw.offer(SUBJECT, { n: 1 }, jobHead('again'));
    const asks: Seen[] = [];
    while (asks.length < 4) {
      asks.push(await frames.next(typeIs('ask')));
      if (asks.length === 2) asks[1]?.answer({}, failing(429));
    }
    expect(asks.map(({ headers, body }) => [headers['Pith-Seq'], body])).toEqual(Array(4).fill(['1', { n: 5 }]));
    for (const { answer } of asks) answer({ n: 6 });
    const results = [await frames.next(typeIs('result')), await frames.next(typeIs('result'))];
    expect(results.map(({ body }) => body)).toEqual([{ n: 6 }, { n: 6 }]);
    results[0]?.answer({});
    const known = await raw.ask(`pith.v1.ctl.${bus.link.name}.probe`, { job: 'again', attempt: 1 });
    expect(known.body).toEqual({ known: false });
  });

  it('an ask that is answered by an error fails with what that says; the job goes on', async () => {
    const { bus, raw } = await parties();
    const errors: unknown[] = [];
    work(bus, async ({ n }, call) => {
      for (const code of [
        'PITH_BUS_REJECTED',
        'PITH_BUS_BAD_MESSAGE',
        'PITH_BUS_BAD_MESSAGE',
        'PITH_BUS_TOO_LARGE',
      ] as const)
        errors.push((await fails(call.ask({ n: 1 }), code)).message);
      errors.push(
        (await fails(call.ask({ n: 1, text: 'x'.repeat(2 ** 20) }), 'PITH_BUS_TOO_LARGE')).details?.['subject'],
      );
      errors.push(
        (await fails(call.ask({ n: 1, at: new Date() } as never), 'PITH_BUS_BAD_MESSAGE')).details?.['subject'],
      );
      return { n };
    });
    await bus.link.flush();
    const frames = await raw.offer(SUBJECT, { n: 3 }, jobHead('asks'));
    const answers = [
      [{ code: 'PITH_USAGE', message: 'no file' }, '500'],
      [{ message: 'not so' }, '422'],
      [{ n: 'one' }, undefined],
      [{ message: 'much' }, '413'],
    ] as const;
    for (const [body, status] of answers) {
      const ask = await frames.next(typeIs('ask'));
      ask.answer(body, status === undefined ? {} : { 'Pith-Type': 'error', 'Nats-Service-Error-Code': status });
    }
    expect((await result(frames)).body).toEqual({ n: 3 });
    expect(errors[0]).toContain('no file');
    expect(errors[2]).toContain('n: expected a number');
    expect(errors.slice(4)).toEqual(['contract.job', 'contract.job']);
  });

  it('what it throws, and a reply or progress that cannot be sent, is an error that wants to be acknowledged', async () => {
    const { bus, raw } = await parties();
    work(bus, async ({ n }, call) => {
      if (n === 0) throw new PithError('PITH_USAGE', 'no model', { details: { ms: 1, at: new Date() } });
      if (n === 1) return { n: 'one' } as never;
      if (n === 2) return { n, at: new Date() } as never;
      if (n === 3) return { n, text: 'x'.repeat(2 ** 20) } as never;
      call.progress(n === 4 ? ({ n: 'half' } as never) : ({ n, text: 'x'.repeat(2 ** 20) } as never));
      return { n };
    });
    await bus.link.flush();
    const statuses: unknown[] = [];
    for (let n = 0; n < 6; n++) {
      const { headers, body, to } = await result(await raw.offer(SUBJECT, { n }, jobHead(`bad-${String(n)}`)));
      expect([headers['Pith-Type'], to === '']).toEqual(['error', false]);
      statuses.push([headers['Nats-Service-Error-Code'], (body as PithError).code]);
      if (n === 0) expect(body).toEqual({ code: 'PITH_USAGE', message: 'no model', details: { ms: 1 } });
    }
    expect(statuses).toEqual([
      ['500', 'PITH_USAGE'],
      ['422', 'PITH_BUS_BAD_MESSAGE'],
      ['422', 'PITH_BUS_BAD_MESSAGE'],
      ['413', 'PITH_BUS_TOO_LARGE'],
      ['422', 'PITH_BUS_BAD_MESSAGE'],
      ['413', 'PITH_BUS_TOO_LARGE'],
    ]);
  });

  test.each([
    ['says of no job', { n: 1 }, { 'Pith-Major': '1' }],
    ['says of a job that is none', { n: 1 }, jobHead('a.b')],
    ['says of an attempt that is none', { n: 1 }, { ...jobHead('a'), 'Pith-Attempt': '-1' }],
    ['says of a pace that is none', { n: 1 }, jobHead('a', 1, { 'Pith-Heartbeat-Ms': 'soon' })],
    ['does not fit', { n: 'one' }, jobHead('a')],
    ['is no JSON', Buffer.from('{'), jobHead('a')],
  ])('an offer that %s is answered with 422 and begins nothing', async (_, body, headers) => {
    const { bus, raw } = await parties();
    work(bus, async ({ n }) => ({ n }));
    await bus.link.flush();
    const answer = await raw.ask(SUBJECT, body, headers);
    expect(answer.headers).toMatchObject(failing(422));
  });
});
