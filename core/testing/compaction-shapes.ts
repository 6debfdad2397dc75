/**
 * What the contracts of the kit go by of a summary format and a compact worker. Who writes one takes its types from the plugin
 * `compaction`, of which the core knows nothing; these are the parts of them that are checked.
 */
import type { ToolResult } from '../agent/tools';
import type { WorkUsage } from '../session/records';

/** One fault of a summary (S9.7). */
export interface CheckedProblem {
  readonly problem: string;
  readonly message: string;
  /** The line at fault, where one line is. */
  readonly line?: string;
}

/** What a summary is checked against. */
export interface CheckedFacts {
  readonly maxTokens: number;
  countText(text: string): number;
  isQuoted(text: string): boolean;
}

/** A summary format (S9.8). */
export interface CheckedFormat {
  readonly name: string;
  readonly instructions: string;
  check(text: string, facts: CheckedFacts): readonly CheckedProblem[];
  repair(text: string, problems: readonly CheckedProblem[]): string;
}

/** What a compact worker is asked to do (S9.4), as far as it is looked at. */
export interface CheckedJob {
  readonly tools: readonly { readonly name: string }[];
  readonly limits: { readonly summaryMaxTokens: number; readonly autoReadBudget: number };
}

/** The agent's side of a job (S9.5). */
export interface CheckedDesk {
  call(tool: string, args: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** What a worker says while it works; tokens. */
export interface CheckedProgress {
  readonly phase: string;
  readonly tokens: number;
}

/** What goes with a job. */
export interface CheckedWork {
  readonly signal: AbortSignal;
  progress(progress: CheckedProgress): void;
}

/** A compact worker (S9.12). */
export interface CheckedWorker {
  readonly name: string;
  run(job: CheckedJob, desk: CheckedDesk, work: CheckedWork): Promise<{ readonly usage: WorkUsage }>;
}
