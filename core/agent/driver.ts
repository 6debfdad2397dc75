/**
 * The driver: one session's turns, requests, replies and tool calls, with every hook and record in its place (S3.5, S9.2).
 * It asks no model and runs no loop; loops and hosts call it step by step.
 */
import type { ErrorCode, PithError } from '../errors';
import type { NewItem, Role } from '../session/items';
import type { RunOutcome, ToolSchema, Usage } from '../session/records';
import type { Session } from '../session/session';
import type { PreparedRequest } from './request';
import type { AdmittedCall, ToolOutcome } from './tool-calls';
import type { Tool, ToolOutput } from './tools';

/** In which role a session is driven, with which tools, prompt and model. */
export interface DriveOptions {
  /** `main` by default. */
  readonly role?: Role | undefined;
  /** The tools that requests offer, those of other roles left out. */
  readonly tools?: readonly Tool[] | undefined;
  readonly system?: string | undefined;
  /** The model as its provider names it. */
  readonly model?: string | undefined;
  /** The provider, by the name of its profile; told with the events of requests. */
  readonly provider?: string | undefined;
  /**
   * Whether the session mirrors the loop of a host, which runs every tool whatever plugins say: they are not asked about calls
   * (`pre_tool_call`) nor heeded when they want another request, and calls without a result stay open, as it may come later.
   */
  readonly mirrors?: boolean | undefined;
}

/** What requests go with, where a host says so for each of them; what is left out stays. */
export interface HostSettings {
  readonly system?: string | undefined;
  readonly tools?: readonly ToolSchema[] | undefined;
  readonly model?: string | undefined;
}

/** What the model answered. */
export interface DrivenReply {
  /** In the order in which it was made. Empty messages are left out. */
  readonly items: readonly NewItem[];
  readonly usage?: Usage;
}

/** A tool of the host: what a call of the model does. */
export type HostTool = (args: unknown, signal: AbortSignal) => ToolOutput | Promise<ToolOutput>;

/** One session, driven step by step by a loop or a host. */
export interface Driver {
  readonly session: Session;
  readonly role: Role;
  /** Aborts when the turn is to end; hand it to the model. */
  readonly signal: AbortSignal;
  /** Whether prompts wait to join the turn at its next request. */
  readonly joining: boolean;
  /** Has the next request go with these settings; they are recorded where they are new. */
  use(settings: HostSettings): void;
  /** Tells the plugins of the session; once, before the first turn. */
  start(restored: boolean): Promise<void>;
  /** Asks the plugins about a prompt; nothing is in the log afterwards. Throws `PITH_RUN_ABORTED`. */
  submit(items: readonly NewItem[], opens: boolean): Promise<readonly NewItem[]>;
  /** Opens a turn with submitted items; one that was interrupted ends as aborted. */
  open(items: readonly NewItem[]): void;
  /** Goes on with the turn that the log ends in. Throws `PITH_TURN_ORDER` where it has ended. */
  reopen(): void;
  /**
   * Has submitted items join the turn at its next request, so that no call is parted from its results; those that come too
   * late are part of the next turn. Returns how to take them back while they wait; `joined` is called when they no longer do.
   */
  join(items: readonly NewItem[], joined?: () => void): () => void;
  /** Submits a prompt, and opens a turn with it or has it join the one that runs. Throws `PITH_RUN_ABORTED`. */
  prompt(prompt: string | NewItem): Promise<void>;
  /**
   * What to send next. `overflow` is the provider's refusal of what was prepared before. Throws what ends the turn:
   * `PITH_RUN_ABORTED` or the error of the plugin that aborted, `PITH_CANCELLED`, `PITH_UNRECOVERABLE_OVERFLOW`, the overflow.
   */
  beforeRequest(overflow?: PithError): Promise<PreparedRequest>;
  /**
   * Takes a reply into the log and asks the plugins about its calls, one after another. Hand each of the calls that it
   * returns to {@link Driver.toolCall}, also at the same time. Throws like {@link Driver.beforeRequest}.
   */
  afterReply(reply: DrivenReply): Promise<readonly AdmittedCall[]>;
  /**
   * Runs an admitted call, by the driver's tools or the host's own, unless a plugin refused it, and takes its result into
   * the log. Throws like {@link Driver.beforeRequest}.
   */
  toolCall(admitted: AdmittedCall, run?: HostTool): Promise<ToolOutcome>;
  /**
   * Ends the run. Returns true where a plugin asks for another request of the same turn; else the turn is over. The code is
   * that of the error it failed with, for the events.
   */
  end(outcome: Exclude<RunOutcome, 'yielded'>, reason?: string, code?: ErrorCode): Promise<boolean>;
  /** Makes {@link Driver.signal} abort. */
  abort(reason?: string): void;
  /** Resolves when no background work runs. */
  idle(): Promise<void>;
  /** Cancels background work, tells the plugins, closes the session. The turn must have ended. */
  close(): Promise<void>;
}
