/** How much of what was needed a context holds. `docs/continuity.md` defines the measures. */
import type { LineRange, Tokenizer } from '../../../core';
import { contextText, shownIn } from './context';
import type { NewContext } from './context';
import { isSaid } from './directives';
import type { Directive } from './directives';
import type { FileNeed } from './file-need';
import { standing } from './name-need';
import type { NeededName } from './name-need';
import { placesOf } from './names';

/** All that was needed behind a cut. */
export interface Need extends FileNeed {
  readonly names: readonly NeededName[];
  readonly directives: readonly Directive[];
}

/** Measures in the order in which they are shown; all are shares but the tokens. */
export const MEASURES = [
  'files',
  'lines',
  'names',
  'directives',
  'reads',
  'named',
  'references',
  'precision',
  'tokens',
] as const;
export type Measure = (typeof MEASURES)[number];

/** Undefined where nothing of the kind was needed. */
export type Measured = Readonly<Record<Measure, number | undefined>>;

/** Something that was needed and is not there. */
export type Miss =
  | { readonly kind: 'lines'; readonly path: string; readonly numbers: readonly number[]; readonly shown: Shown }
  | { readonly kind: 'reads'; readonly path: string; readonly numbers: readonly number[]; readonly shown: Shown }
  | { readonly kind: 'names'; readonly name: NeededName; readonly standing: 'bare' | 'absent' }
  | { readonly kind: 'directives'; readonly directive: Directive }
  | { readonly kind: 'named'; readonly path: string };

/** What a context shows of a file of which lines are missing. */
export interface Shown {
  readonly ranges: readonly LineRange[];
  /** Whether it names the file. */
  readonly named: boolean;
}

/** Share of the lines used next that must be there for a file to count. */
const THERE = 0.5;
/** Share of the lines of a read that must be there for it to be needless. */
const NEEDLESS = 0.95;
/** Tokens of the references that are looked at. */
const REFERENCE_TOKENS = 300;

export interface Place {
  readonly root?: string;
  readonly tokenizer: Tokenizer;
  canonical(path: string): string;
  /** The path from the session's folder on. */
  display(path: string): string;
}

export interface Finding {
  readonly measured: Measured;
  /** How much of each kind was needed. */
  readonly needed: Readonly<Record<Miss['kind'], number>>;
  readonly misses: readonly Miss[];
}

/** Measures one context against one need. */
export async function measure(context: NewContext, need: Need, place: Place): Promise<Finding> {
  const { text, flat, words, tokens } = contextText(context, place.tokenizer);
  const isShown = await shownIn(context, need.touched, place);
  const misses: Miss[] = [];
  const missing = (path: string, numbers: readonly number[]): readonly number[] =>
    numbers.filter((number) => !isShown(path, number, need.lines.get(path)?.get(number) ?? ''));
  const isNamed = (path: string): boolean =>
    context.blocks.some((block) => block.path === path) || placesOf(lastParts(place.display(path)), text, 1).length > 0;
  const shownOf = (path: string): Shown => ({
    ranges: context.blocks.flatMap((block) => (block.path === path ? (block.lines ?? []) : [])),
    named: isNamed(path),
  });

  const files = [...need.lines].map(([path, lines]) => {
    const numbers = missing(path, [...lines.keys()]);
    if (numbers.length > 0) misses.push({ kind: 'lines', path, numbers, shown: shownOf(path) });
    return { all: lines.size, lost: numbers.length };
  });
  const reads = need.rereads.map(({ path, lines }) => {
    const numbers = missing(path, lines);
    const isNeedless = lines.length - numbers.length >= lines.length * NEEDLESS;
    if (!isNeedless) misses.push({ kind: 'reads', path, numbers, shown: shownOf(path) });
    return isNeedless;
  });
  const names = need.names.map((name) => {
    const stands = standing(name, text, flat);
    if (stands !== 'found') misses.push({ kind: 'names', name, standing: stands });
    return stands === 'found';
  });
  const directives = need.directives.map((directive) => {
    const said = isSaid(directive, words);
    if (!said) misses.push({ kind: 'directives', directive });
    return said;
  });
  const touched = [...need.touched];
  const named = touched.map(isNamed);
  for (const [at, path] of touched.entries()) if (named[at] === false) misses.push({ kind: 'named', path });
  const chosen = new Set([
    ...context.blocks.flatMap(({ path }) => path ?? []),
    ...firstReferences(context, place.tokenizer),
  ]);
  const lines = files.reduce((sum, { all }) => sum + all, 0);
  const lost = files.reduce((sum, file) => sum + file.lost, 0);
  return {
    misses,
    needed: {
      lines,
      reads: reads.length,
      names: names.length,
      directives: directives.length,
      named: named.length,
    },
    measured: {
      files: share(files.map((file) => file.all - file.lost >= file.all * THERE)),
      lines: lines === 0 ? undefined : 1 - lost / lines,
      names: share(names),
      directives: share(directives),
      reads: share(reads),
      named: share(named),
      references: share(touched.map((path) => chosen.has(path))),
      precision: touched.length === 0 ? undefined : share([...chosen].map((path) => need.touched.has(path))),
      tokens,
    },
  };
}

function share(answers: readonly boolean[]): number | undefined {
  return answers.length === 0 ? undefined : answers.filter(Boolean).length / answers.length;
}

/** A file counts as named by its name and the folder that it lies in. */
function lastParts(path: string): string {
  return path.split('/').slice(-2).join('/');
}

/** The references that fit into the tokens they may have. */
function firstReferences({ references }: NewContext, tokenizer: Tokenizer): readonly string[] {
  let left = REFERENCE_TOKENS;
  const first: string[] = [];
  for (const { path, text } of references) {
    left -= tokenizer.countText(`${text}\n`);
    if (left < 0) break;
    first.push(path);
  }
  return first;
}
