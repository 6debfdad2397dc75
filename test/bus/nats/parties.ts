/** Agents and workers on our own transport, at a pace that suits tests, with what the server denies them. */
import type { PithError } from '../../../core';
import { createNatsBus, openLink, type Link, type LinkEvent, type NatsBus } from '../../../core/bus/nats';
import { createVirtualClock } from '../../../core/testing';
import { remoteWorker, serveCompactWorker } from '../../../plugins/compaction';
import type { CompactWorker, Desk, WorkerReport } from '../../../plugins/compaction';
import { JOB, recordingDesk } from '../../plugins/compaction/remote-kit';
import type { NatsServer } from '../../support/nats-server';
import type { Seat } from './plain-peers';

const clock = createVirtualClock();
const timings = { acceptMs: 1000, heartbeatMs: 250, probeMs: 50, resendMs: 100 };

export interface Party extends AsyncDisposable {
  readonly bus: NatsBus;
  readonly link: Link;
  /** What the bus has reported. */
  readonly faults: readonly PithError[];
  /** What the server has denied, as `publish SUBJECT` or `subscribe SUBJECT`. */
  readonly denied: readonly string[];
  /** Resolves with an event of the connection, also one that has been. */
  until(type: LinkEvent['type']): Promise<LinkEvent>;
}

/** Opens a bus for whoever has this seat, connected or not. */
export async function joining({ url }: NatsServer, { link: options }: Seat): Promise<Party> {
  const servers = options.tls === undefined ? url : url.replace('nats:', 'tls:');
  const link = await openLink({ ...options, servers });
  const faults: PithError[] = [];
  const denied: string[] = [];
  const events: LinkEvent[] = [];
  link.on((event) => {
    events.push(event);
    if (event.type === 'denied') denied.push(`${event.operation} ${event.subject}`);
  });
  const bus = createNatsBus(link, { timings, report: ({ error }) => void faults.push(error as PithError) });
  return {
    bus,
    link,
    faults,
    denied,
    until: (type) =>
      new Promise((resolve) => {
        const known = events.find((event) => event.type === type);
        if (known !== undefined) return resolve(known);
        const stop = link.on((event) => {
          if (event.type !== type) return;
          stop();
          resolve(event);
        });
      }),
    [Symbol.asyncDispose]: () => bus.close(),
  };
}

/** The same, when it is connected. */
export async function joined(server: NatsServer, seat: Seat): Promise<Party> {
  const party = await joining(server, seat);
  await party.until('connected');
  return party;
}

/** Has a job of the pool with this subject done by whoever serves it. */
export function offer(
  { bus }: Party,
  subject: string,
  { desk = recordingDesk(), signal = new AbortController().signal }: { desk?: Desk; signal?: AbortSignal } = {},
): Promise<WorkerReport> {
  return remoteWorker({ bus, clock, ...poolOf(subject) }).run(JOB, desk, { signal, progress: () => undefined });
}

/** Serves the jobs of that pool; resolves when the server has heard of it. */
export async function serving({ bus, link }: Party, subject: string, worker: CompactWorker): Promise<void> {
  serveCompactWorker(bus, worker, poolOf(subject));
  await link.flush();
}

function poolOf(subject: string): { readonly tenant: string; readonly pool: string } {
  const [tenant = '', pool = ''] = subject.split('.').slice(3);
  return { tenant, pool };
}
