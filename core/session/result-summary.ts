/** The summary of a tool result whose tool gave none (S5.1): its name, the size, the first line. */
import type { Part } from './items';

const FIRST_LINE = 160;

/**
 * Names a result in one line: `Bash, 1204 characters in 34 lines: PASS test/csv.test.ts`. It stays when the content is
 * pruned, so it says what was there and whether the call failed.
 */
export function summariseResult(tool: string, content: readonly Part[], isError = false): string {
  const name = isError ? `${tool} failed` : tool;
  let characters = 0;
  let lines = 0;
  let images = 0;
  let first = '';
  for (const part of content) {
    if (part.type === 'image') images++;
    else {
      characters += part.text.length;
      lines += countLines(part.text);
      first ||= firstLine(part.text);
    }
  }
  const size = [characters > 0 ? textSize(characters, lines) : '', images > 0 ? plural(images, 'image') : '']
    .filter((piece) => piece !== '')
    .join(' and ');
  if (size === '') return `${name}, no output`;
  return first === '' ? `${name}, ${size}` : `${name}, ${size}: ${first}`;
}

function textSize(characters: number, lines: number): string {
  const size = plural(characters, 'character');
  return lines > 1 ? `${size} in ${String(lines)} lines` : size;
}

function plural(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function countLines(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The first line that is not blank, cut to a bearable length and never inside a surrogate pair. */
function firstLine(text: string): string {
  const start = text.search(/\S/);
  if (start === -1) return '';
  const end = text.indexOf('\n', start);
  const line = text.slice(start, end === -1 ? start + FIRST_LINE + 1 : Math.min(end, start + FIRST_LINE + 1)).trimEnd();
  if (line.length <= FIRST_LINE) return line;
  const cut = isHighSurrogate(line.charCodeAt(FIRST_LINE - 1)) ? FIRST_LINE - 1 : FIRST_LINE;
  return `${line.slice(0, cut)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
