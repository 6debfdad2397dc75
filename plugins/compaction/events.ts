/** The events of a compaction (S9.13): each start has exactly one end, `done` or `failed`; `skipped` has no start. */
import type {
  CompactionDurations,
  CompactionOutcome,
  CompactionPlan,
  CompactionTrigger,
  TraceContext,
  WorkUsage,
} from '../../core/index';

interface Named {
  readonly session: string;
  readonly compaction: string;
  readonly trigger: CompactionTrigger;
}

/** How a compaction ended, and what it cost. Tokens of the context before and after. */
export interface CompactionEnd extends Named {
  readonly outcome: CompactionOutcome;
  /** Which worker served last: the fallback's name where that did. */
  readonly worker: string;
  readonly model?: string;
  readonly usage: WorkUsage;
  readonly before: number;
  readonly after?: number;
  readonly marks: number;
  readonly references: number;
  readonly durationsMs: CompactionDurations;
  readonly reason?: string;
}

declare module '../../core/index' {
  interface EventMap {
    'compaction.started': Named & {
      readonly worker: string;
      readonly before: number;
      readonly summarised: { readonly items: number; readonly tokens: number };
    };
    /** What the worker is at, tokens it used, budget that is left. */
    'compaction.progress': Named & { readonly phase: string; readonly tokens: number; readonly budgetLeft?: number };
    'compaction.done': CompactionEnd;
    'compaction.failed': CompactionEnd;
    /** Nothing began: there was nothing to do, a plugin said no, or it was only planned (`mode = "observe"`). */
    'compaction.skipped': Named & {
      readonly outcome: CompactionOutcome;
      readonly before: number;
      readonly plan?: CompactionPlan;
      readonly reason?: string;
    };
    /** A worker with a model takes a job, here or for an agent in another process, in a session of its own. */
    'job.taken': {
      /** The id of the compaction. */
      readonly job: string;
      /** From 1. */
      readonly attempt: number;
      /** The session of the worker, whose turns and requests are heard under it. */
      readonly session: string;
      /** Where the compaction stands in the traces of the agent, where that has some. */
      readonly trace?: TraceContext;
    };
    /** A worker failed so often in a row that it is left alone for a while (S9.7); once per opening. */
    'breaker.opened': { readonly worker: string; readonly failures: number; readonly cooldownMs: number };
  }
}
