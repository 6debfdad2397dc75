import fc from 'fast-check';
import { fitTo, padTo, printable, printableLine, widthOf, wrapTo } from '../../core/cli/display-width';

const words = fc
  .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), { maxLength: 40 })
  .map((list) => list.join(' '));

describe('text on a terminal', () => {
  test('an escape sequence of a session never reaches the terminal', () => {
    expect(printable('a\u001b[31mred\u001b[0m\u001b]0;title\u0007b\u009bc\u0000')).toBe('aredbc');
    expect(printable('left\u202eright')).toBe('leftright');
    expect(printable('a\r\nb\rc\td')).toBe('a\nb\nc  d');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });

  test('a line stays one line', () => {
    expect(printableLine(' a\n\n b\tc ')).toBe('a b c');
  });

  test('East Asian and emoji characters take two columns, marks take none', () => {
    expect(widthOf('漢字')).toBe(4);
    expect(widthOf('ｆｕｌｌ')).toBe(8);
    expect(widthOf('🚀')).toBe(2);
    expect(widthOf('e\u0301')).toBe(1);
    expect(widthOf('naïve ▓')).toBe(7);
  });

  test('cut text says that it was cut, at the side that was asked for', () => {
    expect(fitTo('src/deep/file.ts', 9)).toBe('src/deep…');
    expect(fitTo('src/deep/file.ts', 9, 'start')).toBe('…/file.ts');
    expect(fitTo('short', 9)).toBe('short');
    expect(fitTo('漢字漢字', 5)).toBe('漢字…');
  });

  test('padding counts columns, not characters', () => {
    expect(padTo('漢', 4)).toBe('漢  ');
    expect(padTo('7', 3, 'right')).toBe('  7');
  });

  test('wrapped lines fit and lose no word', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 60 }), (text, columns) => {
        const lines = wrapTo(text, columns);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''));
      }),
    );
  });

  test('what continues a list entry stands under its text', () => {
    expect(wrapTo('- one two three four', 12)).toEqual(['- one two', '  three four']);
  });
});
