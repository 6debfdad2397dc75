/** Counts of texts that are asked for again soon, such as the parts of a context while it is put together. */

/** Texts below this length are counted faster than they are looked up. */
const SHORTEST = 1000;
/** Characters of all texts that are remembered. */
const MOST = 1_000_000;

export class RecentCounts {
  readonly #counts = new Map<string, number>();
  #characters = 0;

  /** What `count` says of a text, or said a short while ago. */
  of(text: string, count: (text: string) => number): number {
    const known = this.#counts.get(text);
    if (known !== undefined) return known;
    const tokens = count(text);
    if (text.length >= SHORTEST && text.length <= MOST) this.#keep(text, tokens);
    return tokens;
  }

  #keep(text: string, tokens: number): void {
    this.#counts.set(text, tokens);
    this.#characters += text.length;
    for (const [oldest] of this.#counts) {
      if (this.#characters <= MOST) return;
      this.#counts.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
