/** Text that arrives in pieces, broken at blanks into rows of a terminal; a row is given out as soon as it is certain. */
import { printable, widthOf } from './display-width';

const TOKEN = /\n| +|[^ \n]+/g;
const LEAD = /^ *(?:[-*•] |\d+[.)] )?/;

export class FlowingText {
  readonly #columns: () => number;
  #row = '';
  /** Blanks before what continues a line; undefined on its first row. */
  #indent: string | undefined;
  /** Half of a character or line end, whose other half is still to come. */
  #half = '';

  /** @param columns the width of a row, asked for again with each piece */
  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** The row that may still grow. */
  get open(): string {
    return this.#row.trimEnd();
  }

  /** Takes the next piece; returns the rows that are certain now. */
  add(piece: string): readonly string[] {
    const text = this.#half + piece;
    this.#half = /[\r\uD800-\uDBFF]$/.exec(text)?.[0] ?? '';
    const rows: string[] = [];
    for (const [token] of printable(text.slice(0, text.length - this.#half.length)).matchAll(TOKEN)) {
      if (token === '\n') rows.push(this.#close());
      else {
        this.#row += token;
        if (!token.startsWith(' ')) this.#fit(rows);
      }
    }
    return rows;
  }

  /** Ends the text; returns the row that was open, unless nothing stands on it. */
  end(): readonly string[] {
    this.#half = '';
    const row = this.#close();
    return row === '' ? [] : [row];
  }

  #close(): string {
    const row = this.open;
    this.#row = '';
    this.#indent = undefined;
    return row;
  }

  /** Gives out rows until what is left fits. */
  #fit(rows: string[]): void {
    const columns = Math.max(8, this.#columns());
    while (widthOf(this.#row) > columns) {
      const lead = this.#indent?.length ?? LEAD.exec(this.#row)?.[0].length ?? 0;
      this.#indent ??= ' '.repeat(Math.min(lead, columns >> 1));
      const blank = this.#row.lastIndexOf(' ');
      const at = blank > lead ? blank + 1 : charactersWithin(this.#row, columns);
      rows.push(this.#row.slice(0, at).trimEnd());
      this.#row = this.#indent + this.#row.slice(at);
    }
  }
}

/** How much of a text fits into a number of columns, in UTF-16 units. */
function charactersWithin(text: string, columns: number): number {
  let width = 0;
  let at = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > columns) break;
    at += character.length;
  }
  return at;
}
