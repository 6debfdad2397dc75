/** The little Markdown that summaries are written in, as data: headings, lists, code and paragraphs. Pure; linear in the text. */

/** What stands below another in a text. */
export type TextBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: readonly Span[] }
  | { readonly kind: 'paragraph'; readonly text: readonly Span[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: 'code'; readonly text: string };

/** A run of text. */
export interface Span {
  readonly kind: 'plain' | 'strong' | 'code';
  readonly text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^(#{1,6}) +/;
const BULLET = /^[ \t]*[-*•][ \t]+/u;
const NUMBER = /^[ \t]*\d{1,9}[.)][ \t]+/;

/** Reads a text. What is no Markdown of this kind is a paragraph. */
export function parseMarkdown(text: string): readonly TextBlock[] {
  const lines = text.split(/\r\n?|\n/);
  const blocks: TextBlock[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    if (line.trim() === '') at++;
    else if (fence !== undefined) {
      const start = ++at;
      while (at < lines.length && !closes(lines[at] ?? '', fence)) at++;
      blocks.push({ kind: 'code', text: lines.slice(start, at++).join('\n') });
    } else if (heading !== null) {
      const [marks, { length }] = [heading[1] ?? '', heading[0]];
      blocks.push({ kind: 'heading', level: marks.length, text: parseSpans(line.slice(length).trim()) });
      at++;
    } else if (markerOf(line) !== undefined) {
      const isOrdered = NUMBER.test(line);
      const items: string[][] = [];
      for (; at < lines.length && continuesList(lines[at] ?? '', isOrdered); at++) {
        const next = lines[at] ?? '';
        const marker = markerOf(next);
        if (marker === undefined) items.at(-1)?.push(next.trim());
        else items.push([next.slice(marker.length)]);
      }
      blocks.push({ kind: 'list', isOrdered, items: items.map((item) => parseSpans(item.join('\n'))) });
    } else {
      const start = at++;
      while (at < lines.length && isProse(lines[at] ?? '')) at++;
      blocks.push({ kind: 'paragraph', text: parseSpans(lines.slice(start, at).join('\n')) });
    }
  }
  return blocks;
}

/** Runs between backticks are code, those between double asterisks strong; a mark without its other is text. */
export function parseSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let plain = 0;
  const missing = new Set<string>();
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] === '`' ? '`' : text.startsWith('**', at) ? '**' : undefined;
    if (mark === undefined || missing.has(mark)) continue;
    const start = at + mark.length;
    const end = text.indexOf(mark, start);
    if (end === -1) missing.add(mark);
    else if (end > start) {
      if (at > plain) spans.push({ kind: 'plain', text: text.slice(plain, at) });
      spans.push({ kind: mark === '`' ? 'code' : 'strong', text: text.slice(start, end) });
      plain = end + mark.length;
      at = plain - 1;
    } else at = end + mark.length - 1;
  }
  if (plain < text.length) spans.push({ kind: 'plain', text: text.slice(plain) });
  return spans;
}

function markerOf(line: string): string | undefined {
  return (BULLET.exec(line) ?? NUMBER.exec(line))?.[0];
}

function continuesList(line: string, isOrdered: boolean): boolean {
  return markerOf(line) === undefined ? isProse(line) : NUMBER.test(line) === isOrdered;
}

/** Whether a line goes on with what stands above it. */
function isProse(line: string): boolean {
  return line.trim() !== '' && !HEADING.test(line) && !FENCE.test(line) && markerOf(line) === undefined;
}

function closes(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === (fence[0] ?? '').repeat(trimmed.length);
}
