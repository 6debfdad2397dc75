/** What plugins leave behind when their kernel has stopped (S3.4): whatever still hears, serves, waits or keeps the process alive. */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { createLocalBus } from '../bus/local-bus';
import type { Bus } from '../bus/bus';
import { createVirtualClock } from './virtual-clock';
import type { VirtualClock } from './virtual-clock';

/**
 * Something that was left behind:
 * - `observer` hears an event or hook of the bus
 * - `responder` serves a channel of the bus
 * - `request` waits for a reply of the bus
 * - `timer` was set on the clock, and neither came nor was cancelled
 * - `handle` keeps the process alive: a real timer, a server, a socket, a watched file, a child process
 * - `listener` hears an event of the process
 */
export interface Leak {
  readonly kind: 'observer' | 'responder' | 'request' | 'timer' | 'handle' | 'listener';
  /** Which one: the name of what is heard or served, milliseconds of a timer, the type of a handle. */
  readonly what: string;
}

/** A bus and a clock that are watched; options of `createTestKernel` and `createTestAgent`. */
export interface Watched {
  readonly bus: Bus;
  readonly clock: VirtualClock;
}

/** How leaks are looked for. */
export interface LeakOptions {
  /** Milliseconds that handles have to close after the work has ended; 1000 by default. None of them is waited out in vain. */
  readonly graceMs?: number;
}

/** Turns of the event loop that there are in any case, however slow the machine is. */
const LEAST_TURNS = 64;

/**
 * Everything that work leaves behind; empty is good. The work starts a kernel or an agent on the bus and the clock that it is
 * given, uses it, and stops it again; what it throws is thrown.
 */
export async function checkLeaks(
  work: (watched: Watched) => Promise<unknown>,
  { graceMs = 1000 }: LeakOptions = {},
): Promise<readonly Leak[]> {
  const listening = listenersOfProcess();
  const open = new Set<Leak>();
  using handles = new Handles();
  await handles.watch(() => work({ bus: watchedBus(open), clock: watchedClock(open) }));
  const left = (): readonly Leak[] => [...open, ...handles.left(), ...beyond(listening, listenersOfProcess())];
  const until = performance.now() + graceMs;
  for (let turn = 0; left().length > 0 && (turn < LEAST_TURNS || performance.now() < until); turn++)
    await new Promise((resolve) => setImmediate(resolve));
  return left();
}

/** A local bus that notes whoever hears, serves or waits, until they are done. */
function watchedBus(open: Set<Leak>): Bus {
  const bus = createLocalBus({ report: () => undefined });
  const note = (kind: Leak['kind'], what: string): (() => void) => {
    const leak: Leak = { kind, what };
    open.add(leak);
    return () => void open.delete(leak);
  };
  const noted = (what: string, stop: () => void): (() => void) => {
    const forget = note('observer', what);
    return () => {
      forget();
      stop();
    };
  };
  return {
    ...bus,
    on: (name, observer) => noted(name, bus.on(name, observer)),
    onAny: (observer) => noted('*', bus.onAny(observer)),
    request: (channel, body, options) => bus.request(channel, body, options).finally(note('request', channel.subject)),
    serve(channel, handler, options) {
      const server = bus.serve(channel, handler, options);
      const forget = note('responder', channel.subject);
      return {
        async [Symbol.asyncDispose]() {
          await server[Symbol.asyncDispose]();
          forget();
        },
      };
    },
  };
}

/** A virtual clock that notes its timers until they come or are cancelled. */
function watchedClock(open: Set<Leak>): VirtualClock {
  const clock = createVirtualClock();
  return Object.create(clock, {
    after: {
      value: (ms: number, callback: () => void) => {
        const leak: Leak = { kind: 'timer', what: `${String(ms)} ms` };
        open.add(leak);
        const cancel = clock.after(ms, () => {
          open.delete(leak);
          callback();
        });
        return () => {
          open.delete(leak);
          cancel();
        };
      },
    },
  }) as VirtualClock;
}

/** What has to be closed before a process can end; those that may be open at its end say so. */
interface Handle {
  hasRef?(): boolean;
}

/** The handles that some work opens, told apart from those of whoever runs it: a test runner has timers of its own. */
class Handles implements Disposable {
  readonly #work = new AsyncLocalStorage<this>();
  readonly #opened = new Map<number, { readonly type: string; readonly handle: Handle }>();
  readonly #hook = createHook({
    init: (id, type, _trigger, handle: Handle) => {
      // an immediate is over before anybody could look for it
      if (type === 'Immediate' || typeof handle.hasRef !== 'function') return;
      if (this.#work.getStore() === this) this.#opened.set(id, { type, handle });
    },
    destroy: (id) => void this.#opened.delete(id),
  }).enable();

  watch(work: () => Promise<unknown>): Promise<unknown> {
    return this.#work.run(this, work);
  }

  /** Those that keep the process alive now. */
  left(): readonly Leak[] {
    const alive = [...this.#opened.values()].filter(({ handle }) => handle.hasRef?.() === true);
    return alive.map(({ type }) => ({ kind: 'handle', what: type }));
  }

  [Symbol.dispose](): void {
    this.#hook.disable();
  }
}

function listenersOfProcess(): readonly string[] {
  const names = process.eventNames();
  return names.flatMap((name) => Array.from({ length: process.listenerCount(name) }, () => String(name)));
}

/** The listeners that were not there before. */
function beyond(before: readonly string[], after: readonly string[]): readonly Leak[] {
  const rest = [...before];
  return after.flatMap((what): readonly Leak[] => {
    const at = rest.indexOf(what);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0 ? [] : [{ kind: 'listener', what }];
  });
}
