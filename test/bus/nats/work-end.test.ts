import type { PithError } from '../../../core';
import { aborted, gate, work } from '../../../core/testing/bus-channel';
import type { Timings } from '../../../core/bus/nats';
import { describeWithNats } from '../../support/nats-server';
import { failing, jobHead, partiesOf, typeIs } from './raw-wire';

const SUBJECT = 'pith.v1.contract.job';

describeWithNats('the end of the work on a job on the wire', () => {
  const open = partiesOf();

  async function parties(timings?: Partial<Timings>) {
    const { bus, raw } = await open(timings);
    const { name } = bus.link;
    return { bus, raw, cancel: `pith.v1.ctl.${name}.cancel`, probe: `pith.v1.ctl.${name}.probe` };
  }

  /** Serves jobs that end when they are told to stop; tells of each how it began and why it ended. */
  function serveUntilStopped(bus: Parameters<typeof work>[0]) {
    const begun = new Map<number, ReturnType<typeof gate<void>>>();
    const ended: Record<number, Promise<string>> = {};
    const of = (n: number) => begun.get(n) ?? begun.set(n, gate<void>()).get(n);
    work(bus, async ({ n }, { signal }) => {
      ended[n] = aborted(signal).then(() => (signal.reason as PithError).code);
      of(n)?.open();
      await aborted(signal);
      return { n };
    });
    return {
      begun: (n: number) => of(n)?.opened,
      ended: (n: number) => ended[n],
    };
  }

  it('stops when it is cancelled, when an answer says 410, and when nobody is there any more', async () => {
    const { bus, raw, cancel, probe } = await parties();
    const jobs = serveUntilStopped(bus);
    await bus.link.flush();
    const frames = await Promise.all([1, 2, 3].map((n) => raw.offer(SUBJECT, { n }, jobHead(`stop-${String(n)}`))));
    for (const n of [1, 2, 3]) await jobs.begun(n);
    const about = { job: 'stop-1', attempt: 1 };
    for (const body of [{ job: 'stop-1', attempt: 2 }, { job: 1 }, Buffer.from('{'), [], null]) raw.say(cancel, body);
    expect((await raw.ask(probe, about)).body).toEqual({ known: true });
    raw.say(cancel, about);
    expect(await jobs.ended(1)).toBe('PITH_BUS_CANCELLED');
    expect((await raw.ask(probe, about)).body).toEqual({ known: false });
    const beat = await frames[1]?.next(typeIs('heartbeat'));
    beat?.answer({}, failing(410));
    expect(await jobs.ended(2)).toBe('PITH_BUS_CANCELLED');
    await raw.nc.close();
    expect(await jobs.ended(3)).toBe('PITH_BUS_CANCELLED');
  });

  it('stops when nothing is answered for too long, and when the time is over', async () => {
    const { bus, raw } = await parties({ heartbeatMs: 100, missed: 3 });
    const jobs = serveUntilStopped(bus);
    await bus.link.flush();
    await raw.offer(SUBJECT, { n: 1 }, jobHead('silent'));
    await raw.offer(SUBJECT, { n: 2 }, jobHead('late', 1, { 'Pith-Deadline-Ms': '50' }));
    for (const n of [1, 2]) await jobs.begun(n);
    expect(await jobs.ended(2)).toBe('PITH_BUS_TIMEOUT');
    expect(await jobs.ended(1)).toBe('PITH_BUS_CANCELLED');
  });

  it('of one job a later attempt ends the earlier; the same or an earlier one is ignored, also when it has ended', async () => {
    const { bus, raw } = await parties();
    const jobs = serveUntilStopped(bus);
    await bus.link.flush();
    await raw.offer(SUBJECT, { n: 2 }, jobHead('twice', 2));
    await jobs.begun(2);
    const ignored = [
      await raw.offer(SUBJECT, { n: 21 }, jobHead('twice', 2)),
      await raw.offer(SUBJECT, { n: 1 }, jobHead('twice', 1)),
    ];
    const third = await raw.offer(SUBJECT, { n: 3 }, jobHead('twice', 3));
    await jobs.begun(3);
    expect(await jobs.ended(2)).toBe('PITH_BUS_CANCELLED');
    expect((await third.next()).headers).toMatchObject({ 'Pith-Type': 'accepted' });
    raw.say(`pith.v1.ctl.${bus.link.name}.cancel`, { job: 'twice', attempt: 3 });
    expect(await jobs.ended(3)).toBe('PITH_BUS_CANCELLED');
    ignored.push(await raw.offer(SUBJECT, { n: 31 }, jobHead('twice', 3)));
    await raw.ask(SUBJECT, { n: 'marks that all before it has come' }, jobHead('marker'));
    expect(ignored.flatMap((frames) => frames.rest())).toEqual([]);
  });

  it('a worker that closes says so to who waits: 410', async () => {
    const { bus, raw } = await parties();
    const jobs = serveUntilStopped(bus);
    await bus.link.flush();
    const frames = await raw.offer(SUBJECT, { n: 1 }, jobHead('closing'));
    await jobs.begun(1);
    await bus.close();
    expect(await jobs.ended(1)).toBe('PITH_BUS_TRANSPORT_CLOSED');
    const { headers } = await frames.next(typeIs('error'));
    expect(headers).toMatchObject({ 'Nats-Service-Error-Code': '410' });
  });

  it('a worker that is disposed stays until its last result is acknowledged', async () => {
    const { bus, raw } = await parties();
    const serving = work(bus, async ({ n }) => ({ n }));
    await bus.link.flush();
    const frames = await raw.offer(SUBJECT, { n: 1 }, jobHead('last'));
    await frames.next(typeIs('result'));
    let isOver = false;
    const disposed = serving[Symbol.asyncDispose]().then(() => (isOver = true));
    await frames.next(typeIs('result'));
    const again = await frames.next(typeIs('result'));
    expect(isOver).toBe(false);
    again.answer({});
    await disposed;
    expect((await raw.ask(SUBJECT, { n: 2 }, jobHead('none'))).headers).toEqual({});
  });
});
