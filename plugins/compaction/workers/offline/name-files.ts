/** Names the files that are not read again (S9.9). */
import type { Desk } from '../../worker';
import type { RankedFile } from './file-rank';
import { roughTokens } from './prose';

/** Tokens of the references that tell why, and of the bare names behind them; a file that was written is always named. */
const REFERENCES = { reasoned: 300, named: 300 } as const;

/** Names the files that have no mark, the most needed first: as long as there is room with the reason, then by name alone. */
export async function nameFiles(
  desk: Desk,
  ranked: readonly RankedFile[],
  marked: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  let reasoned: number = REFERENCES.reasoned;
  let named: number = REFERENCES.named;
  for (const { path, reason = '', edited } of ranked) {
    if (marked.has(path)) continue;
    reasoned -= roughTokens(`- ${path} (${reason})`);
    if (reasoned < 0) named -= roughTokens(`- ${path}`);
    if (reasoned >= 0 || named >= 0 || edited)
      await desk.call('add_reference', { path, note: reasoned >= 0 ? reason : '' }, signal);
  }
}
