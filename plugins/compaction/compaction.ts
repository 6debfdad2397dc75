/** The compaction service (S9): plan, job, result, checkpoint. */
import type { Session, WorkUsage } from '../../core/index';
import type { Mark } from './desk';

export type CompactionOutcome =
  | 'done'
  | 'nothing-to-do'
  | 'cancelled'
  | 'timeout'
  | 'empty-summary'
  | 'truncated-summary'
  | 'inflated'
  | 'over-target'
  | 'stale'
  | 'refused'
  | 'worker-failed'
  | 'worker-unavailable'
  | 'breaker-open';

export type CompactionTrigger = 'post_run' | 'request' | 'overflow' | 'manual';

export interface CompactionReport {
  readonly id: string;
  readonly outcome: CompactionOutcome;
  readonly trigger: CompactionTrigger;
  readonly worker: string;
  readonly model?: string;
  readonly usage: WorkUsage;
  readonly before: { readonly tokens: number; readonly source: string };
  readonly plan?: {
    readonly cutItem: number;
    readonly summarised: { readonly items: number; readonly tokens: number };
    readonly retained: { readonly items: number; readonly tokens: number };
  };
  readonly summary?: { readonly text: string; readonly tokens: number };
  readonly marks: readonly Mark[];
  readonly references: readonly { readonly path: string; readonly note?: string }[];
  readonly after?: { readonly tokens: number; readonly items: number };
  readonly durationsMs: { readonly plan: number; readonly worker: number; readonly apply: number; readonly total: number };
  /** Why it ended as it did, where that needs saying. */
  readonly reason?: string;
}

export interface CompactOptions {
  readonly trigger: CompactionTrigger;
  readonly focus?: string;
  readonly signal?: AbortSignal;
  readonly retainedTokens?: number;
}

export interface Compaction {
  compact(session: Session, options: CompactOptions): Promise<CompactionReport>;
}
