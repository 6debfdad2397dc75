/** What a compaction is made of: settings, services, and what it asks of the plugin around it. */
import type { Bus, Clock, FileSource, Ids, Json, Logger, Session, Tokenizer, Tool, ToolResult } from '../../core/index';
import type { Guard } from '../guard/token';
import type { createDesks } from './open-desk';
import type { SummaryFormat } from './summary';
import type { CompactWorker } from './worker';

/** What the manifest says of compactions; tokens and seconds. */
export interface CompactionSettings {
  readonly retainedTokens: number;
  readonly overviewTokens: number;
  readonly summaryMaxTokens: number;
  readonly defaultReferences: number;
  readonly compactWorkerMaxInputTokens: number;
  readonly workerTimeoutSeconds: number;
  readonly instructions?: string;
}

export interface CompactorParts {
  readonly settings: CompactionSettings;
  readonly tokenizer: Tokenizer;
  readonly files: FileSource;
  readonly worker: CompactWorker;
  readonly format: SummaryFormat;
  readonly desks: ReturnType<typeof createDesks>;
  readonly guard: Guard | undefined;
  readonly bus: Bus;
  readonly log: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Up to `n` files that the agent touched last, newest first. */
  recentFiles(session: Session, n: number): readonly string[];
  /** Says that contents left the context: files must be read again before an edit, but for these. */
  contentsLeft(session: Session, still: readonly string[]): void;
  /** Input window of the session's model in tokens, where it is known. */
  inputWindow(session: Session): number | undefined;
  /** Runs a tool of the desk with the hooks of role `compact-worker` around it. */
  runTool(session: Session, tool: Tool, args: Json, signal: AbortSignal): Promise<ToolResult>;
}
