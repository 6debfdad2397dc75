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

/** The classes that form runs: any white space is one, the apostrophe is punctuation. */
const GROUPS = CLASSES.map((kind) => (kind === APOSTROPHE ? PUNCTUATION : Math.min(kind, BLANK)));

/**
 * The end of the chunk that starts at `from`: at most `limit` units later, after at most one capped run, at a boundary of
 * the encoder's pre-split where there is one, never inside a surrogate pair. Always greater than `from`.
 */
export function chunkEnd(text: string, from: number, limit: number = CHUNK_UNITS): number {
  const end = Math.min(text.length, from + limit);
  const forced = runEnd(text, from, end);
  if (forced < end) return wholeBefore(text, forced, from);
  if (end === text.length) return end;
  for (let at = end; at > from; at--) if (isBoundary(text, at)) return at;
  return wholeBefore(text, end, from);
}

/** The first boundary at or after `from`, or `from` itself (moved behind a surrogate pair) where there is none before `to`. */
export function boundaryFrom(text: string, from: number, to: number): number {
  for (let at = Math.max(from, 1); at < to; at++) if (isBoundary(text, at)) return at;
  return wholeFrom(text, from);
}

/** Where the first run that is too long has to be cut, or `end`. */
function runEnd(text: string, from: number, end: number): number {
  let run = -1;
  let weight = 0;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code < 128) {
      const group = GROUPS[code] as number;
      if (group !== run) {
        run = group;
        weight = 0;
      }
      // Digits are split in threes by every encoding; a forced cut would only disturb that.
      if (group !== DIGIT) weight += 1;
    } else {
      // Other characters continue any run, but a word never continues the space before it.
      if ((run === BLANK) !== isWideBlank(code)) {
        run = run === BLANK ? -1 : BLANK;
        weight = 0;
      }
      weight += OTHER_WEIGHT;
    }
    if (weight > RUN_WEIGHT) return at;
  }
  return end;
}

/** White space beyond ASCII. */
function isWideBlank(code: number): boolean {
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x3000 ||
    code === 0x1680 ||
    (code >= 0x2000 && (code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f))
  );
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
