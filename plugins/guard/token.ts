/** The guard service (S9.7): what must never be read automatically, and masking of secrets. */
import { createToken } from '../../core/index';

/** What is never read automatically, and what is masked (S9.7). */
export interface Guard {
  /** Why this path is never read automatically (`.env*`, keys, configured patterns), or undefined. */
  neverAutoRead(path: string): string | undefined;
  /** The text with secrets masked; labels stay. */
  mask(text: string): string;
}

/** Served by `guard`; without it nothing is masked. */
export const GUARD = createToken<Guard>('pith/guard');
