/** A line that is being typed stands for a text of many lines: signs in the place of line ends, names in that of long pastes. */
import { printable } from './display-width';
import { counted } from './layout';

const LINE_END = '⏎';
const TAB = '⇥';
/** Characters up to which a paste is shown in the line itself. */
const SHOWN_PASTE = 400;

export class Draft {
  /** Long pastes by their name in the line. */
  readonly #pastes = new Map<string, string>();

  /** What to put into the line for a text that was pasted. */
  pasted(text: string): string {
    if (text.length <= SHOWN_PASTE) return lineOf(text);
    const lines = text.replace(/\n$/, '').split('\n').length;
    const name = `[paste ${String(this.#pastes.size + 1)}: ${counted(lines, 'line')}]`;
    this.#pastes.set(name, text);
    return name;
  }

  /** The text that a line stands for. */
  textOf(line: string): string {
    const text = line.replaceAll(LINE_END, '\n').replaceAll(TAB, '\t');
    return text.replace(/\[paste \d+: [\d,]+ lines?\]/g, (name) => this.#pastes.get(name) ?? name).trim();
  }
}

/** A text as one line. */
export function lineOf(text: string): string {
  return printable(text.replaceAll('\t', TAB)).replaceAll('\n', LINE_END);
}
