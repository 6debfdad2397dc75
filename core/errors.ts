/**
 * The one error class of Pith and its codes. Every error a user can meet is a {@link PithError} with a stable code; each
 * code has a heading in `docs/errors.md` that says what happened and what to do.
 */

/** Stable error codes with the one-line meaning that `docs/errors.md` expands. */
export const ERROR_CODES = {
  // kernel
  PITH_PLUGIN_GRAPH: 'the plugins cannot be started together; the message lists every fault',
  PITH_PLUGIN_SETUP: 'the setup of a plugin threw or did not end in time',
  PITH_PLUGIN_CONFIG: 'the configuration of a plugin is invalid',
  PITH_PLUGIN_STOP: 'a plugin failed or did not end in time while stopping',
  PITH_SETUP_OVER: 'a plugin registered something after its setup had ended',
  PITH_SERVICE_MISSING: 'a service was asked for that nobody provides',
  PITH_SERVICE_FAILED: 'the factory of a service threw or needs itself',
  PITH_HOOK_UNKNOWN: 'a hook was named that nobody defines',
  PITH_HOOK_FAILED: 'a handler of a hook threw, rejected or returned something invalid',
  PITH_HOOK_DEADLINE: 'a handler of a hook did not end before its deadline',
  PITH_CANCELLED: 'the work was cancelled by the signal of whoever asked for it',
  PITH_KERNEL_STOPPED: 'the kernel was stopped',
  // bus
  PITH_BUS_NO_RESPONDER: 'nobody serves the requested channel',
  PITH_BUS_TIMEOUT: 'no reply came before the deadline',
  PITH_BUS_CANCELLED: 'the request was cancelled by its signal',
  PITH_BUS_REJECTED: 'the responder refused or failed the request',
  PITH_BUS_BAD_MESSAGE: 'a message does not fit the schema of its channel',
  PITH_BUS_TOO_LARGE: 'a message is larger than the transport carries',
  PITH_BUS_TRANSPORT_CLOSED: 'the transport was closed',
  PITH_BUS_DENIED: 'the server does not permit to publish or subscribe to a subject',
  PITH_BUS_RESPONDER_LOST: 'whoever had taken a job is gone or does not answer any more',
  PITH_BUS_CONNECTION: 'a server cannot be reached, does not accept the connection, or ended it',
  PITH_BUS_SETTINGS: 'the settings of a connection are wrong or one of their files cannot be read',
  // session
  PITH_SESSION_CORRUPT: 'a session log has a malformed line',
  PITH_SESSION_SCHEMA: 'a session log was written by a newer version',
  PITH_SESSION_EXISTS: 'a session of this id exists already',
  PITH_SESSION_NOT_FOUND: 'no session of this id is kept',
  PITH_SESSION_CLOSED: 'the session was closed',
  PITH_SESSION_POSITION: 'a position is not in the log of the session',
  PITH_STATE_INVALID: 'the state of a plugin does not fit its schema',
  PITH_PINS_TOO_LARGE: 'the pinned items take more than a fifth of the context window',
  PITH_EDIT_INVALID: 'an edit names an unknown item or would break the integrity of the context',
  PITH_SESSION_LOCKED: 'another process or conversation writes to the session',
  PITH_SESSION_WRITE: 'a record could not be written to the log of the session',
  PITH_SESSION_ID: 'the id of a session is one that no store keeps',
  // agent
  PITH_UNRECOVERABLE_OVERFLOW: 'the next request does not fit into the context window, also after compaction',
  PITH_CONVERSATION_BUSY: 'the conversation is in the middle of a turn',
  PITH_RUN_FAILED: 'a run met an error that no part of it knows',
  PITH_RUN_ABORTED: 'a plugin or the caller ended the run',
  PITH_TURN_ORDER: 'a driver was called out of order',
  PITH_WORKER_LIMIT: 'a compact worker may make no further request',
  PITH_MODEL_MISSING: 'a turn was asked for and the agent has no model',
  // model
  PITH_LLM_OVERFLOW: 'the provider says that the input is larger than the context window',
  PITH_LLM_RATE_LIMITED: 'the provider limits the rate of requests',
  PITH_LLM_TRANSPORT: 'the provider could not be reached or failed',
  PITH_LLM_AUTH: 'the provider does not accept the credentials',
  PITH_LLM_REQUEST: 'the provider finds the request wrong',
  PITH_LLM_REFUSED: 'the provider or its model refused to answer',
  PITH_LLM_OUTPUT_LIMIT: 'the reply was cut off at the output limit',
  PITH_LLM_PACKAGE: 'a package of a model provider is not installed or does not fit',
  // tools
  PITH_TOOL_INVALID: 'a tool is declared twice or malformed',
  // manifest
  PITH_MANIFEST_NOT_FOUND: 'the named manifest does not exist or cannot be read',
  PITH_MANIFEST_INVALID: 'the manifest has faults; the message lists every one',
  // formats and command line
  PITH_INPUT_UNREADABLE: 'the input cannot be read',
  PITH_INPUT_TOO_LARGE: 'the input is larger than can be read',
  PITH_FORMAT_UNKNOWN: 'the input is in no known format',
  PITH_FORMAT_MISMATCH: 'the input is not in the named format',
  PITH_INPUT_EMPTY: 'the input holds no conversation',
  PITH_OUTPUT_UNWRITABLE: 'the output cannot be written',
  PITH_USAGE: 'the command was called in a way it does not understand',
  PITH_HEALTH_PORT: 'the health server of a worker cannot listen where it should',
  PITH_REPORT_PORT: 'a live report cannot be served on its port',
  PITH_NOT_AVAILABLE: 'what was asked for is not part of this version',
} as const;

/** A stable error code, `PITH_UPPER_SNAKE`. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** What a {@link PithError} carries beside code and message. */
export interface PithErrorOptions {
  /** The error or value that led to this one. */
  readonly cause?: unknown;
  /** The plugin at fault, where there is one. */
  readonly plugin?: string;
  /** The hook at fault, where there is one. */
  readonly hook?: string;
  /** Machine-readable facts of the fault; never secrets or contents of a session. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const BRAND = Symbol.for('pith/error');

/** The one error class. The message says what happened, where, and what to do; tests and callers look at `code` only. */
export class PithError extends Error {
  readonly code: ErrorCode;
  readonly plugin: string | undefined;
  readonly hook: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: PithErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PithError';
    this.code = code;
    this.plugin = options.plugin;
    this.hook = options.hook;
    this.details = options.details;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Whether a value is a Pith error (of this code), also when it comes from another copy of the package. */
  static is(value: unknown, code?: ErrorCode): value is PithError {
    if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
    return code === undefined || (value as { code?: unknown }).code === code;
  }
}

/** The message of any thrown value, for the end of a sentence. Never throws, whatever was thrown. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : thrown;
    return String(message);
  } catch {
    return 'something that cannot be told in words';
  }
}
