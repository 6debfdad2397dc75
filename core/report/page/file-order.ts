/** Which files the table shows, and in which order. Pure. */
import type { ReportFile } from '../report';

/** What files can be sorted by. */
export type FileColumn = 'path' | 'reads' | 'writes' | 'lastItem' | 'tokens';

export interface FileOrder {
  readonly by: FileColumn;
  readonly isDescending: boolean;
}

/** Tokens of a file that stand in the new context. */
export function tokensOf({ ranges }: Pick<ReportFile, 'ranges'>): number {
  return ranges.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Files whose path, note or reason holds all words of a filter, in an order; equals stay as they were. */
export function orderedFiles(
  files: readonly ReportFile[],
  { by, isDescending }: FileOrder,
  filter: string,
): readonly ReportFile[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = files.filter((file) => {
    const text = [file.path, file.note ?? '', ...file.ranges.map(({ reason }) => reason ?? '')]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const sign = isDescending ? -1 : 1;
  return matching.sort((a, b) => sign * compare(a, b));

  function compare(a: ReportFile, b: ReportFile): number {
    if (by === 'path') return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
    if (by === 'tokens') return tokensOf(a) - tokensOf(b);
    return a[by] - b[by];
  }
}

/** The order after a click on a column: its natural one first, then the other way round. */
export function nextOrder({ by, isDescending }: FileOrder, column: FileColumn): FileOrder {
  if (by === column) return { by, isDescending: !isDescending };
  return { by: column, isDescending: column !== 'path' };
}
