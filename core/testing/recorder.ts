/** What a test gives a kernel or an agent so that it sees everything, with time and ids in its hand. */
import { createLocalBus } from '../bus/local-bus';
import type { Bus } from '../bus/bus';
import { CLOCK } from '../kernel/clock';
import { IDS } from '../kernel/ids';
import type { Ids } from '../kernel/ids';
import type { LogEntry, LogSink } from '../kernel/logger';
import { defaultService } from '../kernel/services';
import type { DefaultService } from '../kernel/services';
import { recordBus } from './bus-recorder';
import type { BusRecording } from './bus-recorder';
import { createVirtualClock } from './virtual-clock';
import type { VirtualClock } from './virtual-clock';

/** All that is to be seen from outside. */
export interface Recording extends BusRecording {
  /** What `CLOCK` serves; stands still until it is advanced. */
  readonly clock: VirtualClock;
  /** Everything that was logged, from `debug` on. */
  readonly log: readonly LogEntry[];
}

export interface Recorder extends Recording {
  /** For the options of a kernel or an agent. */
  readonly options: { readonly bus: Bus; readonly log: LogSink; readonly defaults: readonly DefaultService[] };
  /** Stops listening and closes the bus. */
  close(): Promise<void>;
}

/** What a test may put in place of the core's own. */
export interface RecorderOptions {
  /** What is served where no plugin does; comes before the core's own. */
  readonly services?: readonly DefaultService[] | undefined;
  /** Shared with a model whose replies take time; one of its own by default. */
  readonly clock?: VirtualClock | undefined;
  /** A bus that reaches other processes; closed with the kernel. A local one by default. */
  readonly bus?: Bus | undefined;
}

/** Makes the eyes and ears of one kernel. Its clock and ids serve where neither a plugin nor `services` do. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { services = [], clock = createVirtualClock(), bus = createLocalBus() } = options;
  const log: LogEntry[] = [];
  const { stop, ...recording } = recordBus(bus);
  return {
    ...recording,
    clock,
    log,
    options: {
      bus,
      log: { level: 'debug', write: (entry) => log.push(entry) },
      defaults: [...services, defaultService(CLOCK, () => clock), defaultService(IDS, createCountedIds)],
    },
    async close() {
      stop();
      await bus.close();
    },
  };
}

/** Ids that are counted by kind: `session-1`, `session-2`, `compaction-1`, … */
export function createCountedIds(): Ids {
  const counts = new Map<string, number>();
  return {
    next(kind) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return `${kind}-${String(count)}`;
    },
  };
}
