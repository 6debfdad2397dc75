/** Which lines of a file are worth having: windows around edits and reads rather than the whole from the top. */
import type { Interest, RankedFile } from './file-rank';

/** 1-based lines, both ends included. */
export interface Window {
  readonly fromLine: number;
  readonly toLine: number;
}

/** A file as `read_file` showed it: text by line number; lines that are not known are not there. */
export interface SeenFile {
  readonly lines: ReadonlyMap<number, string>;
  readonly count: number;
}

/** Lines before and behind an edit. */
const AROUND = 15;
/** Lines of a read without bounds that are taken from its beginning, where the file is too large to be taken whole. */
const FIRST_LINES = 60;
/** Lines of one read that are taken, beside its first. */
const LONGEST = 160;

/** Windows of a file, the most needed first, at most `max`; none overlaps another. */
export function windowsOf(file: RankedFile, seen: SeenFile, max: number): readonly Window[] {
  const windows: Window[] = [];
  for (const interest of [
    ...file.interests.filter(({ edited }) => edited),
    ...file.interests.filter(({ edited }) => !edited),
  ]) {
    for (const window of placesOf(interest, seen)) {
      const near = windows.findIndex(
        (other) => window.fromLine <= other.toLine + 8 && other.fromLine <= window.toLine + 8,
      );
      const other = windows[near];
      if (other === undefined) windows.push(window);
      else if (other.toLine - other.fromLine < 160)
        windows[near] = {
          fromLine: Math.min(other.fromLine, window.fromLine),
          toLine: Math.max(other.toLine, window.toLine),
        };
    }
    if (windows.length >= max) break;
  }
  return disjoint(windows).slice(0, max);
}

function placesOf(interest: Interest, seen: SeenFile): readonly Window[] {
  if (interest.fromLine !== undefined) {
    const toLine = Math.min(interest.toLine ?? Infinity, seen.count, interest.fromLine + LONGEST);
    return toLine < interest.fromLine ? [] : [{ fromLine: interest.fromLine, toLine }];
  }
  if (interest.anchors.length > 0) {
    return interest.anchors.flatMap((anchor) => {
      const line = lineOf(seen, anchor);
      return line === undefined
        ? []
        : [{ fromLine: Math.max(1, line - AROUND), toLine: Math.min(seen.count, line + AROUND + 10) }];
    });
  }
  return interest.edited || seen.count === 0 ? [] : [{ fromLine: 1, toLine: Math.min(seen.count, FIRST_LINES) }];
}

function lineOf(seen: SeenFile, anchor: string): number | undefined {
  for (const [number, text] of seen.lines) if (text.trim() === anchor) return number;
  for (const [number, text] of seen.lines) if (text.includes(anchor)) return number;
  return undefined;
}

/** The same for a file that is not shown: where it was read, or its beginning. */
export function guessedWindows(file: RankedFile, max: number): readonly Window[] {
  const windows = file.interests.map(({ fromLine = 1, toLine = Infinity }) => ({
    fromLine,
    toLine: Math.min(toLine, fromLine + LONGEST),
  }));
  return disjoint(windows).slice(0, max);
}

/** Windows without the lines that an earlier one of the list has. */
function disjoint(windows: readonly Window[]): readonly Window[] {
  const kept: Window[] = [];
  for (const window of windows) {
    if (kept.some((other) => window.fromLine <= other.toLine && other.fromLine <= window.toLine)) continue;
    kept.push(window);
  }
  return kept;
}

/** The window without lines that are shown anyway; what is left of it, longest part first. */
export function unshown(window: Window, shown: readonly Window[]): Window | undefined {
  let parts: Window[] = [window];
  for (const { fromLine, toLine } of shown) {
    parts = parts.flatMap((part) => [
      ...(part.fromLine < fromLine ? [{ fromLine: part.fromLine, toLine: Math.min(part.toLine, fromLine - 1) }] : []),
      ...(part.toLine > toLine ? [{ fromLine: Math.max(part.fromLine, toLine + 1), toLine: part.toLine }] : []),
    ]);
  }
  return parts.sort((a, b) => b.toLine - b.fromLine - (a.toLine - a.fromLine))[0];
}
