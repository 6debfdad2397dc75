/** The limit on the input of one compact worker (S9.7), over all its requests together. Pure; tokens throughout. */

/** What the request after the next one may have beyond it. */
const RESERVE = 4000;

/**
 * What may be done with the next request: send it, send it as the last one, not send it since it would pass the limit, or not
 * send it since the last one has been answered.
 */
export type Verdict = 'send' | 'last' | 'over' | 'ended';

export class InputLimit {
  readonly #limit: number;
  #used = 0;
  #pending: { readonly input: number; readonly isLast: boolean } | undefined;
  #hasEnded = false;

  /** @param limit on the input of all requests together */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Input of the requests that were answered. */
  get used(): number {
    return this.#used;
  }

  /** Judges the next request; asked again before an answer, it is judged anew. */
  judge(input: number): Verdict {
    if (!this.allows(input)) return this.#hasEnded ? 'ended' : 'over';
    const isLast = this.#used + input + (input + RESERVE) > this.#limit;
    this.#pending = { input, isLast };
    return isLast ? 'last' : 'send';
  }

  /** Whether a request may be sent at all. */
  allows(input: number): boolean {
    return !this.#hasEnded && this.#used + input <= this.#limit;
  }

  /** Counts a request that was answered by what it really had, or by what was judged where nobody tells. */
  answered(measured = 0): void {
    const isTold = Number.isFinite(measured) && measured > 0;
    this.#used += isTold ? measured : (this.#pending?.input ?? 0);
    this.#hasEnded ||= this.#pending?.isLast === true;
    this.#pending = undefined;
  }
}
