import fc from 'fast-check';
import { encode, endingOf, inMannerOf, withFeeds } from '../../../plugins/file-tools/line-endings';
import { replaceText } from '../../../plugins/file-tools/replace';

const replaced = (text: string, old: string, fresh: string, all = false): string => {
  const result = replaceText(text, old, fresh, all);
  if (typeof result === 'string') throw new Error(result);
  return result.text;
};
const refusal = (text: string, old: string, fresh = 'x', all = false): string => {
  const result = replaceText(text, old, fresh, all);
  return typeof result === 'string' ? result : `replaced: ${result.text}`;
};

describe('replacing an exact text', () => {
  test('replaces the only occurrence and says at which line', () => {
    expect(replaceText('a\nb\nc\n', 'b', 'B', false)).toEqual({ text: 'a\nB\nc\n', lines: [2] });
    expect(replaced('a\nb\nc', 'b\nc', '')).toBe('a\n');
    expect(replaced('a $1 b', 'a $1', "$& $' $`")).toBe("$& $' $` b");
  });

  test('names the lines of several occurrences, also of those that overlap', () => {
    expect(refusal('x\na\nb\na\n', 'a')).toContain('occurs 2 times in it, at lines 2, 4.');
    expect(refusal('aaa', 'aa')).toContain('occurs 2 times');
    expect(refusal('a\n'.repeat(30), 'a')).toContain(
      'occurs 30 times in it, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ….',
    );
  });

  test('replaces every occurrence where all are meant, from the left', () => {
    expect(replaceText('a\nb a\n', 'a', 'aa', true)).toEqual({ text: 'aa\nb aa\n', lines: [1, 2] });
    expect(replaced('aaa', 'aa', 'b', true)).toBe('ba');
  });

  test('refuses what changes nothing or asks for nothing', () => {
    expect(refusal('abc', '')).toContain('old_text is empty');
    expect(refusal('abc', 'b', 'b')).toContain('the same');
    expect(refusal('a\r\nb', 'a\r\nb', 'a\nb')).toContain('the same');
  });

  test('shows the lines that differ in white space alone', () => {
    expect(refusal('if (x) {\n\treturn  1;\n}\n', 'if (x) {\n    return 1;\n}')).toBe(
      'old_text was not found in it. Lines 1-3 differ from it in white space alone. Copy what stands there exactly:\nif (x) {\n\treturn  1;\n}',
    );
    expect(refusal('one\ntwo  \nthree', 'two \nthree')).toContain('Lines 2-3 differ');
    expect(refusal('a\n\u00a0b c\n', ' b c')).toContain('Line 2 differs');
    expect(refusal('abc', 'xyz')).toContain('Read the part of the file again');
    expect(refusal('abc', '12\tabc')).toContain('begin with a line number');
    expect(refusal('abc', '\n\n')).toContain('not found');
  });

  test('a hint is bounded, whatever the file', () => {
    const spread = [...'x'.repeat(500)].join('\n'.repeat(20));
    expect(refusal(spread, 'x'.repeat(500)).length).toBeLessThan(2500);
    expect(refusal('y '.repeat(2_000_000), 'y  y')).toContain('Read the part of the file again');
  });

  test('a text of a million like characters is searched at once', () => {
    const long = 'a'.repeat(1_000_000);
    expect(refusal(long, `${'a'.repeat(1000)}b`)).toContain('not found');
    expect(refusal(long, `b${'a'.repeat(1000)}`)).toContain('not found');
    expect(refusal(long, 'a')).toContain('occurs 100 or more times');
    expect(refusal(long, 'a'.repeat(1000))).toContain('occurs 100 or more times');
    expect(replaced(long, 'a'.repeat(1000), 'b', true)).toBe('b'.repeat(1000));
  });
});

describe('line endings of an edited file', () => {
  test('lines of a CRLF file are found by line feeds, and new lines end like the others', () => {
    expect(replaced('a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb')).toBe('a\r\nx\r\nb\r\nc\r\n');
    expect(replaced('a\nb\nc\n', 'a\r\nb', 'a\r\nx\r\nb')).toBe('a\nx\nb\nc\n');
  });

  test('a mixed file keeps the ending of every line that stays', () => {
    expect(replaced('a\r\nb\nc\r\nd\n', 'a\nb\nc\nd', 'a\nB\nc\nd')).toBe('a\r\nB\nc\r\nd\n');
    expect(replaced('a\nb\r\nc', 'b\nc', 'b\nx\nc')).toBe('a\nb\r\nx\r\nc');
  });

  test('a carriage return alone is a character like any other', () => {
    expect(replaced('a\rb\nc', 'a\rb', 'a\rB')).toBe('a\rB\nc');
    expect(replaced('a\r\r\nb', 'b', 'c')).toBe('a\r\r\nc');
  });

  const ending = fc.constantFrom('\n', '\r\n');
  const lineOf = (...units: string[]) =>
    fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀', ...units), maxLength: 4 });
  const textOf = (line: fc.Arbitrary<string>) =>
    fc
      .tuple(fc.array(fc.tuple(line, ending), { maxLength: 8 }), line)
      .map(([whole, rest]) => whole.map(([text, end]) => text + end).join('') + rest);
  const part = (text: string, from: number, length: number): string => {
    const plain = withFeeds(text);
    const start = from % (plain.length + 1);
    return withFeeds(plain.slice(start, start + length));
  };

  test('editing a mixed file is editing the file with line feeds', () => {
    const freshText = textOf(lineOf()).map(withFeeds);
    fc.assert(
      fc.property(textOf(lineOf()), fc.nat(), fc.nat(12), freshText, fc.boolean(), (text, from, length, fresh, all) => {
        const old = part(text, from, length);
        const result = replaceText(text, old, fresh, all);
        if (typeof result === 'string') return;
        const plain = withFeeds(text);
        expect(withFeeds(result.text)).toBe(all ? plain.split(old).join(fresh) : plain.replace(old, () => fresh));
      }),
      { numRuns: 2000 },
    );
  });

  test('all that is not replaced stays byte for byte', () => {
    fc.assert(
      fc.property(textOf(lineOf('\r')), fc.nat(), fc.nat(12), lineOf('\r'), (text, from, length, fresh) => {
        const old = part(text, from, length);
        fc.pre(!old.includes('\r\n'));
        const result = replaceText(text, old, fresh, false);
        if (typeof result === 'string') return;
        const at = withFeeds(text).indexOf(old);
        expect(result.text.startsWith(text.slice(0, headLength(text, at)))).toBe(true);
        expect(result.text.endsWith(text.slice(headLength(text, at + old.length)))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  /** Length of the original text that `length` characters of the text with line feeds come from. */
  function headLength(text: string, length: number): number {
    let at = 0;
    for (let seen = 0; seen < length; seen++) at += text.startsWith('\r\n', at) ? 2 : 1;
    return at;
  }

  const lines = fc.array(lineOf(), { minLength: 1, maxLength: 8 });

  test('an edit of a CRLF file gives a CRLF file', () => {
    fc.assert(
      fc.property(lines, lines, fc.nat(), (texts, fresh, from) => {
        const text = texts.join('\r\n');
        const at = from % texts.length;
        const result = replaceText(text, texts[at] ?? '', fresh.join('\n'), false);
        if (typeof result === 'string' || !text.includes('\n')) return;
        expect(result.text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      }),
    );
  });
});

describe('a whole new text', () => {
  test('takes the endings that most old lines have, unless it brings its own', () => {
    expect(inMannerOf('a\r\nb\r\n', 'x\ny\n')).toBe('x\r\ny\r\n');
    expect(inMannerOf('a\r\nb\r\nc\n', 'x\ny')).toBe('x\r\ny');
    expect(inMannerOf('a\nb\nc\r\n', 'x\ny')).toBe('x\ny');
    expect(inMannerOf('a\r\nb', 'x\r\ny\n')).toBe('x\r\ny\n');
    expect([endingOf(''), endingOf('a'), endingOf('\r')]).toEqual(['\n', '\n', '\n']);
  });

  test('keeps a byte-order mark and never doubles it', () => {
    const mark = Buffer.from('\uFEFFold');
    expect(encode('new', mark)).toEqual(Buffer.from('\uFEFFnew'));
    expect(encode('\uFEFFnew', mark)).toEqual(Buffer.from('\uFEFFnew'));
    expect(encode('new', Buffer.from('old'))).toEqual(Buffer.from('new'));
    expect(encode('new')).toEqual(Buffer.from('new'));
  });
});
