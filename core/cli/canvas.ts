/** A small drawing of cells, one column each, as lines of text. What does not fit is left out, so that no line is too wide. */

/** How a text is coloured. */
export type Paint = (text: string) => string;

export interface Canvas {
  /** Writes a text from a cell on, over what stands there; rows from the top, both 0-based. Characters are one column wide. */
  put(row: number, column: number, text: string, paint: Paint): void;
  /** Whether nothing stands in a cell of the canvas. */
  isFree(row: number, column: number): boolean;
  /** The rows, without blanks at their ends. */
  lines(): readonly string[];
}

interface Cell {
  readonly glyph: string;
  readonly paint: Paint;
}

const plain: Paint = (text) => text;

export function createCanvas(rows: number, columns: number): Canvas {
  const cells = Array.from({ length: rows }, () => new Array<Cell | undefined>(columns).fill(undefined));
  return {
    put(row, column, text, paint) {
      const line = cells[row];
      for (const [at, glyph] of [...text].entries())
        if (line !== undefined && column + at >= 0 && column + at < columns) line[column + at] = { glyph, paint };
    },
    isFree: (row, column) => column >= 0 && column < columns && cells[row]?.[column] === undefined,
    lines: () => cells.map(lineOf),
  };
}

/** Stretches of one colour are coloured at once. */
function lineOf(cells: readonly (Cell | undefined)[]): string {
  const end = cells.findLastIndex((cell) => cell !== undefined && cell.glyph !== ' ') + 1;
  const painted: string[] = [];
  for (let from = 0, at = 0; at < end; from = at) {
    const paint = cells[from]?.paint ?? plain;
    let text = '';
    for (; at < end && (cells[at]?.paint ?? plain) === paint; at++) text += cells[at]?.glyph ?? ' ';
    painted.push(paint(text));
  }
  return painted.join('');
}
