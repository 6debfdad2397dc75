/** Numbers, bars and tables of the reports. */
import { fitTo, padTo, widthOf, wrapTo } from './display-width';
import { ACROSS } from './glyphs';

/** A whole number with separators: `12,345`. */
export function figure(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A count with its noun: `1 item`, `12 items`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${figure(count)} ${count === 1 ? noun : plural}`;
}

/** Milliseconds for a person: `85 ms`, `1.24 s`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${figure(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** How long ago something was, in milliseconds, for a person: `now`, `12 min`, `3 h`, `5 d`. */
export function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${figure(minutes)} min`;
  return minutes < 48 * 60 ? `${figure(Math.floor(minutes / 60))} h` : `${figure(Math.floor(minutes / 1440))} d`;
}

/** A size in bytes for a person: `840 B`, `12.3 kB`, `4.5 MB`. */
export function bytes(size: number): string {
  if (size < 1000) return `${figure(size)} B`;
  return size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

/** A share in whole percent; what is neither none nor all is shown as neither. */
export function percent(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0%';
  if (part >= whole) return '100%';
  return `${String(Math.min(99, Math.max(1, Math.round((part / whole) * 100))))}%`;
}

const FULL = ACROSS[7];

/** A bar of a value; `columns` wide where the value is `max`. What is more than nothing is seen. */
export function bar(value: number, max: number, columns: number): string {
  if (max <= 0 || value <= 0) return '';
  const eighths = Math.max(1, Math.round((Math.min(value, max) / max) * columns * 8));
  return FULL.repeat(eighths >> 3) + (ACROSS[(eighths & 7) - 1] ?? '');
}

/** One part of a bar. */
export interface BarPart {
  readonly value: number;
  readonly glyph: string;
}

/** A bar of several parts, one behind the other, each as long as its share of `max`; all together never longer. */
export function stackedBar(parts: readonly BarPart[], max: number, columns: number): string {
  let sum = 0;
  let drawn = 0;
  return parts
    .map(({ value, glyph }) => {
      sum += value;
      const end = max <= 0 ? 0 : Math.min(columns, Math.round((sum / max) * columns));
      const length = Math.max(0, end - drawn);
      drawn += length;
      return glyph.repeat(length);
    })
    .join('');
}

/** Words put side by side, `gap` between them, on as many lines as they need. */
export function flow(words: readonly string[], columns: number, gap = '  '): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const longer = lines.length === 0 ? word : `${lines.at(-1) ?? ''}${gap}${word}`;
    if (lines.length > 0 && widthOf(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Rows of a list that a person still looks at; what is left out is said. */
export const MOST_ROWS = 20;

/** What says how many rows a list leaves out, if any, on as many lines as it needs. */
export function leftOut(count: number, noun: string, columns: number): readonly string[] {
  return count > 0 ? wrapTo(`and ${counted(count, noun)} (--json lists all)`, columns) : [];
}

export interface Column {
  readonly align?: 'left' | 'right';
  /** Where a table is too wide, this column gives way; `start` loses its beginning (paths), `end` its end. */
  readonly cut?: 'start' | 'end';
  /** Columns that it keeps as long as others can give way; 8 by default. */
  readonly least?: number;
}

/** Rows with aligned columns, two blanks apart, as wide as asked for at most. The last cells of a row may be left out. */
export function table(
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
  width: number,
): readonly string[] {
  const widths = columns.map((_, at) => Math.max(0, ...rows.map((row) => widthOf(row[at] ?? ''))));
  const gaps = 2 * (columns.length - 1);
  // First down to what each column keeps at least; where that is not enough, further.
  for (const narrowest of [undefined, 4]) {
    const spare = (at: number): number =>
      columns[at]?.cut === undefined ? 0 : (widths[at] ?? 0) - (narrowest ?? columns[at]?.least ?? 8);
    for (let over = sum(widths) + gaps - width; over > 0; over--) {
      const [widest = 0] = columns.map((_, at) => at).sort((a, b) => spare(b) - spare(a));
      if (spare(widest) <= 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return rows.map((row) =>
    row
      .map((cell, at) => padTo(fitTo(cell, widths[at] ?? 0, columns[at]?.cut), widths[at] ?? 0, columns[at]?.align))
      .join('  ')
      .trimEnd(),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
