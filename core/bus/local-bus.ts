/** The bus in one process (S4.1): events and topics over mitt, requests handed over as the very objects they are (S4.2). */
import { PithError } from '../errors';
import { createBroadcast, warnOfObserver } from './broadcast';
import type { Bus, ServeOptions } from './bus';
import { MadeCall } from './call';
import type { AnyChannel, AnyOptions, Call, CallHost } from './call';
import { messageFault } from './message';
import type { ObserverFault } from './observers';
import { cancelled, noResponder, transportClosed } from './refusals';
import { Responder } from './responder';
import type { Answer } from './responder';
import { Responders } from './responders';
import { watchdog } from './watchdog';

/** How a bus in this process reports. */
export interface LocalBusOptions {
  /** Told of observers that throw, once each; a process warning by default. */
  report?(fault: ObserverFault): void;
}

/** Makes a bus that lives in this process. */
export function createLocalBus(options: LocalBusOptions = {}): Bus {
  const report = options.report ?? warnOfObserver;
  const { silence, ...broadcast } = createBroadcast(report);
  const served = new Map<string, Responders>();
  const host: CallHost = { report };
  let closed = false;

  function request(channel: AnyChannel, body: unknown, options: AnyOptions): Promise<unknown> {
    const { subject, major = 1 } = channel;
    if (closed) return Promise.reject(transportClosed(subject));
    const fault = messageFault(channel.request, body, subject, 'request');
    if (fault !== undefined) return Promise.reject(fault);
    if (options.signal?.aborted === true) return Promise.reject(cancelled(subject, options.signal.reason));
    const responder = served.get(subject)?.take(major) ?? noResponder(subject);
    if (responder instanceof PithError) return Promise.reject(responder);
    const call = new MadeCall(host, responder, channel, body, options);
    responder.accept(call);
    return call.reply;
  }

  function serve(channel: AnyChannel, answer: Answer, options?: ServeOptions): AsyncDisposable {
    const { subject } = channel;
    if (closed) throw transportClosed(subject);
    const responder = new Responder(channel, answer, options);
    const responders = served.get(subject) ?? new Responders(subject);
    served.set(subject, responders);
    responders.add(responder);
    return {
      [Symbol.asyncDispose]() {
        responders.remove(responder);
        return responder.drained();
      },
    };
  }

  return {
    ...broadcast,
    request: request as Bus['request'],
    serve: serve as Bus['serve'],
    close() {
      closed = true;
      silence();
      served.clear();
      for (const call of watchdog.watchedOf(host) as readonly Call[]) call.end(transportClosed(call.channel.subject));
      return Promise.resolve();
    },
  };
}
