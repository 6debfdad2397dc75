/** How much of what was needed a context holds. `docs/continuity.md` defines the measures. */
import type { Tokenizer } from '../../../core';
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
  | { readonly kind: 'lines'; readonly path: string; readonly numbers: readonly number[]; readonly of: number }
  | { readonly kind: 'names'; readonly name: NeededName; readonly standing: 'bare' | 'absent' }
  | { readonly kind: 'directives'; readonly directive: Directive }
  | { readonly kind: 'reads'; readonly path: string; readonly shown: number; readonly of: number }
  | { readonly kind: 'named'; readonly path: string };

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

/** Measures one context against one need. */
export async function measure(
  context: NewContext,
  need: Need,
  place: Place,
): Promise<{ readonly measured: Measured; readonly misses: readonly Miss[] }> {
  const { text, flat, words, tokens } = contextText(context, place.tokenizer);
  const isShown = await shownIn(context, need.touched, place);
  const misses: Miss[] = [];
  const missing = (path: string, numbers: readonly number[]): readonly number[] =>
    numbers.filter((number) => !isShown(path, number, need.lines.get(path)?.get(number) ?? ''));

  const files = [...need.lines].map(([path, lines]) => {
    const lost = missing(path, [...lines.keys()]);
    if (lost.length > 0) misses.push({ kind: 'lines', path, numbers: lost, of: lines.size });
    return { all: lines.size, lost: lost.length };
  });
  const reads = need.rereads.map(({ path, lines }) => {
    const shown = lines.length - missing(path, lines).length;
    if (shown < lines.length * NEEDLESS) misses.push({ kind: 'reads', path, shown, of: lines.length });
    return shown >= lines.length * NEEDLESS;
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
  const shownFiles = context.blocks.flatMap(({ path }) => path ?? []);
  const named = [...need.touched].map((path) => {
    const isNamed = shownFiles.includes(path) || placesOf(lastParts(place.display(path)), text, 1).length > 0;
    if (!isNamed) misses.push({ kind: 'named', path });
    return isNamed;
  });
  const chosen = [...new Set([...shownFiles, ...firstReferences(context, place.tokenizer)])];
  const lines = files.reduce((sum, { all, lost }) => ({ all: sum.all + all, lost: sum.lost + lost }), { all: 0, lost: 0 });
  return {
    misses,
    measured: {
      files: share(files.map(({ all, lost }) => all - lost >= all * THERE)),
      lines: lines.all === 0 ? undefined : 1 - lines.lost / lines.all,
      names: share(names),
      directives: share(directives),
      reads: share(reads),
      named: share(named),
      references: share([...need.touched].map((path) => chosen.includes(path))),
      precision: need.touched.size === 0 ? undefined : share(chosen.map((path) => need.touched.has(path))),
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
