/**
 * What a worker has asked in one job, as the agent keeps it: each ask is done once, however often its number comes, and its
 * answer repeated. What an agent has to keep is bounded whatever a worker sends (S11).
 *
 * - A number that comes again while it is being done is answered where it was asked last.
 * - At most {@link OPEN_ASKS} are being done; one more is denied with 429 and may come again.
 * - The newest {@link KEPT_ANSWERS} answers by number are kept. An older number that is not being done is denied with 422,
 *   whether it was ever done or not. A worker that has at most 16 successive numbers open never meets this for an ask that
 *   it still waits for.
 */
import { KEPT_ANSWERS, OPEN_ASKS } from './job-machine';
import type { OfferAction, ReplyTo } from './job-machine';

/** `done` is undefined while the ask is being done. */
interface Entry {
  to: ReplyTo;
  done: { readonly answer: unknown } | undefined;
}

export class AskLedger {
  readonly #entries = new Map<number, Entry>();
  #newest = 0;

  /** An ask has come, for the first time or again. */
  ask(seq: number, ask: unknown, to: ReplyTo): readonly OfferAction[] {
    const known = this.#entries.get(seq);
    if (known !== undefined) {
      known.to = to;
      return known.done === undefined ? [] : [{ type: 'answer', seq, answer: known.done.answer, to }];
    }
    if (this.#isOld(seq)) return [{ type: 'deny', code: 422, to }];
    if (this.#open().length >= OPEN_ASKS) return [{ type: 'deny', code: 429, to }];
    this.#entries.set(seq, { to, done: undefined });
    this.#newest = Math.max(this.#newest, seq);
    this.#forget();
    return [{ type: 'execute', seq, ask }];
  }

  /** An ask is done; what is not known here has no answer. */
  answered(seq: number, answer: unknown): readonly OfferAction[] {
    const entry = this.#entries.get(seq);
    if (entry === undefined || entry.done !== undefined) return [];
    entry.done = { answer };
    this.#forget();
    return [{ type: 'answer', seq, answer, to: entry.to }];
  }

  /** The job is over: nothing is answered any more, and who waits is told so. */
  close(): readonly OfferAction[] {
    const denials = this.#open().map(({ to }): OfferAction => ({ type: 'deny', code: 410, to }));
    this.#entries.clear();
    return denials;
  }

  #open(): readonly Entry[] {
    return [...this.#entries.values()].filter(({ done }) => done === undefined);
  }

  #isOld(seq: number): boolean {
    return seq <= this.#newest - KEPT_ANSWERS;
  }

  #forget(): void {
    for (const [seq, { done }] of this.#entries) if (done !== undefined && this.#isOld(seq)) this.#entries.delete(seq);
  }
}
