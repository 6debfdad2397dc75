/**
 * What a report shows of a session, as data: how its context filled, what became of what, and why (S12). The page draws exactly
 * this; a live view sends it again as it grows.
 */
import type { CompactionOutcome, CompactionPlan } from '../agent/compaction';
import type { ContextKind, Inspection } from '../agent/inspect';

/** Everything a page shows. Item positions are 0-based; turns, requests and lines 1-based; tokens are whole numbers. */
export interface Report {
  readonly schema: 'pith.report/1';
  /** What the page is called: the name of the file, or the id of the session. */
  readonly title: string;
  readonly source: ReportSource;
  /** Milliseconds since the epoch at which the report was made. */
  readonly madeAt: number;
  /** Input tokens that the model accepts; absent where the model is not known. */
  readonly limit?: number;
  /** Where the manifest asks for prune or compaction, in tokens. */
  readonly thresholds: readonly Threshold[];
  /** The context as it is now. */
  readonly tokens: Inspection['tokens'];
  readonly occupancy: readonly RequestOccupancy[];
  /** Prunes and compactions in the order in which they happened. */
  readonly events: readonly ReportEvent[];
  readonly turns: readonly ReportTurn[];
  /** Every item of the session in its order, with what became of it. */
  readonly map: readonly MapItem[];
  readonly files: readonly ReportFile[];
  /**
   * The compaction that the page is about, which `files` and `readAgain` tell of: the one that was asked for, else the newest in
   * force, else the newest that ended; absent where there was none.
   */
  readonly compaction?: ReportCompaction;
  /** What could be done now; absent where the plugin is not in use or nothing would be done. */
  readonly outlook: {
    readonly prune?: { readonly candidates: number; readonly savedTokens: number };
    readonly plan?: CompactionPlan;
  };
  readonly integrity: Inspection['integrity'];
}

export interface ReportSource {
  readonly format: string;
  /** Absent for a session that lives in no file. */
  readonly path?: string;
  readonly sessionId: string;
  readonly items: number;
  readonly turns: number;
  readonly requests: number;
  readonly model?: string;
}

/** A line across the chart of occupancy. */
export interface Threshold {
  /** What happens above it, in a few words. */
  readonly name: string;
  readonly tokens: number;
}

export type RequestOccupancy = Inspection['occupancy'][number];

/**
 * A prune or a compaction, placed before the request that was the first to be sent with it: one more than there are where none
 * has been sent since.
 */
export interface ReportEvent {
  readonly kind: 'prune' | 'compaction';
  readonly request: number;
  /** Number of items that the session had then. */
  readonly item: number;
  /** Tokens of the context before and after, as recorded or else as the log lets estimate; `after` is absent where nothing changed. */
  readonly before?: number;
  readonly after?: number;
  /** Of a compaction that changed nothing: how it ended. */
  readonly outcome?: CompactionOutcome | (string & {});
  /** Of a compaction: its number among those of the session, 1-based. */
  readonly compaction?: number;
  /** Whether the compaction was taken back later. */
  readonly isUndone?: true;
}

export type ReportTurn = Inspection['turns'][number] & {
  /** The beginning of its prompt. */
  readonly prompt: string;
};

/**
 * What became of an item, as of now: `kept` is sent as it is, `changed` is sent otherwise (pruned, trimmed), `summarised` lies before
 * the cut of the newest compaction in force, `dropped` is not sent, as an edit said or because nothing can be said with it: results
 * without a call, empty messages.
 */
export type Fate = 'kept' | 'changed' | 'summarised' | 'dropped';

/** One item of the map. */
export interface MapItem {
  readonly kind: Exclude<ContextKind, 'system' | 'checkpoint'>;
  /** The tool of a call or a result. */
  readonly tool?: string;
  /** Tokens of the item as it was recorded. */
  readonly tokens: number;
  readonly fate: Fate;
  /** Whether file contents that it held are read again into the new context. */
  readonly readAgain?: true;
  /** The beginning of what it says, one line. */
  readonly text: string;
}

/** A file that the session touched, and what the compaction made of it. */
export interface ReportFile {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  /** The call that touched it last; -1 where none did, but it was read or named by the compaction. */
  readonly lastItem: number;
  /** Ranges that stand in the new context, in ascending order. */
  readonly ranges: readonly ReadRange[];
  /** The note under which it is named; absent where it is not named, empty where it has none. */
  readonly note?: string;
}

/** A range of a file that is read into the new context; lines inclusive. */
export interface ReadRange {
  readonly fromLine: number;
  readonly toLine: number;
  readonly tokens: number;
  /** Why it was picked, in a few words; absent where the log does not tell. */
  readonly reason?: string;
}

/** One compaction: its context before and after. */
export interface ReportCompaction {
  readonly id: string;
  /** Its number among those of the session, 1-based; absent where the log knows nothing of it. */
  readonly number?: number;
  /** Whether it was taken back later. */
  readonly isUndone?: true;
  readonly outcome: CompactionOutcome | (string & {});
  readonly trigger?: string;
  readonly worker?: string;
  readonly reason?: string;
  readonly plan?: CompactionPlan;
  readonly before: ContextSide;
  /** Absent where nothing changed. */
  readonly after?: ContextSide;
  /** The summary as it was written; absent where there is none. */
  readonly summary?: { readonly text: string; readonly tokens: number };
  /** Milliseconds; absent where the log does not tell. */
  readonly durationMs?: number;
  /** Tokens that auto-reads could take; absent where nobody keeps a budget. */
  readonly autoReadBudget?: number;
}

/** A context by its parts, in the order in which they are sent. */
export interface ContextSide {
  readonly tokens: number;
  readonly parts: readonly ContextPart[];
}

export interface ContextPart {
  readonly kind: 'system' | 'summary' | 'file' | 'references' | 'state' | 'conversation';
  /** The path of a file with its lines, else what it is in a few words. */
  readonly name: string;
  readonly tokens: number;
  /** What stands there, as far as it is system content that a compaction put there. */
  readonly text?: string;
}

/** What a live view sends beside whole reports. Each is one server-sent event of this name, with JSON as data. */
export interface LiveEvents {
  /** The whole, at the beginning and whenever something that had been told is no longer so: a prune, a compaction, its undoing. */
  readonly report: Report;
  /**
   * What the log has grown by. The map goes on behind what was sent before; requests and turns stand in the place of those from the
   * first one's number on, each file in the place of what was said of it.
   */
  readonly grown: {
    readonly tokens: Report['tokens'];
    readonly source: ReportSource;
    readonly occupancy: readonly RequestOccupancy[];
    readonly map: readonly MapItem[];
    readonly turns: readonly ReportTurn[];
    readonly files: readonly ReportFile[];
    readonly integrity: Report['integrity'];
  };
  /** What the agent is at, in a few words; empty where it rests. */
  readonly activity: { readonly text: string };
  /** The session was closed; nothing follows. */
  readonly closed: Record<string, never>;
}
