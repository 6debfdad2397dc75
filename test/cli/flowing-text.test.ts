import fc from 'fast-check';
import { FlowingText } from '../../core/cli/flowing-text';
import { printable, widthOf } from '../../core/cli/display-width';

function rowsOf(pieces: readonly string[], columns: number): readonly string[] {
  const flow = new FlowingText(() => columns);
  return [...pieces.flatMap((piece) => flow.add(piece)), ...flow.end()];
}

const texts = fc.string({
  unit: fc.constantFrom('a', 'word ', ' ', '\n', '- ', '日本', '🎉', 'x'.repeat(30), '\r\n', '\u001b[31m', 'é'),
  maxLength: 60,
});

describe('text that arrives in pieces', () => {
  test('is broken into the same rows however it is cut', () => {
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.nat(200), { maxLength: 20 }),
        fc.integer({ min: 8, max: 60 }),
        (text, cuts, columns) => {
          // Escape sequences arrive whole; halves of other things are waited for.
          const whole = text.replaceAll('\u001b[31m', '');
          const places = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort(
            (a, b) => a - b,
          );
          const pieces = places.slice(1).map((to, at) => whole.slice(places[at], to));
          expect(rowsOf(pieces, columns)).toEqual(rowsOf([whole], columns));
        },
      ),
    );
  });

  test('loses nothing but blanks, and no row is wider than the terminal', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 8, max: 60 }), (text, columns) => {
        const rows = rowsOf([text], columns);
        expect(rows.join('').replace(/\s/g, '')).toBe(printable(text).replace(/\s/g, ''));
        for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test('is broken at blanks, and what continues an entry of a list stands below its text', () => {
    expect(rowsOf(['- one two ', 'three fo', 'ur five\nsix'], 15)).toEqual(['- one two three', '  four five', 'six']);
    expect(rowsOf(['abcdefghijkl'], 8)).toEqual(['abcdefgh', 'ijkl']);
  });

  test('gives a row out as soon as it is certain, and shows the one that may still grow', () => {
    const flow = new FlowingText(() => 20);
    expect(flow.add('some words that ')).toEqual([]);
    expect(flow.open).toBe('some words that');
    expect(flow.add('go on')).toEqual(['some words that go']);
    expect(flow.open).toBe('on');
    expect(flow.add('\n\n')).toEqual(['on', '']);
    expect(flow.end()).toEqual([]);
  });
});
