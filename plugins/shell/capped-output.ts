/** The output of a command within a bound: its head and its tail, and all of it as long as that is worth keeping. */
import type { Tokenizer } from '../../core/index';

/** Characters of output that are kept beside head and tail. */
const KEPT_CHARACTERS = 10 * 1024 * 1024;
/** Characters that are held for each token that may be shown; more than a token of prose or code has. */
const CHARACTERS_PER_TOKEN = 8;
/** Characters that are given up so that no line is cut. */
const LINE_REST = 200;

/** What of an output is shown. */
export interface ShownOutput {
  readonly head: string;
  readonly tail: string;
  /** What stands between the two and is not shown; absent: nothing, and the head is all. */
  readonly leftOut?: { readonly characters: number; readonly lines: number };
}

/** Collects output piece by piece, in bounded memory however much comes. */
export class CappedOutput {
  readonly #maxTokens: number;
  /** Characters that head and tail hold, each. */
  readonly #room: number;
  #head = '';
  #tail: string[] = [];
  #tailSize = 0;
  #end = '';
  #breaks = 0;
  readonly #kept: string[] = [];
  #keptSize = 0;
  /** Characters of all that came. */
  characters = 0;

  /** @param maxTokens tokens that are shown of head and tail together */
  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
    this.#room = Math.ceil(maxTokens / 2) * CHARACTERS_PER_TOKEN;
  }

  add(piece: string): void {
    if (piece === '') return;
    this.#keep(piece);
    this.characters += piece.length;
    this.#breaks += countBreaks(piece);
    this.#end = (this.#end + piece.slice(-2 * LINE_REST)).slice(-2 * LINE_REST);
    const missing = this.#room - this.#head.length;
    if (missing > 0) this.#head += piece.slice(0, missing);
    if (missing < piece.length) this.#addTail(piece.slice(Math.max(0, missing)));
  }

  /** The end of the newest line that is not blank. */
  get lastLine(): string {
    return (this.#end.trimEnd().split('\n').at(-1) ?? '').slice(-LINE_REST).trim();
  }

  /** Lines of all that came. */
  get lines(): number {
    return this.#breaks + (this.#end === '' || this.#end.endsWith('\n') ? 0 : 1);
  }

  /** The beginning of what came, up to 10 MB, in pieces, and whether that is all. */
  get kept(): { readonly pieces: readonly string[]; readonly isAll: boolean } {
    return { pieces: this.#kept, isAll: this.#keptSize === this.characters };
  }

  /** Head and tail within the bound, in whole lines where they are short; all of it where it fits. */
  shown(tokenizer: Pick<Tokenizer, 'truncate' | 'countText'>): ShownOutput {
    const end = this.#tail.join('').slice(-this.#room);
    const isHeld = this.#head.length + end.length === this.characters;
    const all = this.#head + end;
    if (isHeld && tokenizer.countText(all) <= this.#maxTokens) return { head: all, tail: '' };
    const half = Math.floor(this.#maxTokens / 2);
    const head = withoutLastRest(tokenizer.truncate(isHeld ? all : this.#head, half, 'head').text);
    const tail = withoutFirstRest(tokenizer.truncate(isHeld ? all.slice(head.length) : end, half, 'tail').text);
    const leftOut = {
      characters: this.characters - head.length - tail.length,
      lines: this.#breaks - countBreaks(head) - countBreaks(tail),
    };
    return { head: head.toWellFormed(), tail: tail.toWellFormed(), leftOut };
  }

  #addTail(piece: string): void {
    this.#tail.push(piece);
    this.#tailSize += piece.length;
    if (this.#tailSize < 2 * this.#room) return;
    this.#tail = [this.#tail.join('').slice(-this.#room)];
    this.#tailSize = this.#room;
  }

  #keep(piece: string): void {
    if (this.#keptSize < this.characters || this.#keptSize + piece.length > KEPT_CHARACTERS) return;
    this.#kept.push(piece);
    this.#keptSize += piece.length;
  }
}

function withoutLastRest(text: string): string {
  const at = text.lastIndexOf('\n') + 1;
  return at > 0 && text.length - at <= LINE_REST ? text.slice(0, at) : text;
}

function withoutFirstRest(text: string): string {
  const at = text.indexOf('\n') + 1;
  return at > 0 && at <= LINE_REST ? text.slice(at) : text;
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
