/**
 * Replaces an exact text in a file (pure). Line endings compare as equal; all that is not replaced stays byte for byte, and
 * new lines end as the lines around them do.
 */
import { endingOf, withFeeds } from './line-endings';
import { nearMiss } from './near-miss';

export interface Replaced {
  readonly text: string;
  /** 1-based lines of the old text where the replacements begin, ascending. */
  readonly lines: readonly number[];
}

/** Places that a message names, and that are counted, at most. */
const NAMED_PLACES = 10;
const COUNTED_PLACES = 100;

/** The text with `old` replaced by `fresh`, or a sentence that says why it cannot be. */
export function replaceText(text: string, old: string, fresh: string, all: boolean): Replaced | string {
  const wanted = withFeeds(old);
  const given = withFeeds(fresh);
  if (wanted === '') return 'old_text is empty. Give the text to replace; write_file writes a whole file.';
  if (wanted === given) return 'old_text and new_text are the same, so there is nothing to change.';
  const plain = withFeeds(text);
  const places = all ? placesOf(plain, wanted, wanted.length, Infinity) : placesOf(plain, wanted, 1, COUNTED_PLACES);
  if (places.length === 0) return `old_text was not found in it. ${nearMiss(plain, wanted)}`;
  const lines = linesAt(plain, places);
  if (places.length > 1 && !all) {
    const named = lines.slice(0, NAMED_PLACES).join(', ') + (lines.length > NAMED_PLACES ? ', …' : '');
    const times = `${String(places.length)}${places.length === COUNTED_PLACES ? ' or more' : ''} times`;
    return `old_text occurs ${times} in it, at lines ${named}. Add lines around it until it is unique, or set replace_all.`;
  }
  return { text: spliced(text, plain, places, wanted, given), lines };
}

/** Where a text occurs; the next occurrence is looked for `step` characters behind the last one. */
function placesOf(text: string, wanted: string, step: number, most: number): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1 && places.length < most; at = text.indexOf(wanted, at + step))
    places.push(at);
  return places;
}

/** The 1-based lines of ascending places. */
function linesAt(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  let feed = text.indexOf('\n');
  return places.map((place) => {
    for (; feed !== -1 && feed < place; feed = text.indexOf('\n', feed + 1)) line++;
    return line;
  });
}

/** The original text with each place replaced; only what differs between `wanted` and `given` is touched. */
function spliced(text: string, plain: string, places: readonly number[], wanted: string, given: string): string {
  const start = commonStart(wanted, given);
  const end = commonEnd(wanted.slice(start), given.slice(start));
  const middle = given.slice(start, given.length - end);
  const toOriginal = originalPlaces(text, plain);
  const ending = endingOf(text);
  let result = '';
  let kept = 0;
  for (const place of places) {
    const from = toOriginal(place + start);
    const to = toOriginal(place + wanted.length - end);
    const around = endingAround(text.slice(toOriginal(place), toOriginal(place + wanted.length))) ?? ending;
    result += text.slice(kept, from) + (around === '\n' ? middle : middle.replaceAll('\n', around));
    kept = to;
  }
  return result + text.slice(kept);
}

/** The ending of the first line of a part, if it has a whole one. */
function endingAround(part: string): '\n' | '\r\n' | undefined {
  const feed = part.indexOf('\n');
  if (feed === -1) return undefined;
  return part[feed - 1] === '\r' ? '\r\n' : '\n';
}

/** Tells for ascending places of the text with line feeds where they are in the text itself. */
function originalPlaces(text: string, plain: string): (place: number) => number {
  if (text.length === plain.length) return (place) => place;
  /** Places, in the text with line feeds, of the line feeds that are pairs in the text. */
  const pairs: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) pairs.push(at - pairs.length);
  return (place) => {
    let low = 0;
    let high = pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    return place + low;
  };
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

function commonEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[one.length - 1 - length] === other[other.length - 1 - length]) length++;
  return length;
}
