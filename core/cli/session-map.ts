/** A session as a row of blocks: what became of its items, or would, each as broad as its tokens. Pure. */
import type { Fate, MapItem } from '../report/report';
import type { Edit } from '../session/records';
import type { Session } from '../session/session';
import { figure, flow } from './layout';
import type { Terminal } from './terminal';

/** What is drawn of an item. `gone` is no longer part of the context; `prunable` is what pruning alone would shorten. */
export type Block = 'gone' | 'summarised' | 'prunable' | 'changed' | 'kept';

export interface MapBlock extends Pick<MapItem, 'tokens' | 'readAgain'> {
  readonly block: Block;
}

export interface SessionMap {
  readonly blocks: readonly MapBlock[];
  /** Number of the first item that is kept; undefined where nothing is cut. */
  readonly cutItem: number | undefined;
}

const BLOCKS: readonly { readonly block: Block; readonly glyph: string; readonly name: string }[] = [
  { block: 'gone', glyph: '·', name: 'no longer sent' },
  { block: 'summarised', glyph: '░', name: 'summarised' },
  { block: 'prunable', glyph: '▒', name: 'prunable' },
  { block: 'changed', glyph: '▪', name: 'shortened' },
  { block: 'kept', glyph: '█', name: 'kept' },
];
const CUT = '┃';
const READ_AGAIN = '▴';

/** Numbers of the items whose content pruning takes. */
export function numbersOf(edits: readonly Edit[] | undefined, session: Pick<Session, 'indexOf'>): ReadonlySet<number> {
  return new Set((edits ?? []).flatMap((edit) => (edit.edit === 'content' ? (session.indexOf(edit.item) ?? []) : [])));
}

/** The map of a plan: what a session would become. Items that lie behind an earlier cut are gone. */
export function plannedMap(
  items: readonly MapItem[],
  prunable: ReadonlySet<number>,
  cutItem: number | undefined,
): SessionMap {
  const blockOf = (fate: Fate, at: number): Block => {
    if (fate === 'summarised' || fate === 'dropped') return 'gone';
    if (prunable.has(at)) return 'prunable';
    return at < (cutItem ?? 0) ? 'summarised' : fate;
  };
  return { blocks: items.map(({ tokens, fate }, at) => ({ tokens, block: blockOf(fate, at) })), cutItem };
}

/** The map of a compaction that was applied; `prunable` is what pruning would have shortened before. */
export function appliedMap(items: readonly MapItem[], prunable: ReadonlySet<number>, cutItem: number): SessionMap {
  const blocks = items.map(({ tokens, fate, readAgain }, at): MapBlock => {
    const block = fate === 'dropped' ? 'gone' : fate === 'summarised' && prunable.has(at) ? 'prunable' : fate;
    return { tokens, block, ...(readAgain && { readAgain }) };
  });
  return { blocks, cutItem };
}

/** Row of blocks, row of marks where something is read again, and legend; `columns` wide at most. Nothing where all is kept. */
export function mapLines(map: SessionMap, columns: number, colours: Terminal['colours']): readonly string[] {
  const { blocks, cutItem } = map;
  if (blocks.every(({ block }) => block === 'kept')) return [];
  const cells = mapCells(map, columns);
  const marks = cells
    .map(({ isRead }) => (isRead ? READ_AGAIN : ' '))
    .join('')
    .trimEnd();
  const row = cells.map(({ glyph }) => glyph).join('');
  const legend = [
    ...BLOCKS.filter(({ glyph }) => row.includes(glyph)).map(({ glyph, name }) => `${glyph} ${name}`),
    ...(cutItem === undefined ? [] : [`${CUT} cut before item ${figure(cutItem)}`]),
    ...(marks === '' ? [] : [`${READ_AGAIN} read again`]),
  ];
  return [
    row
      .split(CUT)
      .map((part) => colours.cyan(part))
      .join(colours.bold(CUT)),
    ...(marks === '' ? [] : [colours.bold(marks)]),
    ...flow(legend, columns).map((line) => colours.dim(line)),
  ];
}

interface MapCell {
  readonly glyph: string;
  /** Whether any of what it stands for is read again. */
  readonly isRead: boolean;
}

/** The cells of the row. Both sides of the cut have one at least, so that the mark parts what it says it parts. */
function mapCells({ blocks, cutItem }: SessionMap, columns: number): readonly MapCell[] {
  if (cutItem === undefined) return cellsOf(blocks, columns);
  const before = blocks.slice(0, cutItem);
  const behind = blocks.slice(cutItem);
  const room = columns - 1;
  const share = Math.round((room * sizeOf(before)) / (sizeOf(before) + sizeOf(behind)));
  const wide = Math.max(Math.min(1, before.length), Math.min(room - Math.min(1, behind.length), share));
  return [...cellsOf(before, wide), { glyph: CUT, isRead: false }, ...cellsOf(behind, room - wide)];
}

/** Blocks side by side; a cell shows what takes most of it. */
function cellsOf(blocks: readonly MapBlock[], columns: number): readonly MapCell[] {
  const cells = Array.from({ length: columns }, () => ({ shares: new Map<Block, number>(), isRead: false }));
  const scale = columns / Math.max(1, sizeOf(blocks));
  let start = 0;
  for (const one of blocks) {
    const end = start + weightOf(one) * scale;
    for (let column = Math.floor(start); column < Math.min(columns, end); column++) {
      const cell = cells[column];
      const share = Math.min(end, column + 1) - Math.max(start, column);
      if (cell === undefined || share < 1e-9) continue;
      cell.shares.set(one.block, (cell.shares.get(one.block) ?? 0) + share);
      cell.isRead ||= one.readAgain === true;
    }
    start = end;
  }
  return cells.map(({ shares, isRead }) => {
    const [most] = [...shares].sort((a, b) => b[1] - a[1]);
    return { glyph: BLOCKS.find(({ block }) => block === most?.[0])?.glyph ?? ' ', isRead };
  });
}

function sizeOf(blocks: readonly MapBlock[]): number {
  return blocks.reduce((sum, one) => sum + weightOf(one), 0);
}

/** What takes no tokens takes its place all the same. */
function weightOf({ tokens }: MapBlock): number {
  return Math.max(1, tokens);
}
