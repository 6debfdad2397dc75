/** Lines of a file by number, and where lines that are shown or replaced later stand among them. */
import type { FileRead } from '../../../core';

/** The known lines of a file: their texts without the blanks at both ends, by 1-based number, ascending. */
export type KnownText = ReadonlyMap<number, string>;

/** The known lines of what was read of a file; blank ones say nothing and are left out. */
export function knownText(read: FileRead): KnownText {
  const lines = new Map<number, string>();
  if (!read.ok) return lines;
  const texts = read.text.split('\n');
  for (const { fromLine, toLine } of read.known ?? [{ fromLine: 1, toLine: texts.length }])
    for (let number = fromLine; number <= toLine; number++) {
      const text = (texts[number - 1] ?? '').trim();
      if (text !== '') lines.set(number, text);
    }
  return lines;
}

/**
 * The numbers of the known lines that a later look from `fromLine` on shows again. Lines that came or went in between move the
 * rest: each line is sought where the one before it leads, and behind it.
 */
export function shownAgain(known: KnownText, fromLine: number, shown: readonly string[]): readonly number[] {
  const places = new Map<string, number[]>();
  for (const [number, text] of known) places.set(text, [...(places.get(text) ?? []), number]);
  const found: number[] = [];
  let shift = 0;
  for (const [at, line] of shown.entries()) {
    const expected = fromLine + at + shift;
    const last = found.at(-1) ?? 0;
    const place = nearest(
      (places.get(line.trim()) ?? []).filter((number) => number > last),
      expected,
    );
    if (place === undefined) continue;
    found.push(place);
    shift += place - expected;
  }
  return found;
}

function nearest(numbers: readonly number[], to: number): number | undefined {
  let best: number | undefined;
  for (const number of numbers) if (best === undefined || Math.abs(number - to) < Math.abs(best - to)) best = number;
  return best;
}

/**
 * The numbers of the known lines that a block replaces: the place where most of its lines stand, if that is half of them.
 * First and last line of a block may be parts of a line.
 */
export function placeOf(block: readonly string[], known: KnownText): readonly number[] {
  const lines = block.map((line) => line.trim()).filter((line) => line !== '');
  const numbers = [...known.keys()];
  let best: readonly number[] = [];
  for (let start = 0; start < numbers.length; start++) {
    const found: number[] = [];
    for (const [at, line] of lines.entries()) {
      const number = numbers[start + at];
      const text = number === undefined ? undefined : known.get(number);
      if (number === undefined || text === undefined) break;
      if (isAt(text, line, at === 0, at === lines.length - 1)) found.push(number);
      else if (at === 0) break;
    }
    if (found.length > best.length) best = found;
    if (best.length === lines.length) break;
  }
  return best.length * 2 >= lines.length ? best : [];
}

function isAt(text: string, line: string, isFirst: boolean, isLast: boolean): boolean {
  if (isFirst && isLast) return text.includes(line);
  if (isFirst) return text.endsWith(line);
  return isLast ? text.startsWith(line) : text === line;
}
