/** The bus in one process (S4.1): events and topics over mitt, requests handed over as the very objects they are (S4.2). */
import { PithError } from '../errors';
import type { Bus, Channel, RequestOptions, ServedCall, ServeOptions } from './bus';
import { Call, cancelled } from './call';
import type { AnyChannel, AnyOptions, CallHost } from './call';
import { messageFault } from './message';
import { createObservers } from './observers';
import type { ObserverFault } from './observers';
import { leastLoaded, Responder } from './responder';
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

  function request(channel: AnyChannel, body: unknown, options: AnyOptions): Promise<unknown> {
    const { subject } = channel;
    if (closed) return Promise.reject(transportClosed(subject));
    const fault = messageFault(channel.request, body, subject, 'request');
    if (fault !== undefined) return Promise.reject(fault);
    if (options.signal?.aborted === true) return Promise.reject(cancelled(subject, options.signal.reason));
    const responder = leastLoaded(responders.get(keyOf(channel)) ?? []);
    if (responder === undefined) return Promise.reject(noResponder(subject));
    const call = new Call(host, responder, channel, body, options);
    responder.accept(call);
    return call.reply;
  }

  function serve(
    channel: AnyChannel,
    answer: Answer,
    { concurrency = Infinity, whenFull = 'wait' }: ServeOptions = {},
  ): AsyncDisposable {
    if (closed) throw transportClosed(channel.subject);
    const key = keyOf(channel);
    const responder = new Responder(answer, concurrency, whenFull);
    responders.set(key, [...(responders.get(key) ?? []), responder]);
    return {
      [Symbol.asyncDispose]() {
        const others = responders.get(key)?.filter((other) => other !== responder) ?? [];
        responders.set(key, others);
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
    request: <Q, S, G, A, B>(channel: Channel<Q, S, G, A, B>, body: Q, options: RequestOptions<G, A, B>) =>
      request(channel as AnyChannel, body, options as AnyOptions) as Promise<S>,
    serve: <Q, S, G, A, B>(
      channel: Channel<Q, S, G, A, B>,
      handler: (body: Q, call: ServedCall<G, A, B>) => Promise<S>,
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

/** Majors of one subject have nothing to do with each other (S4.2). */
function keyOf({ subject, major = 1 }: AnyChannel): string {
  return `${subject} ${String(major)}`;
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
