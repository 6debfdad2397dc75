/** The part of a text that one `read_file` shows: whole lines, bounded, as they stand in the file. Lines are 1-based. */
import type { LineRange } from '../../core/index';
import { countOf } from './wording';

/** Lines of one reading at most. */
export const PAGE_LINES = 2000;
/** Bytes of one reading at most, its first line aside. */
export const PAGE_BYTES = 48 * 1024;
/** Characters of a line that are shown. */
export const LINE_CHARACTERS = 2000;

export interface Page extends LineRange {
  readonly text: string;
  /** Lines of the whole text; a line feed at its end begins none. */
  readonly total: number;
}

/** The page that begins at line `offset`; undefined where the text ends before. An empty text has no page. */
export function pageOf(text: string, offset = 1, limit = PAGE_LINES): Page | undefined {
  let total = 0;
  let shown = '';
  let bytes = 0;
  let toLine = offset - 1;
  let isFull = false;
  for (let start = 0; start < text.length; total++) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed + 1;
    const number = total + 1;
    if (number >= offset && number < offset + Math.min(limit, PAGE_LINES) && !isFull) {
      const line = clipped(text.slice(start, end));
      bytes += Buffer.byteLength(line);
      isFull = bytes > PAGE_BYTES && number > offset;
      if (!isFull) {
        shown += line;
        toLine = number;
      }
    }
    start = end;
  }
  return toLine < offset ? undefined : { text: shown, fromLine: offset, toLine, total };
}

/** A page with a last line that says what is left and where to go on; a text that ends here has no such line. */
export function withRest({ text, fromLine, toLine, total }: Page): string {
  if (toLine === total) return text;
  const more = countOf(total - toLine, 'more line', 'more lines');
  return `${text}[Lines ${String(fromLine)}-${String(toLine)} of ${String(total)}. ${more}; go on with offset=${String(toLine + 1)}]`;
}

function clipped(line: string): string {
  const feed = line.endsWith('\n') ? '\n' : '';
  if (line.length - feed.length <= LINE_CHARACTERS) return line;
  return `${line.slice(0, LINE_CHARACTERS).toWellFormed()}… [line truncated]${feed}`;
}
