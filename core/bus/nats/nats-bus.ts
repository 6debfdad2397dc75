/** The bus over NATS (S4.1, S11): events and topics stay in the process, requests cross. */
import type { PithError } from '../../errors';
import { createBroadcast, warnOfObserver } from '../broadcast';
import type { Bus, ServeOptions } from '../bus';
import type { AnyChannel, AnyOptions, Call } from '../call';
import { messageFault } from '../message';
import type { ObserverFault } from '../observers';
import { cancelled, noResponder, transportClosed } from '../refusals';
import { Responder } from '../responder';
import type { Answer } from '../responder';
import { watchdog } from '../watchdog';
import { encode } from './envelope';
import { denied, Inbox } from './inbox';
import { DEFAULT_TIMINGS } from './job-machine';
import type { Timings } from './job-machine';
import type { Link } from './link-contract';
import { offerJob } from './offer';
import { sendPlainRequest } from './plain-request';
import { Pulse } from './pulse';
import { Served } from './served';
import { channelSubject, checkToken } from './subjects';
import type { Outgoing, Wire } from './wire';
import { Works } from './works';

/** Names, pace and reports of a bus over NATS. */
export interface NatsBusOptions {
  /** The first token of all subjects, `pith` by default. */
  readonly namespace?: string;
  /** The pace of jobs; {@link DEFAULT_TIMINGS} by default. */
  readonly timings?: Partial<Timings>;
  /** Told of observers that throw, once each, and of channels that the server does not let serve; a process warning by default. */
  report?(fault: ObserverFault): void;
}

/** A bus whose requests cross processes. */
export interface NatsBus extends Bus {
  /** Its connection, closed with it. */
  readonly link: Link;
}

/**
 * Makes a bus over a link, of which it is the only one. What is asked while there is no connection fails at once with
 * `PITH_BUS_NO_RESPONDER` and `details.connected` false. Throws `PITH_BUS_BAD_MESSAGE` for a namespace that is not one token.
 */
export function createNatsBus(link: Link, options: NatsBusOptions = {}): NatsBus {
  const { namespace = 'pith', timings, report = warnOfObserver } = options;
  checkToken('namespace', namespace);
  const { silence, ...broadcast } = createBroadcast(report);
  const inbox = new Inbox(link);
  const pulse = new Pulse();
  const host = { report };
  const wire: Wire = { link, namespace, inbox, pulse, host, timings: { ...DEFAULT_TIMINGS, ...timings } };
  const works = new Works(wire);
  const served = new Map<string, Served>();
  /** Subjects of channels on the server, by those of the channels. */
  const subjects = new Map<string, string>();
  let closing: Promise<void> | undefined;

  function subjectOf({ subject }: AnyChannel): string {
    let known = subjects.get(subject);
    if (known === undefined) subjects.set(subject, (known = channelSubject(namespace, subject)));
    return known;
  }

  function request(channel: AnyChannel, body: unknown, options: AnyOptions): Promise<unknown> {
    try {
      const outgoing = outgoingOf(channel, body, options);
      return channel.asks === undefined ? sendPlainRequest(wire, outgoing) : offerJob(wire, outgoing);
    } catch (thrown) {
      return Promise.reject(thrown as PithError);
    }
  }

  /** Throws why a request cannot be sent. */
  function outgoingOf(channel: AnyChannel, body: unknown, options: AnyOptions): Outgoing {
    const { subject } = channel;
    if (closing !== undefined || link.isClosed) throw transportClosed(subject);
    const fault = messageFault(channel.request, body, subject, 'request');
    if (fault !== undefined) throw fault;
    if (options.signal?.aborted === true) throw cancelled(subject, options.signal.reason);
    if (!link.isConnected) throw noResponder(subject, { connected: false });
    return { to: subjectOf(channel), channel, body, data: encode(body, subject), options };
  }

  function serve(channel: AnyChannel, answer: Answer, options?: ServeOptions): AsyncDisposable {
    if (closing !== undefined) throw transportClosed(channel.subject);
    const key = `${channel.subject} ${channel.service ?? ''}`;
    const service = served.get(key) ?? new Served(wire, works, channel);
    served.set(key, service);
    const responder = new Responder(
      channel,
      answer,
      options,
      options?.whenFull === 'refuse' ? service.roomChanged : undefined,
    );
    service.add(responder);
    let retired: Promise<void> | undefined;
    return { [Symbol.asyncDispose]: () => (retired ??= service.retire(responder)) };
  }

  async function close(): Promise<void> {
    silence();
    for (const service of served.values()) service.close();
    for (const call of watchdog.watchedOf(host) as readonly Call[]) call.end(transportClosed(call.channel.subject));
    works.close();
    await link.close();
  }

  function denies(subject: string): void {
    inbox.denied(subject);
    const channel = [...served.values()].find(({ from }) => from === subject);
    if (channel !== undefined) report({ name: channel.subject, error: denied(subject) });
  }

  link.on((event) => {
    if (event.type === 'denied') denies(event.subject);
    else if (event.type === 'closed') closing ??= close();
    else if (event.type === 'reconnected') {
      inbox.reconnected();
      pulse.reconnected();
    }
  });

  return {
    ...broadcast,
    link,
    request: request as Bus['request'],
    serve: serve as Bus['serve'],
    close: () => (closing ??= close()),
  };
}
