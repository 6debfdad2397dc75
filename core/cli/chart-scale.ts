/** The two scales of a chart of occupancy: tokens upward in rows, requests across in columns. Pure. */

/** Tokens upward: a row stands for `unit` tokens; the value `v` reaches into row `ceil(v / unit)`, counted from 1 at the bottom. */
export interface TokenScale {
  readonly unit: number;
  readonly rows: number;
}

const ROWS = 10;
const STEPS = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 10];

/** The scale of ten rows at most up to a number of tokens, with round figures at every second row. */
export function tokenScale(most: number): TokenScale {
  const least = Math.max(1, most / ROWS);
  const power = 10 ** Math.floor(Math.log10(least));
  const isWhole = (unit: number): boolean => Number.isInteger(2 * unit);
  const unit = STEPS.map((step) => step * power).find((step) => step >= least && isWhole(step)) ?? 10 * power;
  return { unit, rows: Math.max(1, Math.min(ROWS, Math.ceil(most / unit))) };
}

/** Height of a value in eighths of a row; what is more than nothing is seen. */
export function eighthsOf(value: number, { unit, rows }: TokenScale): number {
  return value <= 0 ? 0 : Math.max(1, Math.min(rows * 8, Math.round((value / unit) * 8)));
}

/** The most of a stretch of values for each column, so that no peak is lost; fewer values than columns are drawn broader. */
export function columnPeaks(values: readonly number[], columns: number): readonly number[] {
  return Array.from({ length: columns }, (_, column) => {
    const { from, to } = stretchOf(column, values.length, columns);
    return values.slice(from, to).reduce((most, value) => Math.max(most, value), 0);
  });
}

/** The first column that stands for a value, both 0-based. */
export function columnOf(index: number, count: number, columns: number): number {
  let column = Math.min(columns - 1, Math.floor((index * columns) / count));
  while (column < columns - 1 && stretchOf(column, count, columns).to <= index) column++;
  return column;
}

/** Which of so many values a column stands for. */
function stretchOf(column: number, count: number, columns: number): { readonly from: number; readonly to: number } {
  const from = Math.floor((column * count) / columns);
  return { from, to: Math.max(from + 1, Math.floor(((column + 1) * count) / columns)) };
}

/** Numbers to write below an axis of 1 to `count`: the first, and round ones as close as their digits allow. */
export function axisNumbers(count: number, columns: number): readonly number[] {
  const least = ((String(count).length + 2) * count) / columns;
  let step = 1;
  for (let power = 1; step < least; power *= 10)
    step = [2, 5, 10].map((factor) => factor * power).find((factor) => factor >= least) ?? 10 * power;
  const round = Array.from({ length: Math.floor(count / step) }, (_, at) => (at + 1) * step);
  return step === 1 ? round : [1, ...round];
}
