/** The bus in one process (S4.1): events and topics over mitt, requests handed over as the very objects they are (S4.2). */
import { PithError } from '../errors';
import type { Bus, Channel, RequestOptions, ServedCall, ServeOptions } from './bus';
import { Call, cancelled } from './call';
import type { AnyChannel, CallHost } from './call';
import { messageFault } from './message';
import { createObservers } from './observers';
import type { ObserverFault } from './observers';
import { Responder } from './responder';
import type { Answer } from './responder';
import { watchdog } from './watchdog';

export interface LocalBusOptions {
  /** Told of observers that throw, once each; a process warning by default. */
  report?(fault: ObserverFault): void;
}

/** Makes a bus that lives in this process. */
export function createLocalBus(options: LocalBusOptions = {}): Bus {
  const report = options.report ?? warn;
  const observers = createObservers(report);
  const responders = new Map<string, Responder[]>();
  const host: CallHost = { report };
  let closed = false;

  function request(channel: AnyChannel, body: unknown, options: RequestOptions<unknown>): Promise<unknown> {
    const { subject } = channel;
    if (closed) return Promise.reject(transportClosed(subject));
    const fault = messageFault(channel.request, body, subject, 'request');
    if (fault !== undefined) return Promise.reject(fault);
    if (options.signal?.aborted === true) return Promise.reject(cancelled(subject, options.signal.reason));
    const responder = leastLoaded(responders.get(subject) ?? []);
    if (responder === undefined) return Promise.reject(noResponder(subject));
    const call = new Call(host, responder, channel, body, options);
    responder.accept(call);
    return call.reply;
  }

  function serve(
    { subject }: AnyChannel,
    answer: Answer,
    { concurrency = Infinity }: ServeOptions = {},
  ): AsyncDisposable {
    if (closed) throw transportClosed(subject);
    const responder = new Responder(answer, concurrency);
    responders.set(subject, [...(responders.get(subject) ?? []), responder]);
    return {
      [Symbol.asyncDispose]() {
        const others = responders.get(subject)?.filter((other) => other !== responder) ?? [];
        responders.set(subject, others);
        return responder.drained();
      },
    };
  }

  return {
    publish(event, payload) {
      if (!closed) observers.emit(event, payload);
    },
    on: (name, observer) => observers.on(name, observer),
    onAny: (observer) => observers.onAny(observer),
    topic: (name, work) => (message, signal) => {
      if (observers.hears(name)) observers.emit(name, message);
      return work(message, signal);
    },
    request: <Q, S, G>(channel: Channel<Q, S, G>, body: Q, options: RequestOptions<G>) =>
      request(channel as AnyChannel, body, options as RequestOptions<unknown>) as Promise<S>,
    serve: <Q, S, G>(
      channel: Channel<Q, S, G>,
      handler: (body: Q, call: ServedCall<G>) => Promise<S>,
      options?: ServeOptions,
    ) => serve(channel as AnyChannel, handler as Answer, options),
    close() {
      closed = true;
      observers.clear();
      responders.clear();
      for (const call of watchdog.watchedOf(host) as readonly Call[]) call.end(transportClosed(call.channel.subject));
      return Promise.resolve();
    },
  };
}

function leastLoaded(responders: readonly Responder[]): Responder | undefined {
  return responders.reduce<Responder | undefined>(
    (least, responder) => (least === undefined || responder.load < least.load ? responder : least),
    undefined,
  );
}

function noResponder(subject: string): PithError {
  return new PithError(
    'PITH_BUS_NO_RESPONDER',
    `Nobody serves "${subject}"; start what answers it, or check its name.`,
    {
      details: { subject },
    },
  );
}

function transportClosed(subject: string): PithError {
  return new PithError(
    'PITH_BUS_TRANSPORT_CLOSED',
    `The bus is closed; "${subject}" can neither be asked nor served.`,
    {
      details: { subject },
    },
  );
}

function warn({ name, error }: ObserverFault): void {
  process.emitWarning(`An observer of "${name}" failed; the others and the sender go on.`, {
    code: 'PITH_OBSERVER_FAILED',
    detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
}
