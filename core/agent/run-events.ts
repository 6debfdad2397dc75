/** What a run tells while it goes on, and how it ends. */
import type { ErrorCode, PithError } from '../errors';
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

/** Whose request it is, and to whom. */
interface RequestNamed {
  readonly session: string;
  readonly role: Role;
  readonly turn: number;
  /** The model as its provider names it, where the host has said so. */
  readonly model?: string;
  /** The provider, by the name of its profile. */
  readonly provider?: string;
}

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
      /** The error that it failed with. */
      readonly code?: ErrorCode;
    };
    /** A request is ready and goes to the model now; its tokens are those of all that is sent. */
    'request.started': RequestNamed & { readonly tokens: number };
    /** Each start has exactly one end: the reply is in, or the request came to nothing. */
    'request.ended': RequestNamed & {
      readonly outcome: 'answered' | 'aborted' | 'failed';
      readonly usage?: Usage;
      /** The error that it failed with. */
      readonly code?: ErrorCode;
    };
    /** A plugin parked the run between two requests, to do what it says. */
    'run.parked': { readonly session: string; readonly role: Role; readonly plugin: string; readonly reason: string };
  }
}
