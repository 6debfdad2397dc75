/** What an agent has in front of it after a cut, whoever made it, and which lines of files stand in it. */
import { createSessionFiles, fileCalls } from '../../../core';
import type { FileCall, Item, LineRange, Tokenizer } from '../../../core';
import { knownText } from './file-lines';
import { collapsed, textOf, wordsOf } from './item-text';

/** A piece of a context that is no item of the conversation. */
export interface ContextBlock {
  readonly text: string;
  /** The canonical path of the file that it shows, if it shows one, */
  readonly path?: string;
  /** and which lines of it. */
  readonly lines?: readonly LineRange[];
}

export interface NewContext {
  readonly blocks: readonly ContextBlock[];
  /** The newest items, as they are sent. */
  readonly tail: readonly Item[];
  /** Files that are named on purpose, in their order, as the context names them; by canonical path. */
  readonly references: readonly { readonly path: string; readonly text: string }[];
  /** How the compaction ended, where one was asked for. */
  readonly outcome?: string;
}

/** The texts of a context, in the forms in which it is searched. */
export interface ContextText {
  readonly text: string;
  /** White space collapsed. */
  readonly flat: string;
  /** Its words between blanks. */
  readonly words: string;
  /** Tokens of all that the policy chose: blocks and tail, without system prompt and tools, which all have alike. */
  readonly tokens: number;
}

export function contextText({ blocks, tail }: NewContext, tokenizer: Tokenizer): ContextText {
  const text = [...blocks.map((block) => block.text), ...tail.map(textOf)].join('\n');
  return {
    text,
    flat: collapsed(text),
    words: ` ${wordsOf(text).join(' ')} `,
    tokens:
      blocks.reduce((sum, block) => sum + tokenizer.countText(block.text), 0) +
      tail.reduce((sum, item) => sum + itemTokens(item, tokenizer), 0),
  };
}

/** Tokens of all text of an item as it is sent; images and opaque reasoning are left out, as nothing of them is measured. */
export function itemTokens(item: Item, tokenizer: Tokenizer): number {
  return tokenizer.countItem(item).text;
}

/** Whether a line of a file stands in a context. */
export type IsShown = (path: string, number: number, text: string) => boolean;

/**
 * Lines stand in a context where a block shows them, where a read in the tail shows them by their number, and where a change in
 * the tail put them in.
 */
export async function shownIn(
  { blocks, tail }: NewContext,
  paths: Iterable<string>,
  { root, canonical }: { readonly root?: string; canonical(path: string): string },
): Promise<IsShown> {
  const files = createSessionFiles(tail, root);
  const numbered = new Map<string, ReadonlyMap<number, string>>();
  for (const path of paths) numbered.set(path, knownText(await files.read(path)));
  const putIn = new Map<string, Set<string>>();
  for (const item of tail) {
    if (item.kind !== 'tool_call') continue;
    for (const call of fileCalls(item.name, item.arguments)) {
      const path = canonical(call.path);
      const texts = putIn.get(path) ?? new Set();
      putIn.set(path, texts);
      for (const line of linesPutIn(call)) texts.add(line.trim());
    }
  }
  const shown = blocks.flatMap(({ path, lines, text }) =>
    path === undefined ? [] : [{ path, lines, texts: new Set(text.split('\n').map((line) => line.trim())) }],
  );
  return (path, number, text) =>
    numbered.get(path)?.get(number) === text ||
    putIn.get(path)?.has(text) === true ||
    shown.some(
      (block) =>
        block.path === path &&
        block.texts.has(text) &&
        (block.lines?.some(({ fromLine, toLine }) => fromLine <= number && number <= toLine) ?? true),
    );
}

/** The lines that a change puts in, or shows as they were. */
function linesPutIn(call: FileCall): readonly string[] {
  switch (call.op) {
    case 'write':
      return call.text?.split('\n') ?? [];
    case 'edit':
      return (call.edits ?? []).flatMap((edit) => edit.new.split('\n'));
    case 'patch':
      return call.hunks.flatMap((hunk) => hunk.new);
    case 'insert':
      return call.text.split('\n');
    case 'read':
    case 'delete':
    case 'move':
      return [];
  }
}
