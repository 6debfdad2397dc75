import fc from 'fast-check';
import picocolors from 'picocolors';
import { widthOf } from '../../core/cli/display-width';
import { appliedMap, mapLines, plannedMap } from '../../core/cli/session-map';
import type { SessionMap } from '../../core/cli/session-map';
import type { Fate, MapItem } from '../../core/report/report';

const plain = picocolors.createColors(false);

function item(tokens: number, fate: Fate = 'kept', readAgain = false): MapItem {
  return { kind: 'user', tokens, fate, text: '', ...(readAgain && { readAgain: true }) };
}

const items = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 9000 }), fc.constantFrom<Fate[]>('kept', 'changed', 'summarised', 'dropped'))
    .map(([tokens, fate]) => item(tokens, fate, tokens % 7 === 0)),
  { maxLength: 400 },
);
const maps = items.chain((list) =>
  fc
    .tuple(
      fc.uniqueArray(fc.nat(Math.max(0, list.length - 1))),
      fc.option(fc.integer({ min: 0, max: list.length }), { nil: undefined }),
    )
    .map(([prunable, cut]): SessionMap => {
      const numbers = new Set(prunable);
      return cut === undefined || cut % 2 === 0 ? plannedMap(list, numbers, cut) : appliedMap(list, numbers, cut);
    }),
);
const widths = fc.integer({ min: 30, max: 200 });

describe('the map of a session', () => {
  test('a plan shows what would be summarised, what pruning alone would shorten, what is kept, and the cut', () => {
    const list = [item(3000, 'summarised'), item(3000), item(3000), item(3000), item(3000), item(3000)];
    expect(mapLines(plannedMap(list, new Set([2, 4]), 4), 37, plain)).toEqual([
      '······░░░░░░▒▒▒▒▒▒░░░░░░┃▒▒▒▒▒▒██████',
      '· no longer sent  ░ summarised',
      '▒ prunable  █ kept',
      '┃ cut before item 4',
    ]);
  });

  test('an applied compaction shows what is read again below what it was read from', () => {
    const list = [
      item(1000, 'summarised', true),
      item(8000, 'summarised'),
      item(1000, 'summarised', true),
      item(5000, 'changed'),
      item(5000),
    ];
    expect(mapLines(appliedMap(list, new Set(), 3), 41, plain)).toEqual([
      '░░░░░░░░░░░░░░░░░░░░┃▪▪▪▪▪▪▪▪▪▪██████████',
      '▴▴                ▴▴',
      '░ summarised  ▪ shortened  █ kept',
      '┃ cut before item 3  ▴ read again',
    ]);
  });

  test('there is no map where all is kept as it is', () => {
    expect(mapLines(plannedMap([item(10), item(20)], new Set(), undefined), 60, plain)).toEqual([]);
    expect(mapLines(plannedMap([], new Set(), undefined), 60, plain)).toEqual([]);
  });

  test('is exactly as broad as asked for, and its legend names what it shows', () => {
    fc.assert(
      fc.property(maps, widths, (map, columns) => {
        const [row = '', ...below] = mapLines(map, columns, plain);
        if (row === '') return;
        expect(widthOf(row)).toBe(columns);
        for (const line of below) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        for (const glyph of new Set(row)) expect(below.join('\n')).toContain(`${glyph} `);
      }),
    );
  });

  test('the cut parts what is before it from what is behind it, however small either is', () => {
    fc.assert(
      fc.property(maps, widths, (map, columns) => {
        const [row = ''] = mapLines(map, columns, plain);
        if (row === '' || map.cutItem === undefined) return;
        const [before = '', behind = ''] = row.split('┃');
        expect(before.length > 0).toBe(map.cutItem > 0);
        expect(behind.length > 0).toBe(map.cutItem < map.blocks.length);
      }),
    );
  });

  test('whatever is read again is marked', () => {
    fc.assert(
      fc.property(maps, widths, (map, columns) => {
        const lines = mapLines(map, columns, plain);
        const isAny = map.blocks.some(({ readAgain }) => readAgain);
        expect(lines.join('\n').includes('▴ read again')).toBe(isAny && lines.length > 0);
      }),
    );
  });
});
