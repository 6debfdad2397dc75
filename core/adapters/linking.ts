/** Which item of a log holds what a host shows: messages and calls in their order, results by their call. */
import type { NewItem } from '../session/items';
import { isOfReply } from './same-item';
import type { ToldLog } from './told-log';

/** Not in the log yet. */
export const NEW = -1;

/** One walk along a log, with what the host shows in its order. */
export class Linking {
  /** Number of the first item of the log that is not what the host shows. */
  divergence: number | undefined;
  readonly #log: ToldLog;
  /** Which message or call of the log comes next. */
  #cursor: number;
  /** The newest reasoning that was linked. */
  #reasoned: number;
  /** Whether the reply that is looked at shows reasoning that the log does not hold. */
  #showsMore = false;
  #hasLeft = false;

  /** `cursor` and `reasoned` say what was linked before. */
  constructor(log: ToldLog, cursor: number, reasoned: number) {
    this.#log = log;
    this.#cursor = cursor;
    this.#reasoned = reasoned;
  }

  /** The number of a message, call or reasoning, or {@link NEW}. */
  said(item: NewItem): number {
    if (!isOfReply(item)) this.#showsMore = false;
    const next = this.#log.spoken[this.#cursor];
    if (this.#hasLeft) return NEW;
    if (item.kind === 'reasoning') return this.#reasoning(item, next);
    if (next === undefined) return NEW;
    // Reasoning cannot be put into the log before what is in it, so the reply is another one.
    if (!this.#showsMore && this.#log.holds(next, item)) {
      this.#cursor++;
      return next;
    }
    this.#hasLeft = true;
    this.#diverge(this.#log.replyStart(next));
    return NEW;
  }

  /** The number of a result, by that of its call. */
  result(call: number, item: NewItem): number {
    this.#showsMore = false;
    const number = this.#log.results.get(call);
    if (number === undefined) return NEW;
    if (this.#log.holds(number, item)) return number;
    this.#diverge(number);
    return NEW;
  }

  #reasoning(item: NewItem, next = Infinity): number {
    const { reasoning } = this.#log;
    const before = Math.max(this.#reasoned, this.#log.spoken[this.#cursor - 1] ?? -1);
    let at = reasoning.length;
    while (at > 0 && (reasoning[at - 1] as number) > before) at--;
    for (; at < reasoning.length; at++) {
      const number = reasoning[at] as number;
      if (number < next && this.#log.holds(number, item)) return (this.#reasoned = number);
    }
    this.#showsMore = true;
    return NEW;
  }

  #diverge(number: number): void {
    this.divergence = Math.min(this.divergence ?? Infinity, number);
  }
}
