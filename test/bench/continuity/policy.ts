/** What a policy is given, and what it makes of it. */
import type { FileSource, Item, Tokenizer } from '../../../core';
import type { NewContext } from './context';
import type { RealSession } from './corpus';
import type { Cut } from './cuts';
import type { Need } from './measures';

export interface PolicyInput {
  readonly session: RealSession;
  readonly cut: Cut;
  /** The items before the cut. */
  readonly before: readonly Item[];
  /** The files as the session knows them at the cut. */
  readonly files: FileSource;
  /** Tokens that the context may have. */
  readonly tokens: number;
  readonly tokenizer: Tokenizer;
  /** What will be needed; only the oracle looks at it. */
  readonly need: Need;
}

/** Makes the context that stands behind a cut. */
export type Policy = (input: PolicyInput) => Promise<NewContext>;
