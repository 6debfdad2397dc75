/** Who answers a channel in this process: of its requests some at once, the others in line (S4.1). */
import type { ServeOptions } from './bus';
import type { AnyChannel, Call, CallTaker } from './call';

export type Answer = (body: unknown, call: Call) => Promise<unknown>;

export class Responder implements CallTaker {
  readonly #waiting: Call[] = [];
  /** How many it has taken that are not over. */
  #open = 0;
  #working = 0;
  readonly #drained: (() => void)[] = [];

  readonly concurrency: number;
  readonly whenFull: 'wait' | 'refuse';

  /** `changed` is called whenever there may be room where there was none, or the other way round. */
  constructor(
    readonly channel: AnyChannel,
    readonly answer: Answer,
    { concurrency = Infinity, whenFull = 'wait' }: ServeOptions = {},
    private readonly changed?: () => void,
  ) {
    this.concurrency = concurrency;
    this.whenFull = whenFull;
  }

  /** Whether it is as if it were not there. */
  get refuses(): boolean {
    return this.whenFull === 'refuse' && this.load >= this.concurrency;
  }

  /** Requests it has taken and not ended. */
  get load(): number {
    return this.#working + this.#waiting.length;
  }

  accept(call: Call): void {
    this.#open++;
    this.#waiting.push(call);
    this.changed?.();
    if (this.#waiting.length === 1) queueMicrotask(() => this.#next());
  }

  /** Forgets a call that is answered or over; one that still waits is never begun. */
  settled(call: Call): void {
    const place = this.#waiting.indexOf(call);
    if (place >= 0) this.#waiting.splice(place, 1);
    this.#open--;
    this.changed?.();
    if (this.#open === 0) for (const drained of this.#drained.splice(0)) drained();
  }

  /** Resolves when every accepted call is answered or over. */
  drained(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #next(): void {
    while (this.#working < this.concurrency) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      void this.#work(call);
    }
  }

  /** The place is free again when the work has really ended, also where the call was over before. */
  async #work(call: Call): Promise<void> {
    this.#working++;
    try {
      call.answer(await this.answer(call.body, call));
    } catch (thrown) {
      call.reject(thrown);
    } finally {
      this.#working--;
      this.#next();
      this.changed?.();
    }
  }
}

/** The responder that has the least to do, of those that take any. */
export function leastLoaded(responders: readonly Responder[]): Responder | undefined {
  let least: Responder | undefined;
  for (const responder of responders) {
    if (!responder.refuses && (least === undefined || responder.load < least.load)) least = responder;
  }
  return least;
}
