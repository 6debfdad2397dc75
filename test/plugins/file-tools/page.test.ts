import fc from 'fast-check';
import { LINE_CHARACTERS, PAGE_BYTES, PAGE_LINES, pageOf, withRest } from '../../../plugins/file-tools/page';

describe('a page', () => {
  test('is the text itself where all of it fits', () => {
    for (const text of ['a', 'a\n', 'a\nb', '\n', 'a\r\nb\r\n', '\n\n']) {
      const page = pageOf(text);
      expect(page === undefined ? '' : withRest(page)).toBe(text);
    }
    expect(pageOf('')).toBeUndefined();
  });

  test('says what is left and where to go on', () => {
    const text = 'a\nb\nc\nd\n';
    expect(withRest(pageOf(text, 2, 2)!)).toBe('b\nc\n[Lines 2-3 of 4. 1 more line; go on with offset=4]');
    expect(withRest(pageOf(text, 1, 1)!)).toBe('a\n[Lines 1-1 of 4. 3 more lines; go on with offset=2]');
    expect(withRest(pageOf(text, 3, 2)!)).toBe('c\nd\n');
    expect(pageOf(text, 5)).toBeUndefined();
  });

  test('cuts long lines visibly and never inside a character', () => {
    const page = pageOf(`${'x'.repeat(LINE_CHARACTERS - 1)}😀tail\nnext\n`)!;
    expect(page.text).toBe(`${'x'.repeat(LINE_CHARACTERS - 1)}\uFFFD… [line truncated]\nnext\n`);
  });

  test('is bounded in lines and bytes, and pages together are the text', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.string({ unit: 'grapheme', minLength: 900, maxLength: 1000 }),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 120 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.boolean(),
        (lines, limit, last) => {
          const text = lines.map((one) => one.replaceAll('\n', '')).join('\n') + (last ? '\n' : '');
          let whole = '';
          let offset = 1;
          for (let page = pageOf(text, offset, limit); page !== undefined; page = pageOf(text, offset, limit)) {
            expect(page.fromLine).toBe(offset);
            expect(page.toLine - page.fromLine).toBeLessThan(Math.min(limit, PAGE_LINES));
            expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(PAGE_BYTES + 3 * LINE_CHARACTERS);
            whole += page.text;
            offset = page.toLine + 1;
          }
          if (text.split('\n').every((one) => one.length <= LINE_CHARACTERS)) expect(whole).toBe(text);
        },
      ),
    );
  });
});
