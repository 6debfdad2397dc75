/** The services of the compaction plugin. */
import { createToken } from '../../core/index';
import type { Desks } from './desk';
import type { SummaryFormat } from './summary';
import type { CompactWorker } from './worker';

export type { Desks, OpenDesk } from './desk';

export const COMPACT_WORKER = createToken<CompactWorker>('pith/compact-worker');
export const SUMMARY_FORMAT = createToken<SummaryFormat>('pith/summary-format');
/** The desks that are open, one per running compaction; budget and guard look at marks here. */
export const DESKS = createToken<Desks>('pith/desks');
