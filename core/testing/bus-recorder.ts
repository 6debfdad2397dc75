/** Everything that a bus carries, kept in order: events, and the hooks that were dispatched (S3.7). */
import type { Bus, EventMap, EventName, ObservedMap, ObservedName } from '../bus/bus';
import type { HookEvent, HookName } from '../kernel/hook-map';

/** An event of the bus, or a hook that was dispatched, under the name that observers hear. */
export interface Heard {
  readonly name: string;
  readonly payload: unknown;
}

/** What was heard of a bus. */
export interface BusRecording {
  /** Every event and hook, in order. */
  readonly heard: readonly Heard[];
  /** The payloads of an event, in order. */
  events<K extends EventName>(name: K): readonly EventMap[K][];
  /** What the handlers of a hook were told, in order; each as it was before the first of them. */
  hooks<K extends HookName>(name: K): readonly HookEvent<K>[];
  /** The next payload under a name (`hook:<name>` for a hook) that `accepts` takes, any by default; from now on. */
  next<K extends ObservedName>(name: K, accepts?: (payload: ObservedMap[K]) => boolean): Promise<ObservedMap[K]>;
}

/** A recording that can be ended. */
export interface BusRecorder extends BusRecording {
  /** Hears nothing more; what was heard stays. */
  stop(): void;
}

/** Records a bus from now on, before the handlers of any hook; for a kernel or an agent of one's own. */
export function recordBus(bus: Bus): BusRecorder {
  const heard: Heard[] = [];
  const stops = new Set([bus.onAny((name, payload) => heard.push({ name, payload }))]);
  const payloads = (name: string): readonly unknown[] =>
    heard.flatMap((one) => (one.name === name ? [one.payload] : []));
  return {
    heard,
    events: <K extends EventName>(name: K) => payloads(name) as readonly EventMap[K][],
    hooks: <K extends HookName>(name: K) => payloads(`hook:${name}`) as readonly HookEvent<K>[],
    next: (name, accepts = () => true) =>
      new Promise((resolve) => {
        const stop = bus.on(name, (payload) => {
          if (!accepts(payload)) return;
          stop();
          stops.delete(stop);
          resolve(payload);
        });
        stops.add(stop);
      }),
    stop() {
      for (const stop of stops) stop();
      stops.clear();
    },
  };
}
