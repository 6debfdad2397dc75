import fc from 'fast-check';
import { nextOrder, orderedFiles, tokensOf } from '../../../core/report/page/file-order';
import type { FileColumn } from '../../../core/report/page/file-order';
import type { ReportFile } from '../../../core/report/report';

const COLUMNS: readonly FileColumn[] = ['path', 'reads', 'writes', 'lastItem', 'tokens'];

const file = fc.record({
  path: fc.stringMatching(/^[a-c]{1,3}\.ts$/),
  reads: fc.nat(3),
  writes: fc.nat(3),
  lastItem: fc.nat(9),
  ranges: fc.array(fc.record({ fromLine: fc.constant(1), toLine: fc.nat(9), tokens: fc.nat(99) }), { maxLength: 2 }),
});

const FILES: readonly ReportFile[] = [
  { path: 'src/Rows.ts', reads: 2, writes: 0, lastItem: 9, ranges: [] },
  {
    path: 'src/dates.ts',
    reads: 1,
    writes: 3,
    lastItem: 4,
    ranges: [{ fromLine: 1, toLine: 9, tokens: 80, reason: 'edited last' }],
  },
  { path: 'README.md', reads: 0, writes: 1, lastItem: 2, ranges: [], note: 'has a section on dates' },
];

const paths = (files: readonly ReportFile[]): readonly string[] => files.map(({ path }) => path);

describe('the order of files', () => {
  it('is by any column, up or down, and loses none', () => {
    fc.assert(
      fc.property(fc.array(file), fc.constantFrom(...COLUMNS), fc.boolean(), (files, by, isDescending) => {
        const ordered = orderedFiles(files, { by, isDescending }, '');
        expect(new Set(ordered)).toEqual(new Set(files));
        const values = ordered.map((one) => (by === 'tokens' ? tokensOf(one) : one[by]));
        const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        expect(values).toEqual(isDescending ? sorted.reverse() : sorted);
      }),
    );
  });

  it('turns round when its column is chosen again, and numbers begin with the most', () => {
    const byReads = nextOrder({ by: 'path', isDescending: false }, 'reads');
    expect(byReads).toEqual({ by: 'reads', isDescending: true });
    expect(nextOrder(byReads, 'reads')).toEqual({ by: 'reads', isDescending: false });
    expect(nextOrder(byReads, 'path')).toEqual({ by: 'path', isDescending: false });
  });
});

describe('the filter of files', () => {
  const filtered = (filter: string): readonly string[] =>
    paths(orderedFiles(FILES, { by: 'lastItem', isDescending: true }, filter));

  it('finds all words of it in path, note or reason, whatever their case', () => {
    expect(filtered('dates')).toEqual(['src/dates.ts', 'README.md']);
    expect(filtered(' ROWS  src ')).toEqual(['src/Rows.ts']);
    expect(filtered('edited')).toEqual(['src/dates.ts']);
    expect(filtered('nowhere')).toEqual([]);
    expect(filtered('')).toHaveLength(3);
  });
});
