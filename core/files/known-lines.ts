/** What is known of one file from looks at parts of it and from changes to it: lines with gaps, which are never filled by guess. */
import type { LineRange } from './file-source';
import type { Hunk, Replacement } from './file-call';

/** A look at a file: consecutive lines from a 1-based line on; undefined where a line was shown cut. */
export interface Look {
  readonly fromLine: number;
  readonly lines: readonly (string | undefined)[];
  /** Whether the last of these lines is the last of the file. */
  readonly toEnd: boolean;
  /** Whether the last line of the file ends with a newline, where that is known. */
  readonly endsWithNewline?: boolean;
}

const MOST_LINES = 400_000;

/** The lines of a file as far as they are known. A look that contradicts what was known makes all else unknown. */
export class KnownLines {
  #lines: (string | undefined)[] = [];
  /** Whether the last line here is the last of the file. */
  #ended = false;
  #endsWithNewline = true;

  /** The whole text is this. */
  write(text: string): void {
    this.#lines = text.split('\n');
    this.#ended = true;
    this.#endsWithNewline = this.#lines.at(-1) === '';
    if (this.#endsWithNewline) this.#lines.pop();
  }

  /** Nothing is known any more. */
  forget(): void {
    this.#lines = [];
    this.#ended = false;
    this.#endsWithNewline = true;
  }

  /** Lines that were seen. */
  see(look: Look): void {
    const start = look.fromLine - 1;
    let { lines } = look;
    // A numbered listing may show the newline at the end of the file as one more, empty line.
    if (this.#ended && lines.at(-1) === '' && start + lines.length === this.#lines.length + 1)
      lines = lines.slice(0, -1);
    const end = start + lines.length;
    if (start < 0 || end > MOST_LINES) return;
    if (this.#contradicts(start, lines, look.toEnd)) this.forget();
    while (this.#lines.length < end) this.#lines.push(undefined);
    for (let at = 0; at < lines.length; at++) {
      if (lines[at] !== undefined) this.#lines[start + at] = lines[at];
    }
    if (!look.toEnd) return;
    this.#ended = true;
    this.#endsWithNewline = look.endsWithNewline ?? this.#endsWithNewline;
  }

  /** Replaces a text. False where it cannot be told what the file is now; then nothing is known any more. */
  replace({ old, new: fresh, all }: Replacement): boolean {
    const runs = this.#runs().map((run) => ({ ...run, text: this.#textOf(run) }));
    const counts = runs.map(({ text }) => occurrences(text, old));
    const count = counts.reduce((sum, found) => sum + found, 0);
    const moves = newlines(fresh) !== newlines(old);
    // Of several places the one that was meant cannot be told; what lies in gaps may hold more of them.
    const told = all ? this.#isWhole() || !moves : count === 1;
    // What stands within one line and in no known line stands in a gap; all that is known stays as it is.
    if (count === 0 && old !== '' && !this.#isWhole() && !old.includes('\n') && !moves) return true;
    if (old === '' || count === 0 || !told) return this.#lost();
    for (let at = runs.length - 1; at >= 0; at--) {
      const run = runs[at];
      if (run === undefined || counts[at] === 0) continue;
      const text = all ? run.text.replaceAll(old, () => fresh) : run.text.replace(old, () => fresh);
      if (this.#isWhole()) this.write(text);
      else if (!text.endsWith('\n')) return this.#lost();
      else this.#put(run.from, run.to, text.slice(0, -1).split('\n'));
    }
    return true;
  }

  /** Puts lines behind a 1-based line; 0 is the top of the file. */
  insert(afterLine: number, text: string): boolean {
    if (afterLine > this.#lines.length) return this.#ended ? this.#lost() : true;
    const lines = text.split('\n');
    if (lines.length > 1 && lines.at(-1) === '') lines.pop();
    this.#put(afterLine, afterLine, lines);
    return true;
  }

  /** Applies the hunks of a patch in order. False where a place cannot be told; then nothing is known any more. */
  patch(hunks: readonly Hunk[]): boolean {
    let from = 0;
    for (const hunk of hunks) {
      const start = this.#placeOf(hunk, from);
      if (start === undefined) return this.#lost();
      this.#put(start, start + hunk.old.length, hunk.new);
      from = start + hunk.new.length;
    }
    return true;
  }

  /** The known lines; undefined where all lines of the file are known, empty where none is. */
  known(): readonly LineRange[] | undefined {
    if (this.#isWhole()) return undefined;
    return this.#runs().map(({ from, to }) => ({ fromLine: from + 1, toLine: to }));
  }

  /** The text, with an empty line in the place of each unknown one. */
  text(): string {
    const text = this.#lines.map((line) => line ?? '').join('\n');
    return this.#ended && this.#endsWithNewline && this.#lines.length > 0 ? `${text}\n` : text;
  }

  #put(from: number, to: number, lines: readonly string[]): void {
    this.#lines = [...this.#lines.slice(0, from), ...lines, ...this.#lines.slice(to)];
  }

  #isWhole(): boolean {
    return this.#ended && !this.#lines.includes(undefined);
  }

  #lost(): false {
    this.forget();
    return false;
  }

  #contradicts(start: number, lines: readonly (string | undefined)[], toEnd: boolean): boolean {
    const end = start + lines.length;
    if (this.#ended && (end > this.#lines.length || (toEnd && end < this.#lines.length))) return true;
    if (toEnd && end < this.#lines.length) return true;
    return lines.some((line, at) => {
      const known = this.#lines[start + at];
      return line !== undefined && known !== undefined && known !== line;
    });
  }

  /** Stretches of known lines, 0-based, `to` exclusive. */
  #runs(): { readonly from: number; readonly to: number }[] {
    const runs: { from: number; to: number }[] = [];
    for (let at = 0; at < this.#lines.length; at++) {
      if (this.#lines[at] === undefined) continue;
      const last = runs.at(-1);
      if (last?.to === at) last.to++;
      else runs.push({ from: at, to: at + 1 });
    }
    return runs;
  }

  #textOf({ from, to }: { readonly from: number; readonly to: number }): string {
    const text = this.#lines.slice(from, to).join('\n');
    return this.#isWhole() && !this.#endsWithNewline ? text : `${text}\n`;
  }

  /** Where the old lines of a hunk stand: the first place behind the last hunk, or the only place where lines are unknown. */
  #placeOf(hunk: Hunk, from: number): number | undefined {
    const whole = this.#isWhole();
    const { after } = hunk;
    const anchor =
      after === undefined ? from : this.#lines.findIndex((line, at) => at >= from && line?.trim() === after) + 1;
    if (hunk.old.length === 0) return whole && after === undefined ? this.#lines.length : undefined;
    const places: number[] = [];
    for (let at = anchor === 0 ? from : anchor; at + hunk.old.length <= this.#lines.length && places.length < 2; at++) {
      if (hunk.old.every((line, index) => this.#lines[at + index] === line)) places.push(at);
    }
    if (hunk.atEnd && whole) return this.#lines.length - hunk.old.length;
    return whole || places.length === 1 ? places[0] : undefined;
  }
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1 && part !== ''; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

function newlines(text: string): number {
  return occurrences(text, '\n');
}
