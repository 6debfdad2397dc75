/** How text stands on a terminal: in columns, without control characters, wrapped and cut to a width. */

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
const INVISIBLE = /[\p{Mark}\p{Format}]/u;
const CONTROL =
  /\u001B\[[0-9;?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
const BIDI = /[\u202A-\u202E\u2066-\u2069]/g;

/** Text of a session as it may be shown: nothing in it moves the cursor, changes colours or reorders what is read. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL, '').replace(BIDI, '').replace(/\t/g, '  ').toWellFormed();
}

/** The same on one line: line ends and runs of blanks become one blank. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** Columns that a text takes; East Asian and emoji characters take two. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The text padded with blanks to a number of columns. */
export function padTo(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

/** The text cut to a number of columns; `…` in the place of what is missing, at its end or its beginning. */
export function fitTo(text: string, columns: number, cut: 'end' | 'start' = 'end'): string {
  if (widthOf(text) <= columns) return text;
  if (columns <= 0) return '';
  const characters = cut === 'end' ? [...text] : [...text].reverse();
  let width = 1;
  const kept: string[] = [];
  for (const character of characters) {
    width += columnsOf(character);
    if (width > columns) break;
    kept.push(character);
  }
  return cut === 'end' ? `${kept.join('')}…` : `…${kept.reverse().join('')}`;
}

/** The lines of a text wrapped at blanks to a number of columns; what continues a line is indented like its text. */
export function wrapTo(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(8, columns)));
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const lead = /^\s*(?:[-*•] |\d+[.)] )?/.exec(line)?.[0] ?? '';
  const indent = ' '.repeat(Math.min(widthOf(lead), columns >> 1));
  const lines: string[] = [];
  let current = '';
  let width = 0;
  const close = (): void => {
    lines.push(current.trimEnd());
    current = indent;
    width = indent.length;
  };
  for (const [word] of line.matchAll(/^\s*\S+|\s+\S+|\s+$/g)) {
    const wide = widthOf(word);
    if (width + wide > columns && width > indent.length) close();
    const added = width === indent.length && lines.length > 0 ? word.trimStart() : word;
    if (width + widthOf(added) <= columns) {
      current += added;
      width += widthOf(added);
      continue;
    }
    for (const character of added) {
      if (width + columnsOf(character) > columns) close();
      current += character;
      width += columnsOf(character);
    }
  }
  if (current.trim() !== '') lines.push(current.trimEnd());
  return lines;
}

function columnsOf(character: string): number {
  if (isPlain(character)) return 1;
  if (INVISIBLE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

function isPlain(text: string): boolean {
  return /^[\u0020-\u007E\u00A0-\u02FF]*$/.test(text);
}
