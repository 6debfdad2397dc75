/** The errors that end a run whose next request cannot be made small enough (S9.2). */
import { PithError } from '../../core/index';
import type { CompactionReport } from '../../core/index';
import type { Measures } from './automatic';

/** After two compactions it is still too large. */
export function doesNotFit(tokens: number, measures: Measures, overflow: PithError | undefined): PithError {
  const told = overflow === undefined ? '' : ', and the provider refuses it as too large';
  return new PithError(
    'PITH_UNRECOVERABLE_OVERFLOW',
    `The next request would have about ${tokens} tokens${told}; ${takes(measures)}. It stays too large after compaction: ` +
      'shorten the prompt, the system prompt or the pinned items, offer fewer tools, or use a model with a larger window.',
    { details: detailsOf(tokens, measures), ...(overflow !== undefined && { cause: overflow }) },
  );
}

/** A plugin does not let the session be compacted, and pruning did not free enough. */
export function vetoed(
  { plugin, reason }: NonNullable<CompactionReport['veto']>,
  tokens: number,
  measures: Measures,
  overflow: PithError | undefined,
): PithError {
  return new PithError(
    'PITH_UNRECOVERABLE_OVERFLOW',
    `Plugin "${plugin}" does not let the session be compacted: ${reason}. The next request would have about ${tokens} tokens ` +
      `after pruning; ${takes(measures)}. Have the plugin allow a compaction, or leave it out.`,
    { plugin, details: { ...detailsOf(tokens, measures), reason }, ...(overflow !== undefined && { cause: overflow }) },
  );
}

function takes({ window, isWindowKnown, requestThreshold }: Measures): string {
  const known = isWindowKnown ? '' : ' (assumed, since nothing is known of it; set context_window)';
  const allowed = requestThreshold === undefined ? '' : `, and compact_request_threshold allows ${requestThreshold}`;
  return `the model takes ${window}${known}${allowed}`;
}

function detailsOf(
  tokens: number,
  { window, isWindowKnown, requestThreshold }: Measures,
): Readonly<Record<string, unknown>> {
  return { tokens, window, isWindowKnown, ...(requestThreshold !== undefined && { requestThreshold }) };
}
