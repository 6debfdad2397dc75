/** Standard output as the line editor sees it. */
import { Writable } from 'node:stream';

/** The terminal that is written to. */
export interface ScreenOutput {
  readonly columns?: number | undefined;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/** Writes together what belongs together, and changes its width when it is told to. */
export class Frame extends Writable {
  readonly isTTY = true;
  columns = 80;
  readonly #output: ScreenOutput;
  #held: string | undefined;

  constructor(output: ScreenOutput) {
    super({ decodeStrings: false });
    this.#output = output;
    this.measure();
  }

  /** Terminals that do not know their width say 0, or nothing. */
  measure(): void {
    this.columns = (this.#output.columns ?? 0) > 0 ? (this.#output.columns ?? 80) : 80;
  }

  hold(): void {
    this.#held ??= '';
  }

  release(): void {
    const text = this.#held ?? '';
    this.#held = undefined;
    if (text !== '') this.#output.write(text);
  }

  override _write(text: string, _: unknown, done: () => void): void {
    if (this.#held === undefined) this.#output.write(text);
    else this.#held += text;
    done();
  }
}
