/**
 * Where a text may be cut so that its parts count like the whole (S6.1). The encoder is quadratic in one unbroken run, so
 * long runs are cut by force; everything else is cut where the encoder's own pre-split has a boundary in any case.
 */

/** UTF-16 units of one chunk at most. */
export const CHUNK_UNITS = 16_384;

/** Weight of one unbroken run at most: 256 ASCII units or 85 others, which take up to three bytes each. */
const RUN_WEIGHT = 256;
const OTHER_WEIGHT = 3;

const PUNCTUATION = 0;
const LETTER = 1;
const DIGIT = 2;
const APOSTROPHE = 3;
const BLANK = 4;
const LINE_FEED = 5;
const CARRIAGE_RETURN = 6;

/** Classes of the ASCII characters; all that are not named here are punctuation to an encoder, controls included. */
const CLASSES = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  if (/[A-Za-z]/.test(char)) CLASSES[code] = LETTER;
  else if (/[0-9]/.test(char)) CLASSES[code] = DIGIT;
  else if (/[\t\v\f ]/.test(char)) CLASSES[code] = BLANK;
}
CLASSES[0x27] = APOSTROPHE;
CLASSES[0x0a] = LINE_FEED;
CLASSES[0x0d] = CARRIAGE_RETURN;

/** Units that may be of any class and so continue any run: symbols, marks, surrogates. */
const ANY = 7;

/** Ranges of units beyond ASCII whose class is known. */
const WIDE: readonly (readonly [group: number, ...ranges: (readonly [first: number, last: number])[]])[] = [
  [
    BLANK,
    [0x85, 0x85],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
  ],
  [
    PUNCTUATION,
    [0x2010, 0x2027],
    [0x2030, 0x205e],
    [0x3001, 0x3003],
    [0x3008, 0x3011],
    [0xff01, 0xff0f],
    [0xff1a, 0xff20],
  ],
  [
    LETTER,
    [0xc0, 0xd6],
    [0xd8, 0xf6],
    [0xf8, 0x24f],
    [0x386, 0x386],
    [0x388, 0x38a],
    [0x38e, 0x3a1],
    [0x3a3, 0x3f5],
    [0x400, 0x481],
    [0x5d0, 0x5ea],
  ],
  [
    LETTER,
    [0x620, 0x64a],
    [0x3041, 0x3096],
    [0x30a1, 0x30fa],
    [0x30fc, 0x30fe],
    [0x3400, 0x4dbf],
    [0x4e00, 0x9fff],
    [0xac00, 0xd7a3],
  ],
];

/** Which run a UTF-16 unit belongs to. */
const GROUPS = new Uint8Array(65_536).fill(ANY);
for (let code = 0; code < 128; code++) {
  const kind = CLASSES[code] as number;
  GROUPS[code] = kind === APOSTROPHE ? PUNCTUATION : Math.min(kind, BLANK);
}
for (const [group, ...ranges] of WIDE) for (const [first, last] of ranges) GROUPS.fill(group, first, last + 1);

/**
 * The end of the chunk that starts at `from`: at most `limit` units later, after at most one capped run, at a boundary of
 * the encoder's pre-split where there is one, never inside a surrogate pair. Always greater than `from`.
 */
export function chunkEnd(text: string, from: number, limit: number = CHUNK_UNITS): number {
  const end = Math.min(text.length, from + limit);
  if (end === text.length && (end - from) * OTHER_WEIGHT <= RUN_WEIGHT) return end;
  const forced = runEnd(text, from, end);
  if (forced < end) return wholeBefore(text, forced, from);
  if (end === text.length) return end;
  for (let at = end; at > from; at--) if (isBoundary(text, at)) return at;
  return wholeBefore(text, end, from);
}

/** The first boundary of the encoder's pre-split in `from` to `to` (exclusive), or undefined where none is known. */
export function boundaryIn(text: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at++) if (isBoundary(text, at)) return at;
  return undefined;
}

/** Where the first run that is too long has to be cut, or `end`. */
function runEnd(text: string, from: number, end: number): number {
  let run = ANY;
  let weight = 0;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    const group = GROUPS[code] as number;
    if (group !== run && (group !== ANY || run === BLANK)) {
      // What may be anything before it belongs to this run too.
      if (run !== ANY || group === BLANK) weight = 0;
      run = group;
    }
    // Digits are split in threes by every encoding; a forced cut would only disturb that.
    if (group !== DIGIT) weight += code < 128 ? 1 : OTHER_WEIGHT;
    if (weight > RUN_WEIGHT) return at;
  }
  return end;
}

/** Whether the encoder's pre-split has a boundary before `at`, whatever stands around it; known for ASCII neighbours only. */
function isBoundary(text: string, at: number): boolean {
  const left = text.charCodeAt(at - 1);
  const right = text.charCodeAt(at);
  if (!(left < 128 && right < 128)) return false;
  const before = CLASSES[left] as number;
  const after = CLASSES[right] as number;
  if (after === BLANK) return before < BLANK;
  if (after > BLANK) return before === LETTER || before === DIGIT;
  if (before >= BLANK) return before === LINE_FEED && (after === LETTER || after === DIGIT);
  if (before === DIGIT || after === DIGIT) return before !== after;
  return before === LETTER && after === PUNCTUATION;
}

/** `at`, or one less where that would part a surrogate pair and something is still left after `from`. */
export function wholeBefore(text: string, at: number, from = -1): number {
  return at - 1 > from && partsPair(text, at) ? at - 1 : at;
}

/** `at`, or one more where that would part a surrogate pair. */
export function wholeFrom(text: string, at: number): number {
  return partsPair(text, at) ? at + 1 : at;
}

function partsPair(text: string, at: number): boolean {
  const low = text.charCodeAt(at);
  const high = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
}
