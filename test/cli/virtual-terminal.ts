/** A terminal in memory: what is typed goes in, what a person would see comes out. Knows what the screen of `pith run` uses. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { widthOf } from '../../core/cli/display-width';
import type { ScreenOutput } from '../../core/cli/frame';
import type { TypedSource } from '../../core/cli/typed-input';

const CONTROL = /\u001B\[\??([\d;]*)([A-Za-z])|\r|\n|[^]/gu;

export class VirtualTerminal extends EventEmitter implements ScreenOutput {
  columns: number;
  /** What was written, as it came. */
  raw = '';
  readonly keyboard: TypedSource & PassThrough & { isRaw: boolean };
  /** Whether bracketed paste is on. */
  pastes = false;
  /** All rows from the first one on; a character that is two columns wide is followed by an empty cell. */
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns = 80) {
    super();
    this.columns = columns;
    const keyboard = Object.assign(new PassThrough(), {
      isRaw: false,
      setRawMode: (isRaw: boolean) => (keyboard.isRaw = isRaw),
    });
    this.keyboard = keyboard;
  }

  type(text: string): void {
    this.keyboard.write(text);
  }

  paste(text: string): void {
    this.type(`\u001B[200~${text.replaceAll('\n', '\r')}\u001B[201~`);
  }

  /** Changes the width; rows are not broken anew, as some terminals do not. */
  resize(columns: number): void {
    this.columns = columns;
    this.emit('resize');
  }

  write(text: string): boolean {
    this.raw += text;
    for (const [token, numbers = '', command] of text.matchAll(CONTROL)) {
      if (command !== undefined) this.#control(command, numbers, token);
      else if (token === '\r') this.#column = 0;
      else if (token === '\n') this.#newLine();
      else this.#put(token);
    }
    this.emit('written');
    return true;
  }

  /** All rows without those that are empty at the end. */
  get rows(): readonly string[] {
    const rows = this.#rows.map((row) => row.join('').trimEnd());
    while (rows.at(-1) === '') rows.pop();
    return rows;
  }

  get text(): string {
    return this.rows.join('\n');
  }

  get cursor(): { readonly row: number; readonly column: number } {
    return { row: this.#row, column: this.#column };
  }

  /** Resolves when what is seen fits; rejects with what is seen instead. */
  async shows(wanted: RegExp | string): Promise<void> {
    const fits = (): boolean => (typeof wanted === 'string' ? this.text.includes(wanted) : wanted.test(this.text));
    let late: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error(`${String(wanted)} is not shown, but:\n${this.text}`)), 10_000);
    });
    while (!fits()) await Promise.race([new Promise((resolve) => this.once('written', resolve)), tooLate]);
    clearTimeout(late);
  }

  #control(command: string, numbers: string, token: string): void {
    const [first] = numbers.split(';').map(Number);
    switch (command) {
      case 'A':
        this.#row = Math.max(0, this.#row - (first || 1));
        break;
      case 'B':
        this.#row += first || 1;
        break;
      case 'C':
        this.#column += first || 1;
        break;
      case 'D':
        this.#column = Math.max(0, this.#column - (first || 1));
        break;
      case 'G':
        this.#column = (first || 1) - 1;
        break;
      case 'J':
        this.#rows.length = this.#row + 1;
        this.#rows[this.#row]?.splice(this.#column);
        break;
      case 'K':
        this.#rows[this.#row]?.splice(this.#column);
        break;
      case 'h':
      case 'l':
        this.pastes = command === 'h';
        break;
      case 'm':
        break;
      default:
        throw new Error(`The terminal does not know ${JSON.stringify(token)}.`);
    }
    this.#reach();
  }

  #put(character: string): void {
    const width = widthOf(character);
    if (this.#column + width > this.columns) this.#newLine();
    const row = this.#rows[this.#row] ?? [];
    while (row.length < this.#column) row.push(' ');
    row[this.#column] = character;
    if (width === 2) row[this.#column + 1] = '';
    this.#column += width;
  }

  #newLine(): void {
    this.#row++;
    this.#column = 0;
    this.#reach();
  }

  #reach(): void {
    while (this.#rows.length <= this.#row) this.#rows.push([]);
  }
}
