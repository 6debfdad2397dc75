/** One beat for all jobs of a bus: each looks at the time every 50 ms, and nothing beats while there is no job. */
import { TICK_MS, watchdog } from '../watchdog';
import type { Watched } from '../watchdog';

/** What must look at the time. */
export interface Beating {
  tick(): void;
  /** The connection was lost and is back. */
  reconnected(): void;
}

export class Pulse implements Watched {
  due = 0;
  slot = -1;
  readonly owner = this;
  readonly #members = new Set<Beating>();
  #now = 0;

  /** Milliseconds on a clock that stands still while the process does, and while nobody follows. */
  get now(): number {
    return this.#now;
  }

  follow(member: Beating): void {
    this.#members.add(member);
    if (this.slot < 0) this.#watch();
  }

  /** Does nothing for what does not follow. */
  leave(member: Beating): void {
    this.#members.delete(member);
    if (this.#members.size === 0) watchdog.unwatch(this);
  }

  reconnected(): void {
    for (const member of [...this.#members]) member.reconnected();
  }

  expire(): void {
    this.#now += TICK_MS;
    for (const member of [...this.#members]) member.tick();
    if (this.#members.size > 0 && this.slot < 0) this.#watch();
  }

  #watch(): void {
    this.due = watchdog.after(1);
    watchdog.watch(this);
  }
}
