/** Running sums over the entries of a context: any stretch is summed without looking at its entries again (S6.4). */
import type { EntryShape } from './entry-shape';

/** What one entry or a stretch of entries holds. */
export interface Stretch {
  /** Counted tokens of text beside reasoning. */
  readonly text: number;
  /** Frame units of wrapping. */
  readonly frames: number;
  readonly prompts: number;
  /** Image tokens. */
  readonly images: number;
  /** Items of opaque reasoning, and their characters beyond the envelope. */
  readonly opaqueItems: number;
  readonly opaque: number;
  /** Tokens of reasoning, as estimated when it arrived or as reported since. */
  readonly reasoning: number;
}

const SUMS = [
  'text',
  'frames',
  'prompts',
  'images',
  'opaqueItems',
  'opaque',
  'reasoning',
] as const satisfies readonly (keyof Stretch)[];

type Sums = { -readonly [sum in keyof Stretch]: number[] };

/** Sums over the entries `0..n` for every `n`; appending is O(1). */
export class PrefixSums {
  readonly #shapes: EntryShape[] = [];
  readonly #sums: Sums = {
    text: [0],
    frames: [0],
    prompts: [0],
    images: [0],
    opaqueItems: [0],
    opaque: [0],
    reasoning: [0],
  };

  /** Number of entries. */
  get length(): number {
    return this.#shapes.length;
  }

  shape(index: number): EntryShape | undefined {
    return this.#shapes[index];
  }

  append(shape: EntryShape, entry: Stretch): void {
    const end = this.#shapes.push(shape);
    for (const sum of SUMS) this.#sums[sum].push((this.#sums[sum][end - 1] as number) + entry[sum]);
  }

  /** Forgets all entries from `length` on. */
  truncate(length: number): void {
    this.#shapes.length = Math.min(length, this.#shapes.length);
    for (const sum of SUMS) this.#sums[sum].length = this.#shapes.length + 1;
  }

  /** One sum over the entries `from` to `to` (exclusive). */
  sum(of: keyof Stretch, from: number, to: number): number {
    return (this.#sums[of][to] as number) - (this.#sums[of][from] as number);
  }

  /** Replaces what opaque reasoning in the entries `from` to `to` costs; `weigh` is asked with the characters of each item. */
  reweigh(from: number, to: number, weigh: (opaque: number) => number): void {
    const sums = this.#sums.reasoning;
    let before = sums[from] as number;
    for (let index = from; index < this.length; index++) {
      const after = sums[index + 1] as number;
      const isOpaque = index < to && this.sum('opaqueItems', index, index + 1) > 0;
      sums[index + 1] =
        (sums[index] as number) + (isOpaque ? weigh(this.sum('opaque', index, index + 1)) : after - before);
      before = after;
    }
  }
}
