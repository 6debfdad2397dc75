/** The measured points of one context with one model: how many entries were sent, and how many tokens that was (S6.3). */

/** A measured prefix. */
export interface Anchor {
  /** Number of entries that the request carried. */
  readonly entries: number;
  /** Tokens of that request, less what the provider has dropped since. */
  readonly tokens: number;
  /** How much of `tokens` was dropped since by estimate. */
  readonly dropped: number;
}

/** Anchors in ascending order of entries and of tokens. */
export class Anchors {
  #list: Anchor[] = [];

  get last(): Anchor | undefined {
    return this.#list.at(-1);
  }

  /** The last anchor of at most `entries` entries. */
  atOrBefore(entries: number): Anchor | undefined {
    return this.#list[this.#after(entries) - 1];
  }

  /** The first anchor of more than `entries` entries. */
  after(entries: number): Anchor | undefined {
    return this.#list[this.#after(entries)];
  }

  /** Adds a measurement; others that contradict it (a longer context with fewer tokens) give way. */
  add(anchor: Anchor): void {
    const { entries, tokens } = anchor;
    const place = this.#after(entries);
    const gone = (known: Anchor): boolean => {
      if (known.entries === entries) return true;
      return known.entries < entries ? known.tokens > tokens : known.tokens < tokens;
    };
    let first = place;
    while (first > 0 && gone(this.#list[first - 1] as Anchor)) first -= 1;
    let end = place;
    while (end < this.#list.length && gone(this.#list[end] as Anchor)) end += 1;
    this.#list.splice(first, end - first, anchor);
  }

  /** Forgets the anchors of more than `entries` entries. Returns whether there were any. */
  truncate(entries: number): boolean {
    const kept = this.#after(entries);
    const lost = kept < this.#list.length;
    this.#list.length = kept;
    return lost;
  }

  /** Takes off what the provider dropped from anchors of more than `entries` entries; their order stays. */
  drop(entries: number, dropped: (anchor: Anchor) => number): void {
    const first = this.#after(entries);
    const least = this.#list[first - 1]?.tokens ?? 0;
    let most = Infinity;
    for (let index = this.#list.length - 1; index >= first; index--) {
      const anchor = this.#list[index] as Anchor;
      const amount = dropped(anchor);
      most = Math.min(most, Math.max(least, anchor.tokens - amount));
      this.#list[index] = { entries: anchor.entries, tokens: most, dropped: anchor.dropped + amount };
    }
  }

  /** Index of the first anchor of more than `entries` entries. */
  #after(entries: number): number {
    let low = 0;
    let high = this.#list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#list[middle] as Anchor).entries <= entries) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
