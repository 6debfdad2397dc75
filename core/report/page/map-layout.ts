/** Where each item of the map lies: a ribbon of rows, in which the length of an item is its tokens. Pure. */
import type { Fate, MapItem, Report } from '../report';

/** A ribbon for a number of items and a width. Places are tokens from the beginning of the session. */
export interface MapLayout {
  /** Where each item begins, and at the end where the last one ends. */
  readonly starts: Float64Array;
  readonly rows: number;
  /** Tokens in a full row. */
  readonly perRow: number;
}

/** Pixels that an item has on the average, as long as there are rows for it. */
const ITEM_WIDTH = 4;
const MOST_ROWS = 10;

/** Lays items out in so many pixels; an item without tokens has the place of one. */
export function layoutMap(map: readonly Pick<MapItem, 'tokens'>[], width: number): MapLayout {
  const starts = new Float64Array(map.length + 1);
  map.forEach(({ tokens }, at) => {
    starts[at + 1] = (starts[at] ?? 0) + Math.max(1, tokens);
  });
  const rows = Math.min(MOST_ROWS, Math.max(1, Math.ceil((map.length * ITEM_WIDTH) / Math.max(1, width))));
  return { starts, rows, perRow: Math.max(1, (starts[map.length] ?? 0) / rows) };
}

/** The item that has a place; the nearest one for a place before or behind all. */
export function itemAt({ starts }: MapLayout, place: number): number {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A stretch of the ribbon with one fate. */
export interface MapRun {
  readonly fate: Fate;
  readonly from: number;
  readonly to: number;
}

/**
 * Neighbours of one fate as one stretch. A stretch that would be shorter than `least` is joined with what follows, under the fate
 * that has more of it, so that there are never more of them than can be seen.
 */
export function mapRuns(
  map: readonly Pick<MapItem, 'fate'>[],
  { starts }: MapLayout,
  least: number,
): readonly MapRun[] {
  const runs: MapRun[] = [];
  for (let at = 0; at < map.length;) {
    const fate = map[at]?.fate ?? 'kept';
    const from = starts[at] ?? 0;
    while (map[at]?.fate === fate) at++;
    let run: MapRun = { fate, from, to: starts[at] ?? 0 };
    for (let before = runs.at(-1); before !== undefined; before = runs.at(-1)) {
      if (before.fate !== run.fate && before.to - before.from >= least) break;
      const heavier = run.to - run.from > before.to - before.from ? run.fate : before.fate;
      run = { fate: heavier, from: before.from, to: run.to };
      runs.pop();
    }
    runs.push(run);
  }
  return runs;
}

/** A piece of a row; `x` and `width` are shares of a full row. */
export interface RowPiece {
  readonly row: number;
  readonly x: number;
  readonly width: number;
}

/** The pieces of a stretch, one in each row that it reaches into. */
export function rowPieces({ perRow, rows }: MapLayout, from: number, to: number): readonly RowPiece[] {
  const pieces: RowPiece[] = [];
  const rowOf = (place: number): number => Math.min(rows - 1, Math.floor(place / perRow));
  for (let row = rowOf(from); row < rows && row * perRow < to; row++) {
    const x = Math.max(0, from / perRow - row);
    const end = Math.min(1, to / perRow - row);
    if (end > x) pieces.push({ row, x, width: end - x });
  }
  return pieces;
}

/** Number of the first item behind the newest cut; undefined where nothing was summarised. */
export function cutOf(map: readonly Pick<MapItem, 'fate'>[]): number | undefined {
  const last = map.findLastIndex(({ fate }) => fate === 'summarised');
  return last === -1 ? undefined : last + 1;
}

/** Items and tokens by what became of them, and those that are read again. */
export function fateTotals(map: Report['map']): ReadonlyMap<Fate | 'read again', { items: number; tokens: number }> {
  const totals = new Map<Fate | 'read again', { items: number; tokens: number }>();
  const add = (fate: Fate | 'read again', tokens: number): void => {
    const total = totals.get(fate) ?? { items: 0, tokens: 0 };
    totals.set(fate, { items: total.items + 1, tokens: total.tokens + tokens });
  };
  for (const { fate, tokens, readAgain } of map) {
    add(fate, tokens);
    if (readAgain === true) add('read again', tokens);
  }
  return totals;
}
