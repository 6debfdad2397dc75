/** Texts on which tokenizers differ or break: languages, source, white space, marks of models, and runs without end. */

/** Texts of all kinds, each short enough to be cut everywhere. */
export const SAMPLE_TEXTS: readonly string[] = [
  'a',
  ' ',
  'The quick brown fox jumps over the lazy dog.',
  "I don't know, she said; it'll be fine (or won't it?).",
  'Straßenbahnhaltestelle, déjà vu, żółć',
  'Считать слова легко, если знать правила языка.',
  '文字を数えるのは簡単ではありませんが、決まった手順があります。',
  '가나다라마바사 아자차카타파하',
  '👨‍👩‍👧 🏳️‍🌈 😀😀😀 e\u0301',
  'function add(left: number, right: number) {\n\treturn left + right; // sum\n}\n',
  '{"path":"src/a.ts","lines":[1,2,3],"ok":true,"none":null}',
  'one\r\ntwo\r\n\r\n\r\nthree',
  `deep${' '.repeat(200)}end`,
  `${'='.repeat(300)}\n${'-'.repeat(300)}`,
  'aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0IHRleHQ'.repeat(6),
  '0123456789abcdef'.repeat(20),
  `before<|endoftext|>between<|im_start|>system<|im_end|>after`,
  '\ufeffwith a byte-order mark, a \0 and a \u2028',
  'word '.repeat(300),
];

/** Text that models use as marks of their own; in content it is plain text (S6.1). */
export const SPECIAL_TEXTS: readonly string[] = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|im_end|>',
  '<|endofprompt|>',
  '<|fim_prefix|>',
  '<s>[INST]</s>',
];

const MEGABYTE = 1 << 20;

/**
 * Runs of a million characters, by name. What costs a tokenizer more per byte than prose shows here: one whose cost grows
 * with the square of a run does not come to an end in the time of a test.
 */
export function endlessTexts(): readonly (readonly [name: string, text: string])[] {
  return [
    ['one letter', 'a'.repeat(MEGABYTE)],
    ['spaces', ' '.repeat(MEGABYTE)],
    ['line ends', '\n'.repeat(MEGABYTE)],
    ['base64', base64(MEGABYTE)],
    ['kana', 'あ'.repeat(MEGABYTE / 4)],
    ['pictures', '😀'.repeat(MEGABYTE / 8)],
    ['prose', 'The quick brown fox jumps over the lazy dog. '.repeat(MEGABYTE / 64)],
  ];
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Digits of base64 as they come of bytes without a pattern, the same each time. */
function base64(length: number): string {
  let state = 7;
  const digits = new Array<string>(length);
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    digits[at] = DIGITS[state >>> 26] as string;
  }
  return digits.join('');
}
