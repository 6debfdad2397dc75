/** Events and topics (S3.7, S4.3): always in this process, whatever carries the requests. */
import type { Bus } from './bus';
import { createObservers } from './observers';
import type { ObserverFault } from './observers';

/** The part of a bus that never leaves the process. */
export interface Broadcast extends Pick<Bus, 'publish' | 'on' | 'onAny' | 'hears' | 'topic'> {
  /** From now on nothing that is published is heard. */
  silence(): void;
}

/** Makes the events and topics of one bus. */
export function createBroadcast(report: (fault: ObserverFault) => void): Broadcast {
  const observers = createObservers(report);
  let silent = false;
  return {
    publish(event, payload) {
      if (!silent) observers.emit(event, payload);
    },
    on: (name, observer) => observers.on(name, observer),
    onAny: (observer) => observers.onAny(observer),
    hears: (name) => !silent && observers.isNamed(name),
    topic: (name, work) => (message, signal) => {
      if (observers.hears(name)) observers.emit(name, message);
      return work(message, signal);
    },
    silence() {
      silent = true;
      observers.clear();
    },
  };
}

/** Tells of a failed observer by a warning of the process. */
export function warnOfObserver({ name, error }: ObserverFault): void {
  process.emitWarning(`An observer of "${name}" failed; the others and the sender go on.`, {
    code: 'PITH_OBSERVER_FAILED',
    detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
}
