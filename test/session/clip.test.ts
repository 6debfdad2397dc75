import fc from 'fast-check';
import { clipJson, clipText, maskedSlice, oneLine } from '../../core/session/clip';
import { anyText } from '../arbitraries/history';

describe('a clipped text', () => {
  test('is the text itself where it fits', () => {
    expect(clipText('short', 5)).toBe('short');
  });

  test('keeps beginning and end, cut between words, and says how much is missing', () => {
    const clipped = clipText(`begin ${'middle '.repeat(500)}verdict`, 200);
    expect(clipped).toMatch(/^begin middle/);
    expect(clipped).toMatch(/middle verdict$/);
    expect(clipped).toMatch(/\n\[… \d+ characters left out …\]\n/);
    expect(clipped).not.toMatch(/\bmid(?!dle)/);
  });

  test('counts in bytes, so that wide scripts are not three times as long', () => {
    expect(Buffer.byteLength(clipText('語'.repeat(5000), 900))).toBeLessThan(1000);
  });

  test('never shows half of a secret, wherever it is cut', () => {
    const mask = (text: string): string => text.replaceAll(/KEY-[a-z]{30}/g, 'KEY-[masked]');
    const secret = 'KEY-abcdefghijklmnopqrstuvwxyzabcd';
    for (let before = 0; before < 400; before += 7) {
      const clipped = clipText(
        `${'x'.repeat(before)}${secret}${'y'.repeat(100_000)}${secret}${'z'.repeat(before)}`,
        300,
        mask,
      );
      expect(clipped).not.toMatch(/abcdefgh|wxyzabcd/);
    }
  });

  test('is well-formed where the text is, and about as long as was asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 1, max: 400 }), (text, bytes) => {
        const clipped = clipText(text, bytes);
        expect(clipped.isWellFormed()).toBe(true);
        if (Buffer.byteLength(text) <= bytes) expect(clipped).toBe(text);
        else expect(clipped).toContain('characters left out');
      }),
    );
  });
});

describe('clipped arguments', () => {
  test('are the arguments where they fit', () => {
    expect(clipJson({ path: 'a.ts', lines: [1, null, true] }, 100, 50)).toBe('{"path":"a.ts","lines":[1,null,true]}');
  });

  test('lose the middle of long strings first', () => {
    const clipped = JSON.parse(clipJson({ path: 'a.ts', text: 'word '.repeat(1000) }, 400, 200)) as Record<
      string,
      string
    >;
    expect(clipped['path']).toBe('a.ts');
    expect(clipped['text']).toContain('characters left out');
  });

  test('lose entries of long lists and deep nesting, and own no key of a prototype', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`) as never;
    expect(clipJson(deep, 1000, 50)).toContain('[…]');
    const long = JSON.parse(
      clipJson(
        Array.from({ length: 10_000 }, (_, index) => index),
        2000,
        100,
      ),
    ) as unknown[];
    expect(long.at(-1)).toMatch(/more …\]$/);
    expect(clipJson(JSON.parse('{"__proto__":{"x":1}}') as never, 100, 50)).toBe('{"__proto__":{"x":1}}');
  });

  test('are masked', () => {
    expect(clipJson({ a: ['secret'] }, 100, 50, (text) => text.replace('secret', '[masked]'))).toBe(
      '{"a":["[masked]"]}',
    );
  });

  test('are always JSON on one line within the size', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(
        fc.oneof(value, anyText, fc.dictionary(anyText, anyText)),
        fc.integer({ min: 60, max: 2000 }),
        (args, bytes) => {
          const clipped = clipJson(args as never, bytes, 100);
          expect(() => JSON.parse(clipped) as unknown).not.toThrow();
          expect(clipped).not.toContain('\n');
          expect(Buffer.byteLength(clipped)).toBeLessThanOrEqual(bytes);
        },
      ),
    );
  });
});

describe('a masked part of a text', () => {
  const secret = 'KEY-abcdefghijklmnopqrstuvwxyzabcd';
  const mask = (text: string): string => text.replaceAll(/KEY-[a-z]{30}/g, '[masked]');

  test('is the part, where nothing is masked', () => {
    fc.assert(
      fc.property(anyText, fc.nat(60), fc.nat(60), (text, from, length) => {
        expect(maskedSlice(text, from, from + length, (same) => same)).toBe(text.slice(from, from + length));
      }),
    );
  });

  test('never shows half of a secret, wherever its ends are', () => {
    const text = `${'x '.repeat(20_000)}${secret} and ${secret}${' y'.repeat(20_000)}`;
    const at = text.indexOf(secret);
    for (let from = at - 20; from < at + 100; from++) {
      for (const to of [from + 1, from + 10, from + 40, from + 200]) {
        expect(maskedSlice(text, from, to, mask)).not.toMatch(/[b-y]{6}/);
      }
    }
  });

  test('holds all else of the part', () => {
    const text = `${'x'.repeat(20_000)} ${secret} between ${secret} ${'y'.repeat(20_000)}`;
    expect(maskedSlice(text, 19_999, text.length - 19_999, mask)).toBe('x [masked] between [masked] y');
  });
});

describe('a text on one line', () => {
  test('has blanks for line breaks and control characters', () => {
    expect(oneLine(' a\t\n\u0000b \u2028c\r')).toBe('a b c');
  });
});
