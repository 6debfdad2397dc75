/**
 * The last resort of the safety net (S9.2, S9.3): where nothing can be summarised, results are cut down where they stand.
 * Those that the model has seen fall to their summary, the largest of the others lose their middle. The edits are kept.
 */
import { CONTEXT } from '../../core/index';
import { leastGain, TARGET_SHARE } from './checkpoint';
import type { TooLarge } from './net';
import type { CompactorParts } from './parts';
import { trimResults } from './trim';

/** Cuts results down until the request is clearly below what it may have; changes nothing where that would not do. */
export function cutDownResults({ log, tokenizer }: CompactorParts, { session, measures, overflow }: TooLarge): void {
  const context = session.get(CONTEXT);
  const view = context.view();
  const { tokens } = view.occupancy();
  const limit = Math.min(measures.requestThreshold ?? Infinity, measures.window);
  const most = TARGET_SHARE * (overflow === undefined ? limit : Math.min(limit, tokens));
  if (tokens <= most) return;
  const room = Math.max(0, view.tokens(0) - (tokens - most));
  const edits = trimResults(view, 0, room, context.seen(), tokenizer);
  const after = view.with(edits).occupancy().tokens;
  if (tokens - after < leastGain(tokens) || (overflow === undefined && after > measures.window)) return;
  context.keep(edits, 'compaction', 'The request was too large, and nothing could be summarised.');
  log.warn('Tool results were cut down so that the next request fits: nothing could be summarised.', {
    session: session.id,
    results: edits.length,
    before: tokens,
    after,
  });
}
