/** The hooks of the loop (S3.5): their events, what a handler may return, and who hears them. */
import type { ContextView } from '../context/view';
import type { PithError } from '../errors';
import type { Json, NewItem, Role, ToolCallItem } from '../session/items';
import type { Edit, RunOutcome, Usage } from '../session/records';
import type { Session } from '../session/session';
import type { Tool, ToolResult } from './tools';

/** Edits that hold for this request, or with `keep` are recorded and stay in force. */
export interface Project {
  readonly do: 'project';
  readonly edits: readonly Edit[];
  readonly keep?: boolean;
  readonly reason?: string;
  /** Names of the tools that this request offers, out of those of the run; all by default. */
  readonly offer?: readonly string[];
}
/** Items for the log. */
export interface Append {
  readonly do: 'append';
  readonly items: readonly NewItem[];
}
/** What runs, is logged, sent and shown instead. */
export interface Revise<T> {
  readonly do: 'revise';
  readonly to: T;
}
/** Parks the run while `run` does its work; the same request is prepared again afterwards. */
export interface Yield {
  readonly do: 'yield';
  readonly reason: string;
  run(signal: AbortSignal): Promise<void>;
}
/** Ends the run: as `aborted`, or as `failed` where it says by which error. */
export interface Abort {
  readonly do: 'abort';
  readonly reason: string;
  readonly error?: PithError;
}
/** An error result for this call instead of running it. */
export interface Deny {
  readonly do: 'deny';
  readonly text: string;
}
/** Text appended to the result. */
export interface Remind {
  readonly do: 'remind';
  readonly text: string;
}
/** Another request with these items. */
export interface Again {
  readonly do: 'again';
  readonly items: readonly NewItem[];
}
/** Work that goes on while nobody waits. */
export interface Background {
  readonly do: 'background';
  readonly reason: string;
  run(signal: AbortSignal): Promise<void>;
}

interface LoopEvent {
  readonly role: Role;
  readonly session: Session;
}

/** A session is opened. */
export interface SessionStartEvent extends LoopEvent {
  /** Whether the session was restored from a log or imported rather than begun. */
  readonly restored: boolean;
}
/** A prompt is about to be added. */
export interface PromptSubmitEvent extends LoopEvent {
  readonly items: readonly NewItem[];
  /** Whether the prompt opens a turn; else it joins the one that runs. */
  readonly opens: boolean;
}
/** A request is about to be made. */
export interface PreLlmRequestEvent extends LoopEvent {
  readonly context: ContextView;
  /** Whether the context was rebuilt by a compaction since the last request. */
  readonly rebuilt: boolean;
  /** How often handlers of this hook have parked the run for this very request (S9.2). */
  readonly yields: number;
  /** The provider's refusal of this very request as too large; the run ends with it unless a handler yields. */
  readonly overflow?: PithError;
}
/** A reply is in. */
export interface PostLlmResponseEvent extends LoopEvent {
  readonly usage: Usage | undefined;
}
/** A tool is about to run. */
export interface PreToolCallEvent extends LoopEvent {
  readonly call: ToolCallItem;
  readonly tool: Tool;
  readonly arguments: Json;
}
/** A tool has run. */
export interface PostToolCallEvent extends PreToolCallEvent {
  readonly result: ToolResult;
  /** Canonical or raw paths that the call touched, as declared by the tool or known from common agents' tools. */
  readonly paths: readonly string[];
}
/** A turn is done. */
export interface PostRunEvent extends LoopEvent {
  readonly outcome: RunOutcome;
  readonly context: ContextView;
}

declare module '../kernel/hook-map' {
  interface HookMap {
    session_start: Hook<SessionStartEvent, Append>;
    session_end: Hook<LoopEvent>;
    prompt_submit: Hook<PromptSubmitEvent, Revise<readonly NewItem[]> | Append | Abort>;
    pre_llm_request: Hook<PreLlmRequestEvent, Project | Append | Yield | Abort>;
    post_llm_response: Hook<PostLlmResponseEvent>;
    pre_tool_call: Hook<PreToolCallEvent, Revise<Json> | Deny | Abort>;
    post_tool_call: Hook<PostToolCallEvent, Revise<ToolResult> | Remind | Abort>;
    post_run: Hook<PostRunEvent, Again | Background>;
  }
}
