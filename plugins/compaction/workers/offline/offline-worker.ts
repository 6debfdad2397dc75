/** The embedded compact worker (S9.12): deterministic, without a model, and acting through the desk alone. */
import { renderSummary } from '../../summary-format';
import type { CompactWorker, Desk, WorkerReport } from '../../worker';
import { composeSummary } from './compose';
import { rankFiles, type RankedFile } from './file-rank';
import { markFiles } from './mark-files';
import { nextSlice, readHistory } from './pages';
import { turnsOf } from './turns';

/** Tokens that a summary is advised to have at most (S9.8). */
const ADVISED_TOKENS = 2000;
/** Share of the tokens that the next attempt takes where a summary came out too long. */
const SHORTER = 0.75;
/** Files beside the written ones that are named as references. */
const READ_REFERENCES = 12;

const NO_MODEL: WorkerReport = {
  usage: { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
};

/** The worker that serves where there is no model, and whenever another one fails. */
export const offlineWorker: CompactWorker = {
  name: 'offline',
  async run(job, desk, { signal, progress }) {
    progress({ phase: 'reading', tokens: 0 });
    const entries = await readHistory(job, desk, signal);
    const turns = turnsOf(entries);
    await nextSlice();
    progress({ phase: 'files', tokens: 0 });
    const ranked = rankFiles(turns, entries);
    const marked = await markFiles(job, desk, ranked, signal);
    await addReferences(desk, ranked, marked, signal);
    progress({ phase: 'summary', tokens: 0 });
    for (let tokens = Math.min(ADVISED_TOKENS, Math.floor(job.limits.summaryMaxTokens * 0.9)); tokens > 40; tokens = Math.floor(tokens * SHORTER)) {
      signal.throwIfAborted();
      const text = renderSummary(composeSummary(job, entries, tokens));
      const result = await desk.call('write_summary', { text }, signal);
      if (result.isError !== true) break;
      await nextSlice();
    }
    return NO_MODEL;
  },
};

/** Every written file that has no mark is named, and the most needed of those that were only read. */
async function addReferences(desk: Desk, ranked: readonly RankedFile[], marked: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  const others = ranked.filter(({ path }) => !marked.has(path));
  const read = others.filter(({ edits }) => edits === 0).slice(0, READ_REFERENCES);
  for (const { path } of others.filter((file) => file.edits > 0 || read.includes(file))) await desk.call('add_reference', { path }, signal);
}
