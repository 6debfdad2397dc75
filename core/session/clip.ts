/** Texts and arguments cut to a size for pages of history, secrets masked before anything is cut. */
import type { Json } from './items';

/** Masks the secrets of a text. */
type Mask = (text: string) => string;

/** A text that is not masked. */
const same: Mask = (text) => text;

/** Characters on each side of a cut that are still masked with it, so that half a secret is never shown. */
const SEAM = 8_000;

/** The text without its middle so that it is about `bytes` UTF-8 bytes, in words and with a marker; masked. */
export function clipText(text: string, bytes: number, mask: Mask = same): string {
  const reach = bytes + SEAM;
  if (text.length <= 2 * reach) return withoutMiddle(mask(text), bytes, 0);
  const left = text.length - 2 * reach;
  const head = mask(text.slice(0, reach));
  const tail = mask(text.slice(-reach));
  return withoutMiddle(head + tail, bytes, left);
}

/**
 * The part `from`..`to` of a text, masked with what stands around it, so that a secret across its ends is never shown in
 * halves. Costs what the part costs, not the whole text.
 */
export function maskedSlice(text: string, from: number, to: number, mask: Mask): string {
  const before = mask(text.slice(Math.max(0, from - SEAM), from));
  const behind = mask(text.slice(to, to + SEAM));
  const all = mask(text.slice(Math.max(0, from - SEAM), to + SEAM));
  let start = 0;
  while (start < before.length && before[start] === all[start]) start++;
  let end = 0;
  while (end < Math.min(behind.length, all.length - start) && behind.at(-1 - end) === all.at(-1 - end)) end++;
  return all.slice(start, all.length - end);
}

/** Text on one line: line breaks and control characters become blanks. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Cuts `text`, of which `missing` characters in the very middle are not there. */
function withoutMiddle(text: string, bytes: number, missing: number): string {
  const size = Buffer.byteLength(text);
  if (size <= bytes && missing === 0) return text;
  const characters = Math.floor((bytes * text.length) / size);
  const head = wordEnd(text, Math.ceil(characters * 0.6));
  const tail = wordStart(text, text.length - Math.floor(characters * 0.4));
  return `${text.slice(0, head)}\n[… ${String(tail - head + missing)} characters left out …]\n${text.slice(tail)}`;
}

/** The last end of a word at or before `at`, if one is near. */
function wordEnd(text: string, at: number): number {
  for (let end = at; end > at - 80 && end > 0; end--) if (/\s/.test(text.charAt(end))) return end;
  return splitsPair(text, at) ? at - 1 : at;
}

/** The first start of a word at or after `at`, if one is near. */
function wordStart(text: string, at: number): number {
  for (let start = at; start < at + 80 && start < text.length; start++)
    if (/\s/.test(text.charAt(start - 1))) return start;
  return splitsPair(text, at) ? at + 1 : at;
}

function splitsPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

/** How much shorter strings become from one attempt to the next. */
const LEAST_STEP = 0.25;
const LARGEST_STEP = 0.8;

/** Arguments as JSON on one line of about `bytes` bytes at most; strings are cut to `stringBytes` first, then harder. */
export function clipJson(value: Json, bytes: number, stringBytes: number, mask: Mask = same): string {
  for (let room = stringBytes; room >= 16;) {
    const text = JSON.stringify(clipValue(value, room, room * 2, 0, mask));
    const size = Buffer.byteLength(text);
    if (size <= bytes) return text;
    room = Math.floor(room * Math.max(LEAST_STEP, Math.min(LARGEST_STEP, bytes / size)));
  }
  return JSON.stringify(`[… ${String(JSON.stringify(value).length)} characters left out …]`);
}

function clipValue(value: Json, room: number, entries: number, depth: number, mask: Mask): Json {
  if (typeof value === 'string') return clipText(value, room, mask);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 8) return '[…]';
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const kept = list.slice(0, entries).map((entry) => clipValue(entry, room, entries, depth + 1, mask));
    return list.length > entries ? [...kept, `[… ${String(list.length - entries)} more …]`] : kept;
  }
  const fields = Object.entries(value as Readonly<Record<string, Json>>);
  const kept = fields
    .slice(0, entries)
    .map(([key, inner]) => [clipText(key, 80, mask), clipValue(inner, room, entries, depth + 1, mask)] as const);
  return Object.fromEntries(
    fields.length > entries ? [...kept, ['…', `${String(fields.length - entries)} more`]] : kept,
  );
}
