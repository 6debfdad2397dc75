/** The prune service (S8), for hosts and reports that ask outside of the hooks. */
import { createToken } from '../../core/index';
import type { Edit, Session } from '../../core/index';

/** What pruning a session now would do. */
export interface PruneEvaluation {
  /** Results that would lose their content. */
  readonly candidates: number;
  /** Tokens that the batch saves, or would save if it were large enough. */
  readonly savedTokens: number;
  /** The batch; empty where it would not save enough. */
  readonly edits: readonly Edit[];
}

/** Drops the content of old tool results from contexts (S8). */
export interface Prune {
  evaluate(session: Session): PruneEvaluation;
  /** Records the batch, if it saves enough; publishes `prune.fired` or `prune.skipped`. */
  prune(session: Session): PruneEvaluation;
}

/** Prunes contexts; served by `prune`. */
export const PRUNE = createToken<Prune>('pith/prune');
