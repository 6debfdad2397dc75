/** What a compact worker is told about its budget, and when (S9.6). Pure but for what was said already. */

/** A range that is to be marked; 1-based lines. */
export interface Request {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** The budget of one compaction. */
export class ReadBudget {
  readonly #tokens: number;
  /** `due`: to be said with the next result; `said`: not again before an unmark frees more than half. */
  #reminder: 'armed' | 'due' | 'said' = 'armed';

  /** @param tokens of all marks together; 0 allows none */
  constructor(tokens: number) {
    this.#tokens = tokens;
  }

  /** Why a mark is refused that brings the marks from `before` to `after` tokens, or undefined. */
  refusal(before: number, after: number): string | undefined {
    if (after <= this.#tokens || after <= before) return undefined;
    return `Error: auto-read budget exhausted (${String(this.#tokens)} tokens). Remove an existing mark or use add_reference instead.`;
  }

  /** What is appended to a result, where anything is: a reminder that is due, and what remains after a mark or unmark. */
  remark(done: 'Marked' | 'Unmarked' | undefined, markedTokens: number): string | undefined {
    const remaining = Math.max(0, this.#tokens - markedTokens);
    const half = remaining <= this.#tokens / 2;
    const lines: string[] = [];
    if (this.#reminder === 'due' && half) {
      lines.push('Budget half consumed. Consider calling write_summary soon.');
      this.#reminder = 'said';
    }
    if (done !== undefined) {
      lines.push(`${done}. Budget: ${String(remaining)}/${String(this.#tokens)} tokens remaining`);
      if (!half) this.#reminder = 'armed';
      else if (this.#reminder === 'armed') this.#reminder = 'due';
    }
    return lines.length === 0 ? undefined : lines.join('\n');
  }
}
