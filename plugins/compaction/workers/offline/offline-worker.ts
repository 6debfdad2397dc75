/** The embedded compact worker (S9.12): deterministic, without a model, and acting through the desk alone. */
import { nextSlice } from '../../../../core/index';
import type { CompactWorker, WorkerReport } from '../../worker';
import { digestHistory } from './digest';
import { rankFiles } from './file-rank';
import { markFiles } from './mark-files';
import { nameFiles } from './name-files';
import { readHistory } from './pages';
import { notingMarks } from './shown-files';
import { turnsOf } from './turns';
import { wholeEntries } from './whole-entries';
import { sectionTokens, writeSummary } from './write-summary';

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
    const noting = notingMarks(desk);
    const entries = await wholeEntries(job, desk, await readHistory(job, desk, signal), signal);
    const turns = await turnsOf(entries, signal);
    progress({ phase: 'files', tokens: 0 });
    const ranked = await rankFiles(turns, entries, signal);
    await nextSlice();
    const marked = await markFiles(job, noting, ranked, signal);
    await nameFiles(desk, ranked, marked, signal);
    progress({ phase: 'summary', tokens: 0 });
    const maxTasks = Math.max(3, Math.floor(sectionTokens(job) / TASK_TOKENS));
    const digest = await digestHistory(entries, turns, job.previousSummary, maxTasks, signal);
    await writeSummary({ job, entries, turns, digest }, noting, signal);
    return NO_MODEL;
  },
};
