/** The contract between a compaction and whoever writes its summary (S9.4, S9.5). A job is a small message; the desk answers the rest. */
import type { ToolResult, ToolSchema, TraceContext, WorkUsage } from '../../core/index';

/** What a compact worker is asked to do. Bounded whatever the size of the session; may cross a process. */
export interface CompactJob {
  readonly id: string;
  readonly sessionId: string;
  /** The input of S9.4: overview, user messages, previous summary, default references; framed as data. */
  readonly overview: string;
  /** Focus of a manual compaction, in the user's words. */
  readonly focus?: string;
  /** Instructions of the manifest, and what plugins ask to mind. */
  readonly instructions?: string;
  /** Item numbers (0-based) of the part to summarise: `from` inclusive, `to` exclusive. */
  readonly range: { readonly from: number; readonly to: number };
  /** Whether an earlier summary covers what lies before the range; `read_history` of item -1 shows it. */
  readonly previousSummary?: string;
  /** Files that are references unless marked. */
  readonly defaultReferences: readonly string[];
  /** Headings and advice of the summary format. */
  readonly format: { readonly name: string; readonly instructions: string };
  readonly tools: readonly ToolSchema[];
  readonly limits: {
    readonly summaryMaxTokens: number;
    /** Tokens that all marks should take at most; advice where nobody keeps a budget (S9). */
    readonly autoReadBudget: number;
    readonly maxInputTokens: number;
    readonly timeoutMs: number;
  };
}

/** The agent's side of a job: every file, range, mark and word of history is had here, and nowhere else. */
export interface Desk {
  call(tool: string, args: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** What a worker says while it works. */
export interface WorkerProgress {
  readonly phase: string;
  /** Tokens that its requests took so far. */
  readonly tokens: number;
  /** What it has cost so far; counts where the worker fails (S9.13). */
  readonly spent?: WorkerReport;
}

/** What a worker tells of itself when it is done; the summary and the marks lie at the desk. */
export interface WorkerReport {
  readonly model?: string;
  readonly usage: WorkUsage;
}

/**
 * Writes the summary of a compaction at a desk. Rejects where it cannot: `PITH_LLM_REFUSED` ends as `refused`,
 * `PITH_LLM_OUTPUT_LIMIT` as `truncated-summary`, `PITH_BUS_NO_RESPONDER` as `worker-unavailable`, `PITH_BUS_TIMEOUT` as
 * `timeout`, anything else as `worker-failed`. After `PITH_BUS_RESPONDER_LOST` the job is done once more at a desk of its own. A
 * rate limit is told by its code, so that it does not count against the worker (S9.7); its `retryAfterMs` is kept to where
 * there is time.
 */
export interface CompactWorker {
  readonly name: string;
  /** Milliseconds that it may wait for somebody to take the job, before the time of the job begins; 0 by default. */
  readonly waitMs?: number;
  /** Whether it is shown what files hold and what tools were given and put out; true by default. */
  readonly readsFiles?: boolean;
  run(job: CompactJob, desk: Desk, options: WorkOptions): Promise<WorkerReport>;
}

/** What a worker is told beside its job. */
export interface WorkOptions {
  /** Aborts when the job is over, for whatever reason. */
  readonly signal: AbortSignal;
  /** Rises with each attempt at the same job, from 1, the default. */
  readonly attempt?: number;
  /** Where the work stands in the traces of the agent. */
  readonly trace?: TraceContext | undefined;
  progress(progress: WorkerProgress): void;
}
