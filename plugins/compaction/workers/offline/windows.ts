/** Which lines of a file are worth having: small files whole, of large ones what was read and what lies around edits. */
import type { Interest, RankedFile, ShownLines } from './file-rank';
import { roughTokens } from './prose';

/** 1-based lines, both ends included. */
export interface Window {
  readonly fromLine: number;
  readonly toLine: number;
}

/** A file as `read_file` showed it. Lines that are not known have no tokens. */
export interface SeenFile {
  /** Text by line number. */
  readonly lines: ReadonlyMap<number, string>;
  /** The last line. */
  readonly count: number;
  /** About how many tokens each line takes, by line number. */
  readonly tokens: ReadonlyMap<number, number>;
  /** Whether that is all of it. */
  readonly complete: boolean;
}

/** Lines before and behind one that an edit put in. */
const AROUND = { before: 15, behind: 25 } as const;
/** Lines between two stretches up to which they are one. */
const GAP = 10;
/** Lines of a window at least. */
const FEW = 4;
/** Tokens of the header of a stretch. */
const HEADER = 14;
/** Tokens up to which a file is taken whole, whatever was looked at of it. */
const SMALL = 500;
/** Share of the budget that a file may take as a whole where only parts of it were looked at. */
const WHOLE_SHARE = 0.25;
/** Lines that are taken of a file that is not shown. */
const GUESSED = 160;
/** Share of the tokens of lines that must stand in the tail for these to be taken as shown there. */
const STANDS = 0.7;

/** The file with its lines counted. */
export function seenFile(lines: ReadonlyMap<number, string>, complete: boolean): SeenFile {
  const tokens = new Map<number, number>();
  let count = 0;
  for (const [number, text] of lines) {
    tokens.set(number, roughTokens(text.trimStart()) + 1);
    count = Math.max(count, number);
  }
  return { lines, count, tokens, complete };
}

/** Lines of a file that are worth having, by number, ascending; without those that the retained tail shows. */
export function wantedLines({ interests, shown }: RankedFile, seen: SeenFile, budget: number): readonly number[] {
  const all = [...seen.lines.keys()];
  const looked = withoutGaps(interests.flatMap((interest) => placesOf(interest, seen)));
  const parts = all.filter(liesIn(looked));
  const whole = tokensOf(seen, all);
  const isWhole =
    parts.length === 0 || whole <= Math.max(SMALL, Math.min(budget * WHOLE_SHARE, 2 * tokensOf(seen, parts)));
  return unshown(isWhole ? all : parts, seen, shown);
}

/** As many of the lines as fit into the tokens: those that were looked at last first, then from the top; ascending. */
export function fittingLines(
  { interests }: RankedFile,
  seen: SeenFile,
  lines: readonly number[],
  tokens: number,
): readonly number[] {
  const free = new Set(lines);
  const chosen = new Set<number>();
  let left = tokens;
  for (const { fromLine, toLine } of [...interests.flatMap((interest) => placesOf(interest, seen)), wholeOf(seen)]) {
    for (let number = fromLine; number <= toLine; number++) {
      if (!free.has(number)) continue;
      const cost = (seen.tokens.get(number) ?? 0) + (chosen.has(number - 1) ? 0 : HEADER);
      if (cost > left) return [...chosen].sort((a, b) => a - b);
      left -= cost;
      free.delete(number);
      chosen.add(number);
    }
  }
  return [...chosen].sort((a, b) => a - b);
}

/** About how many tokens lines take with the headers of their stretches. */
export function tokensOf(seen: SeenFile, lines: readonly number[]): number {
  let tokens = 0;
  let last = 0;
  for (const number of lines) {
    tokens += (seen.tokens.get(number) ?? 0) + (number === last + 1 && last > 0 ? 0 : HEADER);
    last = number;
  }
  return tokens;
}

/**
 * Ascending lines as windows; where the file has no lines that are known in between, they are one. Those of a few lines are
 * left out where there are longer ones.
 */
export function windowsOf(seen: SeenFile, lines: readonly number[]): readonly Window[] {
  const windows: { fromLine: number; toLine: number }[] = [];
  for (const number of lines) {
    const last = windows.at(-1);
    if (last !== undefined && isUnknown(seen, last.toLine + 1, number)) last.toLine = number;
    else windows.push({ fromLine: number, toLine: number });
  }
  const telling = windows.filter(({ fromLine, toLine }) => toLine - fromLine + 1 >= FEW);
  return telling.length === 0 ? windows : telling;
}

/** Where a file that is not shown was read, or else its beginning; newest first, none overlapping another. */
export function guessedWindows({ interests }: RankedFile, max: number): readonly Window[] {
  const windows: Window[] = [];
  for (const { fromLine = 1, toLine = Infinity } of interests) {
    const window = { fromLine, toLine: Math.min(toLine, fromLine + GUESSED - 1) };
    if (!windows.some((other) => window.fromLine <= other.toLine && other.fromLine <= window.toLine))
      windows.push(window);
  }
  return windows.slice(0, max);
}

function isUnknown({ lines }: SeenFile, from: number, to: number): boolean {
  for (let number = from; number < to; number++) if (lines.has(number)) return false;
  return true;
}

function wholeOf({ count }: SeenFile): Window {
  return { fromLine: 1, toLine: count };
}

/** The lines of an interest: those that a reading asked for, or those around what an edit put in. */
function placesOf({ edited, fromLine, toLine, anchors }: Interest, seen: SeenFile): readonly Window[] {
  if (fromLine !== undefined) return [{ fromLine, toLine: Math.min(toLine ?? Infinity, seen.count) }];
  if (!edited) return [wholeOf(seen)];
  return anchors.flatMap((anchor) => {
    const line = lineOf(seen, anchor);
    return line === undefined
      ? []
      : [{ fromLine: Math.max(1, line - AROUND.before), toLine: Math.min(seen.count, line + AROUND.behind) }];
  });
}

function lineOf({ lines }: SeenFile, anchor: string): number | undefined {
  for (const [number, text] of lines) if (text.trim() === anchor) return number;
  for (const [number, text] of lines) if (text.includes(anchor)) return number;
  return undefined;
}

/** Windows in ascending order; those that overlap or are near each other are one. */
function withoutGaps(windows: readonly Window[]): readonly Window[] {
  const joined: { fromLine: number; toLine: number }[] = [];
  for (const { fromLine, toLine } of [...windows].sort((a, b) => a.fromLine - b.fromLine)) {
    const last = joined.at(-1);
    if (last !== undefined && fromLine <= last.toLine + GAP + 1) last.toLine = Math.max(last.toLine, toLine);
    else joined.push({ fromLine, toLine });
  }
  return joined;
}

/** Whether a line lies in one of the windows; lines are to be asked in ascending order. */
function liesIn(windows: readonly Window[]): (line: number) => boolean {
  let at = 0;
  return (line) => {
    while (at < windows.length && (windows[at]?.toLine ?? 0) < line) at++;
    return (windows[at]?.fromLine ?? Infinity) <= line;
  };
}

/** The lines without those that the tail shows, as far as what stands there is large enough to be them. */
function unshown(lines: readonly number[], seen: SeenFile, shown: readonly ShownLines[]): readonly number[] {
  let left = lines;
  for (const { fromLine, toLine, tokens } of shown) {
    const isCovered = (line: number): boolean => fromLine <= line && line <= toLine;
    if (tokens >= STANDS * tokensOf(seen, left.filter(isCovered))) left = left.filter((line) => !isCovered(line));
  }
  return left;
}
