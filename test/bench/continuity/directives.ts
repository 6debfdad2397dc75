/** What the user said before a cut and that still holds behind it. */
import type { Item } from '../../../core';
import { textOf, wordsOf } from './item-text';

/** A sentence of the user. */
export interface Directive {
  readonly sentence: string;
  /** Number of the item that says it. */
  readonly item: number;
  /** Whether it holds because its prompt is being worked on, or because it is said again. */
  readonly because: 'active' | 'said again';
}

/** Words in a row by which one text quotes another. */
const QUOTED = 5;
/** Characters of the longest message that is taken for the user's own words; longer ones are pasted. */
const LONGEST = 6000;
/** Words of a sentence that must stand in a context. */
const COMPARED = 24;

/**
 * Sentences of the prompt that is worked on where the cut falls, and sentences of any prompt that user or agent say again in
 * what follows, up to the end of the session. Judged by words, not by what sounds like a rule.
 */
export function directivesHeld(
  before: readonly Item[],
  later: readonly Item[],
  { isTurnEnd }: { readonly isTurnEnd: boolean },
): readonly Directive[] {
  const said = [...before.entries()].filter(([, item]) => item.kind === 'message' && item.role === 'user');
  const active = isTurnEnd ? undefined : said.at(-1)?.[1];
  const prompts = said.filter(([, item]) => textOf(item).length <= LONGEST);
  const saidLater = gramsOf(
    later
      .filter(({ kind }) => kind === 'message')
      .map(textOf)
      .join('\n'),
  );
  const held = new Map<string, Directive>();
  for (const [number, prompt] of prompts)
    for (const sentence of sentencesOf(textOf(prompt))) {
      const isAgain = [...gramsOf(sentence)].some((gram) => saidLater.has(gram));
      const because = prompt === active ? 'active' : isAgain ? 'said again' : undefined;
      if (because !== undefined) held.set(sentence, { sentence, item: number, because });
    }
  return [...held.values()];
}

/** Sentences of five words and more; headings, lists of paths and numbers, and what tools put in between tags are none. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => !/^#|<\/?[a-z][\w-]*>/.test(sentence) && plainWords(sentence) >= QUOTED);
}

function plainWords(sentence: string): number {
  const plain = sentence.split(/\s+/).filter((word) => /^[\p{P}\p{S}]*[\p{L}'’-]+[\p{P}\p{S}]*$/u.test(word));
  return wordsOf(plain.join(' ')).length;
}

function gramsOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text);
  const grams = new Set<string>();
  for (let at = 0; at + QUOTED <= words.length; at++) grams.add(words.slice(at, at + QUOTED).join(' '));
  return grams;
}

/** Whether the words of a sentence stand in a row in a text, given as its words between blanks. */
export function isSaid({ sentence }: Directive, words: string): boolean {
  return words.includes(` ${wordsOf(sentence).slice(0, COMPARED).join(' ')} `);
}
