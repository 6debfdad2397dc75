import fc from 'fast-check';
import { bar, counted, duration, figure, percent, stackedBar, table } from '../../core/cli/layout';

describe('figures', () => {
  test('numbers have separators and nouns agree with them', () => {
    expect([figure(0), figure(999), figure(1000), figure(1234567.4)]).toEqual(['0', '999', '1,000', '1,234,567']);
    expect([counted(1, 'item'), counted(2000, 'item'), counted(2, 'reply', 'replies')]).toEqual([
      '1 item',
      '2,000 items',
      '2 replies',
    ]);
  });

  test('short times are milliseconds, long ones seconds', () => {
    expect([duration(0.4), duration(85.2), duration(1240)]).toEqual(['0 ms', '85 ms', '1.24 s']);
  });

  test('only nothing is 0% and only everything is 100%', () => {
    expect([
      percent(0, 10),
      percent(1, 100_000),
      percent(5, 10),
      percent(99_999, 100_000),
      percent(10, 10),
      percent(1, 0),
    ]).toEqual(['0%', '1%', '50%', '99%', '100%', '0%']);
  });
});

describe('bars', () => {
  test('a bar is as long as its share, and what is more than nothing is seen', () => {
    expect(bar(50, 100, 8)).toBe('████');
    expect(bar(100, 100, 8)).toBe('████████');
    expect(bar(1, 1_000_000, 8)).toBe('▏');
    expect(bar(0, 100, 8)).toBe('');
    expect(bar(200, 100, 8)).toBe('████████');
  });

  test('the parts of a bar together are as long as their sum, never longer than the bar', () => {
    const parts = fc.array(fc.record({ value: fc.nat(10_000), glyph: fc.constantFrom('█', '░') }), { maxLength: 6 });
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 1, max: 80 }), (list, max, columns) => {
        const sum = list.reduce((total, { value }) => total + value, 0);
        expect(stackedBar(list, max, columns)).toHaveLength(Math.min(columns, Math.round((sum / max) * columns)));
      }),
    );
  });
});

describe('tables', () => {
  test('columns are aligned and empty ends are left out', () => {
    expect(
      table(
        [
          ['a', '1', 'x'],
          ['bbb', '22'],
        ],
        [{}, { align: 'right' }, {}],
        40,
      ),
    ).toEqual(['a     1  x', 'bbb  22']);
  });

  test('where a table is too wide, the columns that may give way are cut, each down to what it keeps at least', () => {
    const rows = [['a/very/long/path/to/some/file.ts', '1,000', 'a reason that goes on and on']];
    const [line] = table(rows, [{ cut: 'start', least: 20 }, { align: 'right' }, { cut: 'end' }], 40);
    expect(line).toBe('…path/to/some/file.ts  1,000  a reason …');
  });
});
