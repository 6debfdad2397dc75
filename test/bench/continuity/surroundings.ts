/**
 * Whether a name means in a context what it meant before: it must stand with something that it stood with, for a bare name in a
 * list tells an agent nothing.
 */
import { collapsed } from './item-text';
import { placesOf } from './names';

/** Characters on both sides of a name that are looked at for words. */
const AROUND = 80;
/** Characters beside a name that make it a quotation where they are as before. */
const QUOTED = 12;
/** Ordinary words that an occurrence must share with an old one. */
const SHARED = 2;
/** Occurrences that are compared, of the past the newest. */
const MOST = 60;

/** A text in which a name stood, and the file that it was part of. */
export interface OldText {
  readonly text: string;
  readonly path?: string;
}

/** What a name stood with. */
export interface Surroundings {
  /** Characters right before and right behind it, as far as {@link QUOTED}. */
  readonly left: ReadonlySet<string>;
  readonly right: ReadonlySet<string>;
  /** Ordinary words around each occurrence. */
  readonly words: readonly ReadonlySet<string>[];
  /** Last parts of the paths of files in which it stood. */
  readonly files: ReadonlySet<string>;
  /** The shortest quotation. */
  readonly quotation: string;
}

/** What a name stood with in the texts that have it, the newest last. */
export function surroundingsOf(name: string, texts: readonly OldText[]): Surroundings {
  const left = new Set<string>();
  const right = new Set<string>();
  const files = new Set<string>();
  const words: ReadonlySet<string>[] = [];
  let quotation = '';
  for (const { text, path } of texts.toReversed()) {
    if (path !== undefined) files.add(lastPart(path));
    for (const at of placesOf(name, text, MOST - words.length)) {
      const found = beside(name, text, at);
      left.add(found.left);
      right.add(found.right);
      words.push(wordsAround(name, text, at));
      if (quotation === '') quotation = found.left.length === QUOTED ? `${found.left}${name}` : `${name}${found.right}`;
    }
    if (words.length >= MOST) break;
  }
  return { left, right, words, files, quotation };
}

/** Whether the name stands in a text as a quotation, with words that it stood with, or in a line that begins with the file that it stood in. */
export function standsWith(name: string, { left, right, words, files }: Surroundings, text: string): boolean {
  return placesOf(name, text, MOST).some((at) => {
    const found = beside(name, text, at);
    if (left.has(found.left) || right.has(found.right)) return true;
    if (files.has(headOf(text, at))) return true;
    const around = wordsAround(name, text, at);
    return words.some((old) => shared(old, around) >= SHARED);
  });
}

function beside(name: string, text: string, at: number): { readonly left: string; readonly right: string } {
  const end = at + name.length;
  return {
    left: collapsed(text.slice(Math.max(0, at - AROUND), at)).slice(-QUOTED),
    right: collapsed(text.slice(end, end + AROUND)).slice(0, QUOTED),
  };
}

/** The last part of the path that begins the line of a place: what a list of names is grouped by. */
function headOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return lastPart(/^[\s*#-]*`?([^\s`:()]+)/.exec(line)?.[1] ?? '');
}

/** Words of letters alone, without capitals inside: what is said about a name, not other names. */
function wordsAround(name: string, text: string, at: number): ReadonlySet<string> {
  const end = at + name.length;
  const around = `${text.slice(Math.max(0, at - AROUND), at)} ${text.slice(end, end + AROUND)}`;
  return new Set(
    Array.from(around.matchAll(/(?<![\w$./-])\p{L}\p{Ll}{3,}(?![\w$/-]|\.\w)/gu), ([word]) => word.toLowerCase()),
  );
}

function shared(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let count = 0;
  for (const word of some) if (others.has(word)) count++;
  return count;
}

function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
