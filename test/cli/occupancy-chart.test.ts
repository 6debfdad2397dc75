import fc from 'fast-check';
import picocolors from 'picocolors';
import { columnOf } from '../../core/cli/chart-scale';
import { widthOf } from '../../core/cli/display-width';
import { occupancyChart } from '../../core/cli/occupancy-chart';
import type { ChartData } from '../../core/cli/occupancy-chart';

const plain = picocolors.createColors(false);

const sizes = fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 3, maxLength: 300 });
const charts = sizes.chain((tokens) =>
  fc.record({
    occupancy: fc.constant(occupancyOf(tokens)),
    thresholds: fc.array(
      fc.record({
        name: fc.constantFrom('compaction between turns', 'compaction between requests', 'input limit'),
        tokens: fc.integer({ min: 1, max: 800_000 }),
      }),
      { maxLength: 3 },
    ),
    events: fc.array(
      fc.record({
        kind: fc.constantFrom('prune' as const, 'compaction' as const),
        request: fc.integer({ min: 1, max: tokens.length + 1 }),
        item: fc.nat(),
        before: fc.nat(),
        outcome: fc.constantFrom('done', 'inflated'),
      }),
      { maxLength: 12 },
    ),
  }),
);
const widths = fc.integer({ min: 48, max: 200 });

function occupancyOf(tokens: readonly number[]): ChartData['occupancy'] {
  return tokens.map((size, at) => ({ request: at + 1, item: at, tokens: size, source: 'measured' }));
}

function chartOf(data: Partial<ChartData>, columns: number): readonly string[] {
  return occupancyChart({ occupancy: [], thresholds: [], events: [], ...data }, columns, plain) ?? [];
}

/** The columns of the chart right of its axis, each from the bottom up. */
function areaOf(lines: readonly string[]): { readonly rows: readonly string[]; readonly axis: string } {
  const at = lines.findIndex((line) => line.includes('└'));
  const start = (lines[at] ?? '').indexOf('└') + 1;
  return { rows: lines.slice(1, at).map((line) => line.slice(start)), axis: (lines[at] ?? '').slice(start) };
}

describe('the chart of occupancy', () => {
  test('is drawn over three requests and 48 columns; below, there is no chart', () => {
    expect(chartOf({ occupancy: occupancyOf([1, 2]) }, 80)).toEqual([]);
    expect(chartOf({ occupancy: occupancyOf([1, 2, 3]) }, 47)).toEqual([]);
    expect(chartOf({ occupancy: occupancyOf([0, 0, 0]) }, 48)).not.toEqual([]);
  });

  test('shows sizes, thresholds, marks, and what they mean', () => {
    const lines = chartOf(
      {
        occupancy: occupancyOf([10_000, 20_000, 30_000, 12_500]),
        thresholds: [{ name: 'between turns', tokens: 40_000 }],
        limit: 190_000,
        events: [
          { kind: 'compaction', request: 4, item: 5, before: 30_000, after: 12_500 },
          { kind: 'prune', request: 3, item: 3, before: 32_000, after: 30_000 },
        ],
      },
      56,
    );
    expect(lines).toEqual([
      ' tokens',
      ' 40,000 ┤╌ between turns 40,000 ╌╌╌╌╌╌╌╌╌',
      '        │',
      ' 32,000 ┤                ▄▄▄▄▄▄▄▄',
      '        │                ████████',
      ' 24,000 ┤                ████████',
      '        │        ████████████████',
      ' 16,000 ┤        ████████████████▁▁▁▁▁▁▁▁',
      '        │▄▄▄▄▄▄▄▄████████████████████████',
      '  8,000 ┤████████████████████████████████',
      '        │████████████████████████████████',
      '      0 └┬───────┬───────▽───────▼───────',
      'request  1       2       3       4',
      '         ▼ 1 compaction before request 4',
      '         ▽ 1 prune before request 3',
      '         limit of the model 190,000, above the chart',
      '         all measured',
    ]);
  });

  test('is never broader than it may be, whatever there is to show', () => {
    fc.assert(
      fc.property(charts, widths, (data, columns) => {
        for (const line of chartOf(data, columns)) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test('each column is as high as its fullest request, so that the peak is seen', () => {
    fc.assert(
      fc.property(charts, widths, (data, columns) => {
        const { rows, axis } = areaOf(chartOf(data, columns));
        const heightAt = (column: number): number =>
          rows.reduce((sum, row) => sum + Math.max(0, '▁▂▃▄▅▆▇█'.indexOf(row[column] ?? ' ') + 1), 0);
        const heights = data.occupancy.map((_, at) => heightAt(columnOf(at, data.occupancy.length, axis.length)));
        const most = Math.max(...data.occupancy.map(({ tokens }) => tokens));
        expect(Math.max(...heights)).toBe(heights[data.occupancy.findIndex(({ tokens }) => tokens === most)]);
        for (const [at, { tokens }] of data.occupancy.entries())
          expect(heights[at] ?? 0).toBeGreaterThan(tokens > 0 ? 0 : -1);
      }),
    );
  });

  test('every prune and compaction is marked at its request, and counted below', () => {
    fc.assert(
      fc.property(charts, widths, (data, columns) => {
        const lines = chartOf(data, columns);
        const { axis } = areaOf(lines);
        const count = data.occupancy.length;
        for (const { request } of data.events)
          expect('▼▽×').toContain(axis[columnOf(Math.min(request, count) - 1, count, axis.length)] ?? '?');
        const done = data.events.filter(({ kind, outcome }) => kind === 'compaction' && outcome === 'done').length;
        expect(lines.join('\n').includes(`▼ ${String(done)} compaction`)).toBe(done > 0);
      }),
    );
  });

  test('every threshold is named with its tokens, in the chart or below it', () => {
    fc.assert(
      fc.property(charts, widths, (data, columns) => {
        const words = chartOf(data, columns).join(' ').replace(/\s+/g, ' ');
        for (const { name, tokens } of data.thresholds)
          expect(words).toContain(`${name} ${tokens.toLocaleString('en-US')}`);
      }),
    );
  });

  test('says how many requests a column stands for, and where the figures come from', () => {
    const mixed = occupancyOf(Array.from({ length: 100 }, (_, at) => at)).map((entry, at) =>
      at < 40 ? entry : { ...entry, source: 'counted' as const },
    );
    const words = chartOf({ occupancy: mixed }, 60).join('\n');
    expect(words).toContain('each column the fullest of 1 or 2 requests');
    expect(words).toContain('40 measured, 60 counted');
  });
});
