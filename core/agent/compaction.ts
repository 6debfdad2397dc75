/** The compaction service (S9) as hosts know it: what they ask for, and what they are told. A plugin provides it. */
import { createToken } from '../kernel/token';
import type { LlmClient } from '../llm/client';
import type { WorkUsage } from '../session/records';
import type { Session } from '../session/session';

/** A range of a file that is read into the new context; 1-based lines, inclusive. */
export interface Mark {
  readonly path: string;
  readonly fromLine: number;
  readonly toLine: number;
  readonly tokens: number;
  readonly source: 'disk' | 'session' | (string & {});
  readonly reason?: string;
}

/** A file that is only named in the new context. */
export interface Reference {
  readonly path: string;
  readonly note?: string;
}

/** How a compaction ended; only `done` changes anything (S9.10). */
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

/** Who asked: between turns, between requests, an overflow error of the provider, or a person. */
export type CompactionTrigger = 'post_run' | 'request' | 'overflow' | 'manual';

/** Milliseconds by phase. */
export type CompactionDurations = Readonly<Record<'plan' | 'worker' | 'apply' | 'total', number>>;

/** What became of a compaction. */
export interface CompactionReport {
  readonly id: string;
  readonly outcome: CompactionOutcome;
  readonly trigger: CompactionTrigger;
  readonly worker: string;
  readonly model?: string;
  readonly usage: WorkUsage;
  readonly before: { readonly tokens: number; readonly source: string };
  /** Undefined where nothing would be summarised. */
  readonly plan?: CompactionPlan;
  readonly summary?: { readonly text: string; readonly tokens: number };
  readonly marks: readonly Mark[];
  readonly references: readonly Reference[];
  /** Undefined unless a checkpoint was recorded. */
  readonly after?: { readonly tokens: number; readonly items: number };
  readonly durationsMs: CompactionDurations;
  /** Why it ended as it did, where that needs saying. */
  readonly reason?: string;
  /** The plugin that said no in `pre_compact`. */
  readonly veto?: { readonly plugin: string; readonly reason: string };
}

/** Why a session is compacted, and how. */
export interface CompactOptions {
  readonly trigger: CompactionTrigger;
  /** Focus of a manual compaction, in the user's words. */
  readonly focus?: string;
  readonly signal?: AbortSignal;
  /** Tokens to retain instead of the configured ones. */
  readonly retainedTokens?: number;
  /** Tokens of the threshold that asked for it. */
  readonly threshold?: number;
}

/** Where a compaction cuts, and how much lies before and behind the cut. */
export interface CompactionPlan {
  /** Number of the first item that is kept. */
  readonly cutItem: number;
  readonly summarised: { readonly items: number; readonly tokens: number };
  readonly retained: { readonly items: number; readonly tokens: number };
}

/** Compacts sessions (S9). */
export interface Compaction {
  /** What a compaction would do now; undefined where it would summarise nothing. Changes nothing, asks no worker. */
  plan(session: Session, options?: Pick<CompactOptions, 'retainedTokens'>): CompactionPlan | undefined;
  /**
   * Compacts a session. One at a time per session: a second call joins the first. Never rejects for what a worker or a plugin
   * does; the outcome says what happened, and nothing but `done` changes the session.
   */
  compact(session: Session, options: CompactOptions): Promise<CompactionReport>;
}

/** Compacts sessions on demand; provided by the plugin `compaction`. */
export const COMPACTION = createToken<Compaction>('pith/compaction');

/** The model of `[compaction.model]`; the compact worker has the agent's model where nobody serves it. */
export const COMPACT_MODEL = createToken<LlmClient>('pith/compact-model');

/** Which compact workers in other processes serve; both names are tokens of a bus subject (S11). */
export interface CompactPool {
  /** Whose jobs they are. */
  readonly tenant: string;
  readonly pool: string;
  /** Whether they are shown what files hold and what tools were given and put out; true by default. */
  readonly readsFiles?: boolean;
}

/**
 * Where `worker = "remote"` sends its jobs. Served where the bus reaches other processes: for a manifest with
 * `[transport] kind = "nats"`, or by whoever gives the kernel such a bus.
 */
export const COMPACT_POOL = createToken<CompactPool>('pith/compact-pool');
