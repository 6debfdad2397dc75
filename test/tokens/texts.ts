/** Texts for property tests of counting. */
import fc from 'fast-check';

const FRAGMENTS = [
  'function',
  'return',
  'const',
  'the',
  'quick',
  'Name',
  'isHTML',
  "don't",
  "I'LL",
  'été',
  'слово',
  '漢字',
  'かな',
  '한국어',
  '😀',
  '👨‍👩‍👧',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r\n',
  '\n\n    ',
  ';',
  '();',
  ' => {',
  '}',
  '/* x */',
  '"key": ',
  '==',
  '---',
  '...',
  '\u00a0',
  '\u3000',
  '\u0085',
  '0',
  '42',
  '2026-01-01',
  '0xFF',
  '1_000',
  'a1b2',
  '<|endoftext|>',
  '<|im_start|>',
  '\u0000',
  '\ud800',
  '\udc00',
  '\ufeff',
  '\u0301',
];

/** Source code, prose, markers and odd characters in any order, up to a few hundred units. */
export function anyText(): fc.Arbitrary<string> {
  const run = fc.tuple(
    fc.constantFrom('a', ' ', '\n', '=', '7', 'あ', '😀', '\ud800', "'"),
    fc.integer({ min: 1, max: 700 }),
  );
  return fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom(...FRAGMENTS) },
        fc.string({ unit: 'binary', maxLength: 8 }),
        run.map(([unit, times]) => unit.repeat(times)),
      ),
      {
        maxLength: 120,
      },
    )
    .map((parts) => parts.join(''));
}

/** Plain source text: words, numbers, signs and white space, as a session is made of. */
export function sourceText(): fc.Arbitrary<string> {
  const word = fc.constantFrom(
    'function',
    'value',
    'isReady',
    "don't",
    'the',
    'x',
    'HTTPServer',
    'été',
    '12',
    '3.14',
    '0xFF',
    '();',
    '{',
    '}',
    '=>',
    '"key":',
  );
  const gap = fc.constantFrom(' ', '\n', '\n    ', '\t', '  ', ', ');
  return fc.array(fc.tuple(word, gap), { maxLength: 300 }).map((pairs) => pairs.flat().join(''));
}
