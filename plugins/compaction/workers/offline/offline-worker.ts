/** The embedded compact worker (S9.12): deterministic, without a model, and acting through the desk alone. */
import { nextSlice } from '../../../../core/index';
import { renderSummary } from '../../summary-format';
import type { CompactWorker, WorkerReport } from '../../worker';
import { composeSummary } from './compose';
import { digestHistory } from './digest';
import { rankFiles } from './file-rank';
import { markFiles } from './mark-files';
import { nameFiles } from './name-files';
import { readHistory } from './pages';
import { turnsOf } from './turns';

/** Tokens that a summary is advised to have at most (S9.8). */
const ADVISED_TOKENS = 2000;
/** The worker guesses sizes on the safe side by about this factor. */
const CAUTION = 1.15;
/**
 * Share of the tokens that the next attempt takes where a summary is refused, and how often that is tried. The second attempt
 * only leaves out quotations of an earlier summary that the desk may not find.
 */
const SHORTER = 0.75;
const ATTEMPTS = 12;
/** Tokens of the summary for each finished task that is told apart. */
const TASK_TOKENS = 220;
const NO_MODEL: WorkerReport = {
  usage: { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
};

/** The worker that serves where there is no model, and whenever another one fails. */
export const offlineWorker: CompactWorker = {
  name: 'offline',
  async run(job, desk, { signal, progress }) {
    progress({ phase: 'reading', tokens: 0 });
    const entries = await readHistory(job, desk, signal);
    const turns = await turnsOf(entries, signal);
    progress({ phase: 'files', tokens: 0 });
    const ranked = await rankFiles(turns, entries, signal);
    await nextSlice();
    const marked = await markFiles(job, desk, ranked, signal);
    await nameFiles(desk, ranked, marked, signal);
    progress({ phase: 'summary', tokens: 0 });
    let tokens = Math.min(ADVISED_TOKENS * CAUTION, job.limits.summaryMaxTokens * 0.9);
    const digest = await digestHistory(
      entries,
      turns,
      job.previousSummary,
      Math.max(3, Math.floor(tokens / TASK_TOKENS)),
      signal,
    );
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = renderSummary(composeSummary(digest, tokens, attempt > 0));
      const result = await desk.call('write_summary', { text }, signal);
      if (result.isError !== true) break;
      if (attempt > 0) tokens *= SHORTER;
    }
    return NO_MODEL;
  },
};
