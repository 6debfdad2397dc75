/** What `read_file` hands out (S9.5): numbered lines, bounded, with what is left. */
import type { Tokenizer } from '../../core/index';
import { rangesOf, type ShownFile } from './auto-read';
import { linesText } from './marks';

/** Lines of one reading at most. */
const READ_LINES = 2000;
/** Tokens of a reading that asks for no range. */
const READ_TOKENS = 1500;
/** Characters of a reading with a range, and of one line. */
const READ_CHARACTERS = 64_000;
const LINE_CHARACTERS = 2000;

/** The lines of a file under a header, each behind its number and a tab; then which lines are left. */
export function filePage(
  file: ShownFile,
  offset: number | undefined,
  limit: number | undefined,
  tokenizer: Pick<Tokenizer, 'truncate'>,
): string | undefined {
  const ranges = rangesOf(file, offset, Math.min(limit ?? READ_LINES, READ_LINES));
  if (ranges.length === 0) return undefined;
  const bounded = offset === undefined && limit === undefined;
  const numbered: string[] = [];
  let characters = 0;
  const room = bounded ? READ_TOKENS * 8 : READ_CHARACTERS;
  let last = 0;
  for (const { fromLine, toLine } of ranges) {
    for (let number = fromLine; number <= toLine && characters < room; number++) {
      const line = `${String(number)}\t${clipLine(file.lines[number - 1] ?? '')}`;
      numbered.push(line);
      characters += line.length + 1;
      last = number;
    }
  }
  let text = numbered.join('\n');
  if (bounded) {
    const cut = tokenizer.truncate(text, READ_TOKENS, 'head');
    if (cut.truncated) {
      const whole = Math.max(1, cut.text.split('\n').length - 1);
      last = Number.parseInt(numbered[whole - 1] ?? '', 10);
      text = numbered.slice(0, whole).join('\n');
    }
  }
  return `${file.path}, ${linesText(file)}:\n${text}\n${closing(file, last)}`;
}

function closing(file: ShownFile, last: number): string {
  const left = rangesOf(file, last + 1);
  const next = left[0]?.fromLine;
  if (next === undefined) return '(this is the end)';
  const lines = left.reduce((sum, { fromLine, toLine }) => sum + toLine - fromLine + 1, 0);
  return `(${String(lines)} more ${lines === 1 ? 'line' : 'lines'}; go on with offset=${String(next)})`;
}

function clipLine(line: string): string {
  if (line.length <= LINE_CHARACTERS) return line;
  return `${line.slice(0, LINE_CHARACTERS).toWellFormed()} [… ${String(line.length - LINE_CHARACTERS)} characters left out …]`;
}
