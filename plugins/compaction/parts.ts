/** What a compaction is made of: settings, services, and what it asks of the plugin around it. */
import type {
  Bus,
  Clock,
  ConfigOf,
  Dispatch,
  FileSource,
  Ids,
  Json,
  Logger,
  Session,
  Tokenizer,
  Tool,
  ToolResult,
} from '../../core/index';
import type { Guard } from '../guard/token';
import type { Tracing } from '../telemetry/token';
import type { Breaker } from './breaker';
import type { createDesks } from './open-desk';
import type { compactionKeys } from './settings';
import type { SummaryFormat } from './summary';
import type { CompactWorker } from './worker';

/** What the manifest says of compactions (S10); tokens and seconds. */
export type CompactionSettings = ConfigOf<(typeof compactionKeys)['keys']>;

export interface CompactorParts {
  readonly settings: CompactionSettings;
  readonly tokenizer: Tokenizer;
  readonly files: FileSource;
  /** The configured worker. */
  readonly worker: CompactWorker;
  /** Whether that is the offline worker, which has no breaker and nothing to fall back to. */
  readonly isOffline: boolean;
  /** The breaker of the configured worker. */
  readonly breaker: Breaker;
  readonly format: SummaryFormat;
  readonly desks: ReturnType<typeof createDesks>;
  readonly guard: Guard | undefined;
  readonly tracing: Tracing | undefined;
  readonly bus: Bus;
  readonly log: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly dispatch: Dispatch;
  /** Up to `n` files that the agent touched last, newest first. */
  recentFiles(session: Session, n: number): readonly string[];
  /** Says that contents left the context: files must be read again before an edit, but for these. */
  contentsLeft(session: Session, still: readonly string[]): void;
  /** Runs a tool of the desk with the hooks of role `compact-worker` around it. */
  runTool(session: Session, tool: Tool, args: Json, signal: AbortSignal): Promise<ToolResult>;
}
