/**
 * One interval for all deadlines (S3.6). A timer per call costs more than most calls, so whatever has a deadline is kept in
 * one list that is looked at every {@link TICK_MS}. Time is counted in ticks: a blocked event loop delays deadlines and
 * never makes them early.
 */
import type { PithError } from '../errors';

/** Milliseconds between two looks at the list; deadlines are at most two of them late. */
export const TICK_MS = 50;

/** In place of ticks: it may take as long as it takes. Like all ticks a small integer, which costs nothing to store. */
export const NO_DEADLINE = -1;

/** Something that must end in time. */
export interface Watched {
  /** The tick at which it expires, see {@link Watchdog.after}. */
  due: number;
  /** Its place in the list, -1 while it is not watched; the watchdog's alone to change. */
  slot: number;
  /** Whose work it is, for {@link Watchdog.watchedOf}. */
  readonly owner: object;
  /** Called once, after it was taken off the list. */
  expire(): void;
}

class Watchdog {
  /** Ticks so far. */
  #tick = 0;
  readonly #watched: Watched[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** The tick that comes so many ticks from now, for `due`. */
  after(ticks: number): number {
    return ticks === NO_DEADLINE ? NO_DEADLINE : this.#tick + ticks;
  }

  watch(entry: Watched): void {
    entry.slot = this.#watched.length;
    this.#watched.push(entry);
    if (this.#timer === undefined) this.#arm();
  }

  /** Does nothing for what is not watched. */
  unwatch(entry: Watched): void {
    const { slot } = entry;
    if (slot < 0) return;
    const last = this.#watched.pop() as Watched;
    if (last !== entry) {
      this.#watched[slot] = last;
      last.slot = slot;
    }
    entry.slot = -1;
  }

  watchedOf(owner: object): readonly Watched[] {
    return this.#watched.filter((entry) => entry.owner === owner);
  }

  #arm(): void {
    this.#timer = setInterval(() => this.#look(), TICK_MS).unref();
    process.on('beforeExit', this.#stay);
  }

  #disarm(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    process.removeListener('beforeExit', this.#stay);
  }

  #look(): void {
    this.#tick++;
    for (const entry of this.#watched.filter(({ due }) => due !== NO_DEADLINE && due <= this.#tick)) {
      if (entry.slot < 0) continue; // ended by what expired before it
      this.unwatch(entry);
      entry.expire();
    }
    if (this.#watched.length === 0) this.#disarm();
    else if (!this.#hasDeadline()) this.#timer?.unref();
  }

  /** A process with nothing left to do but wait for a deadline waits for it, instead of ending without a word. */
  readonly #stay = (): void => {
    if (this.#hasDeadline()) this.#timer?.ref();
  };

  #hasDeadline(): boolean {
    return this.#watched.some(({ due }) => due !== NO_DEADLINE);
  }
}

/** The deadlines of this process. */
export const watchdog = new Watchdog();

/** How many ticks a deadline takes: Infinity or null is none, what is not above zero is due at the next tick. */
export function ticksOf(deadlineMs: number | null): number {
  if (deadlineMs === null || deadlineMs === Infinity) return NO_DEADLINE;
  return deadlineMs > 0 ? Math.ceil(deadlineMs / TICK_MS) + 1 : 1;
}

/**
 * Runs something that must end within `deadlineMs` (Infinity: no deadline). When time is up its signal aborts, the promise
 * rejects with the error of `late`, and a later outcome is ignored.
 */
export function within<T>(
  deadlineMs: number,
  run: (signal: AbortSignal) => T | PromiseLike<T>,
  late: () => PithError,
): Promise<T> {
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const entry: Watched = {
      due: watchdog.after(ticksOf(deadlineMs)),
      slot: -1,
      owner: controller,
      expire() {
        const error = late();
        controller.abort(error);
        reject(error);
      },
    };
    watchdog.watch(entry);
    const outcome = new Promise<T>((start) => start(run(controller.signal)));
    outcome.finally(() => watchdog.unwatch(entry)).then(resolve, reject);
  });
}
