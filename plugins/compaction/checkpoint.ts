/**
 * From a result to a checkpoint (S9.9, S9.10): the blocks in their order, and the ladder that makes them fit. A checkpoint
 * that does not clearly shrink the context is never made.
 */
import type { Block, Checkpoint, ContextView, Edit, Reference } from '../../core/index';
import { referencesBlock, summaryBlock } from './blocks';
import type { Plan } from './plan';
import { trimResults } from './trim';
import type { TrimTokenizer } from './trim';

/** Share of the threshold that the new context may fill at most. */
export const TARGET_SHARE = 0.75;
/** What a compaction must save at least: a share of the context and tokens. */
export const LEAST_GAIN = { share: 0.1, tokens: 1024 } as const;

export interface CheckpointInput {
  readonly compaction: string;
  readonly context: ContextView;
  readonly plan: Plan;
  readonly summary: string;
  readonly state: Block | undefined;
  readonly autoReads: readonly Block[];
  readonly references: readonly Reference[];
  /** Tokens of the context before. */
  readonly before: number;
  /** Tokens of the threshold that asked for the compaction, or of the input window; undefined where neither is known. */
  readonly limit: number | undefined;
  readonly seen: number;
  readonly tokenizer: TrimTokenizer;
  /** Tokens of the context that a checkpoint leads to. */
  measure(checkpoint: Checkpoint): number;
}

export type CheckpointResult =
  | {
      readonly fits: true;
      readonly checkpoint: Checkpoint;
      readonly references: readonly Reference[];
      readonly autoReads: readonly Block[];
    }
  | { readonly fits: false; readonly outcome: 'inflated' | 'over-target'; readonly after: number };

/** The first checkpoint of the ladder that fits: as it is, with fewer auto-reads, with shorter results in the tail. */
export function buildCheckpoint(input: CheckpointInput): CheckpointResult {
  let autoReads = input.autoReads;
  let references = input.references;
  let edits = input.plan.edits;
  let checkpoint = assemble(input, autoReads, references, edits);
  const most = mostTokens(input);
  while (checkpoint.after > most && autoReads.length > 0) {
    const dropped = autoReads.at(-1)?.path ?? '';
    autoReads = autoReads.filter((block) => block.path !== dropped);
    references = [
      { path: dropped, note: 'left out of the auto-read: the context would not have fitted' },
      ...references,
    ];
    checkpoint = assemble(input, autoReads, references, edits);
  }
  if (checkpoint.after > most) {
    const { context, plan, seen, tokenizer } = input;
    const tail = plan.retained.tokens + context.tokens(plan.length);
    const room = Math.max(0, tail - (checkpoint.after - most));
    const trims = trimResults(context, plan.cut, room, seen, tokenizer);
    edits = [...withoutContentOf(edits, trims), ...trims];
    checkpoint = assemble(input, autoReads, references, edits);
  }
  if (checkpoint.after <= most) return { fits: true, checkpoint, references, autoReads };
  return {
    fits: false,
    outcome: checkpoint.after > input.before - leastGain(input.before) ? 'inflated' : 'over-target',
    after: checkpoint.after,
  };
}

function mostTokens({ before, limit }: CheckpointInput): number {
  return Math.min(before - leastGain(before), limit === undefined ? Infinity : limit * TARGET_SHARE);
}

/** Tokens that a compaction of so many must save (S9.10). */
export function leastGain(before: number): number {
  return Math.max(LEAST_GAIN.tokens, before * LEAST_GAIN.share);
}

function assemble(
  input: CheckpointInput,
  autoReads: readonly Block[],
  references: readonly Reference[],
  edits: readonly Edit[],
): Checkpoint {
  const { plan } = input;
  const named = referencesBlock(references);
  const draft: Checkpoint = {
    compaction: input.compaction,
    blocks: [
      summaryBlock(input.summary),
      ...(input.state === undefined ? [] : [input.state]),
      ...autoReads,
      ...(named === undefined ? [] : [named]),
    ],
    cut: plan.cutItem,
    ...(plan.lead !== undefined && { lead: plan.lead }),
    edits,
    before: input.before,
    after: 0,
  };
  return { ...draft, after: input.measure(draft) };
}

/** Later trims of an item take the place of earlier ones. */
function withoutContentOf(edits: readonly Edit[], trims: readonly Edit[]): readonly Edit[] {
  const trimmed = new Set(trims.flatMap((edit) => (edit.edit === 'content' ? [edit.item] : [])));
  return edits.filter((edit) => edit.edit !== 'content' || !trimmed.has(edit.item));
}
