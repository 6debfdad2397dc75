/**
 * File ranges for the new context (S9.6, S9.9): reading within scope and guard, ranges merged, and the blocks as they are
 * injected. Budget and context are counted on these very blocks.
 */
import { nextSlice } from '../../core/index';
import type { Block, FileSource, LineRange, Mark, Reference, Unreadable } from '../../core/index';
import type { Guard } from '../guard/token';
import { autoReadBlock } from './blocks';

/** A file that may be shown. */
export interface ShownFile {
  /** One spelling per file; how marks of one file find each other. */
  readonly key: string;
  /** How the path is shown. */
  readonly path: string;
  readonly source: string;
  /** Lines without their line feed; a last line feed begins no line. An empty file has one empty line. */
  readonly lines: readonly string[];
  /** The lines that may be shown, ascending and apart from each other; absent: all. */
  readonly known?: readonly LineRange[];
}

export interface FileAccess {
  readonly files: FileSource;
  readonly guard?: Pick<Guard, 'neverAutoRead' | 'mask'> | undefined;
}

/** Why nothing is shown that might be: there is no such file, it is a folder, it has not the lines that were asked for. */
export const GONE = 'does not exist';
export const NO_FILE = 'is not a regular file';
export const NO_LINE = 'has no line';

const WHY: Readonly<Record<Unreadable, string>> = {
  'not-found': GONE,
  'outside-scope': 'lies outside of the root',
  'not-a-file': NO_FILE,
  binary: 'is binary',
  'not-utf8': 'is not UTF-8 text',
  ignored: 'is ignored by git',
  denied: 'cannot be read',
  'too-large': 'is too large to be read',
};

/** Opens a file for showing, or says in half a sentence why it is not shown. Secrets are masked. */
export async function openFile(path: string, { files, guard }: FileAccess): Promise<ShownFile | string> {
  const key = files.canonical(path);
  const refusal = guard?.neverAutoRead(key) ?? guard?.neverAutoRead(path);
  if (refusal !== undefined) return `is never read automatically: ${refusal}`;
  const read = await files.read(path);
  if (!read.ok) return WHY[read.reason];
  const text = guard === undefined ? read.text : guard.mask(read.text);
  if (text !== read.text && countLines(text) !== countLines(read.text)) return 'holds a secret of several lines';
  return {
    key,
    path: files.display(path),
    source: read.source,
    lines: (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n'),
    ...(read.known !== undefined && { known: read.known }),
  };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The lines of a file that `offset` and `limit` ask for and that may be shown. Empty: there are none. */
export function rangesOf(file: ShownFile, offset = 1, limit = Infinity): readonly LineRange[] {
  const wanted = { fromLine: offset, toLine: Math.min(file.lines.length, offset + limit - 1) };
  if (wanted.fromLine > wanted.toLine) return [];
  return (file.known ?? [wanted]).flatMap(({ fromLine, toLine }) => {
    const from = Math.max(fromLine, wanted.fromLine);
    const to = Math.min(toLine, wanted.toLine);
    return from <= to ? [{ fromLine: from, toLine: to }] : [];
  });
}

/** Ranges in ascending order; those that overlap or touch are one. */
export function mergeRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const merged: { fromLine: number; toLine: number }[] = [];
  for (const { fromLine, toLine } of [...ranges].sort((a, b) => a.fromLine - b.fromLine)) {
    const last = merged.at(-1);
    if (last === undefined || fromLine > last.toLine + 1) merged.push({ fromLine, toLine });
    else last.toLine = Math.max(last.toLine, toLine);
  }
  return merged;
}

/** The block of a range as it stands in the context. */
export function blockOf(file: ShownFile, { fromLine, toLine }: LineRange): Block {
  const whole = file.known === undefined && fromLine === 1 && toLine >= file.lines.length;
  return autoReadBlock({
    path: file.path,
    fromLine,
    toLine,
    whole,
    text: file.lines.slice(fromLine - 1, toLine).join('\n'),
  });
}

interface AutoReadInput extends FileAccess {
  readonly marks: readonly Mark[];
  /** Tokens that all blocks may take together; absent: no limit. */
  readonly budget?: number | undefined;
  countText(text: string): number;
}

/**
 * Reads marked ranges as the files are now (S9.9). What vanished, may not be shown any more or no longer fits the budget becomes
 * a reference that says so; ranges are cut to the lines that are left.
 */
export async function readMarks(
  input: AutoReadInput,
): Promise<{ readonly blocks: readonly Block[]; readonly references: readonly Reference[] }> {
  const blocks: Block[] = [];
  const references: Reference[] = [];
  let left = input.budget ?? Infinity;
  for (const path of new Set(input.marks.map((mark) => mark.path))) {
    const marks = input.marks.filter((mark) => mark.path === path);
    await nextSlice();
    const file = await openFile(path, input);
    if (typeof file === 'string') {
      references.push({ path, note: file });
      continue;
    }
    const ranges = marks.flatMap(({ fromLine, toLine }) => rangesOf(file, fromLine, toLine - fromLine + 1));
    const read = mergeRanges(ranges).map((range) => blockOf(file, range));
    const tokens = read.reduce((sum, block) => sum + input.countText(block.text), 0);
    if (read.length === 0) references.push({ path, note: 'is shorter now than when it was marked' });
    else if (tokens > left) references.push({ path, note: 'has grown beyond the auto-read budget' });
    else {
      left -= tokens;
      blocks.push(...read);
    }
  }
  return { blocks, references };
}
