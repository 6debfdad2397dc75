/** The services of the compaction plugin. */
import { createToken } from '../../core/index';
import type { Desks } from './desk';
import type { SummaryFormat } from './summary';
import type { CompactWorker } from './worker';
import type { StockWorkers } from './workers/stock-workers';

export type { Desks, OpenDesk } from './desk';
export { SUMMARY_FINAL, SUMMARY_TAKEN, workerTask } from './worker-task';
export type { WorkerTask } from './worker-task';

/** Who writes summaries: the stock worker that the manifest names, unless a plugin provides or wraps it. */
export const COMPACT_WORKER = createToken<CompactWorker>('pith/compact-worker');
/** The workers that come along. */
export const STOCK_WORKERS = createToken<StockWorkers>('pith/stock-workers');
export { COMPACT_MODEL } from '../../core/index';
/** What summaries look like; the stock format unless a plugin provides another one. */
export const SUMMARY_FORMAT = createToken<SummaryFormat>('pith/summary-format');
/** The desks that are open, one per running compaction; budget and guard look at marks here. */
export const DESKS = createToken<Desks>('pith/desks');
