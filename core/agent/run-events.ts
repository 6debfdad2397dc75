/** What a run tells while it goes on, and how it ends. */
import type { PithError } from '../errors';
import type { Item, Role, ToolCallItem } from '../session/items';
import type { Usage } from '../session/records';
import type { Estimate } from '../tokens/occupancy';
import type { ToolResult } from './tools';

/** How a run ended. */
export interface RunEnd {
  readonly outcome: 'finished' | 'aborted' | 'failed';
  /** Text of the last reply; empty where there is none. */
  readonly text: string;
  /** Why it was aborted. */
  readonly reason?: string;
  /** Why it failed. */
  readonly error?: PithError;
}

/** What a run tells, in the order in which it happens. The last one is `end`. */
export type AgentEvent =
  | { readonly type: 'turn'; readonly turn: number }
  /** A request goes out; its occupancy is of all that is sent. */
  | { readonly type: 'request'; readonly occupancy: Estimate }
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** What came of the reply so far is void; the request is sent again. */
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'tool-call'; readonly call: ToolCallItem }
  | { readonly type: 'tool-result'; readonly call: ToolCallItem; readonly result: ToolResult }
  /** Prompts joined the turn while it ran. */
  | { readonly type: 'joined'; readonly items: readonly Item[] }
  | { readonly type: 'end'; readonly end: RunEnd };

declare module '../bus/bus' {
  interface EventMap {
    'turn.started': { readonly session: string; readonly role: Role; readonly turn: number };
    /** Each start has exactly one end; a turn that another handler continued has not ended. */
    'turn.ended': {
      readonly session: string;
      readonly role: Role;
      readonly turn: number;
      readonly outcome: RunEnd['outcome'];
      readonly reason?: string;
    };
    /** A plugin parked the run between two requests, to do what it says. */
    'run.parked': { readonly session: string; readonly role: Role; readonly plugin: string; readonly reason: string };
  }
}
