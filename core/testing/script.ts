/** What a scripted model says, the same in process and over HTTP. */
import type { PithError } from '../errors';
import type { StopReason } from '../llm/client';
import type { Json } from '../session/items';
import type { Usage } from '../session/records';
import type { RequestShape, RequestTurn } from './request-turns';
import type { Violation } from './validators';

/** A shape that endpoints speak. */
export type WireShape = Exclude<RequestShape, 'ai-sdk'>;

/** A tool call of a scripted reply. */
export interface ScriptedCall {
  readonly name: string;
  /** `{}` by default. */
  readonly arguments?: Json;
  /** `call_1`, `call_2`, … by default, counted over all replies of the model. */
  readonly callId?: string;
}

/**
 * What goes wrong with a request:
 * - `overflow` the provider says that the input is too long
 * - `rate-limited` too many requests; `retryAfterMs` says when to come back
 * - `server` the provider fails (500)
 * - `overloaded` the provider has too much to do (529, or 503)
 * - `auth` the credentials are not accepted
 * - `request` the provider finds the request wrong
 * - `reset` the connection breaks in the middle of the reply
 */
export type ScriptedFault = 'overflow' | 'rate-limited' | 'server' | 'overloaded' | 'auth' | 'request' | 'reset';

/** An answer that a server sends as it is. */
export interface RawAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is; anything else as JSON. */
  readonly body: unknown;
}

/** One reply, or what comes in its place. */
export interface ScriptedReply {
  /** Streamed in several parts; a list gives the parts. */
  readonly text?: string | readonly string[];
  /** Comes before the text; over HTTP in the Anthropic shape a thinking block with its signature. */
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** `tool-calls` where there are calls, else `end`. */
  readonly stop?: StopReason;
  /** Instead of what the request and the reply really use; null reports none. */
  readonly usage?: Partial<Usage> | null;
  /**
   * A name is told in the provider's own way. A Pith error is thrown as it is in process, and told by its code over HTTP; a
   * raw answer is sent as it is over HTTP, and a wrong request in process.
   */
  readonly error?: ScriptedFault | PithError | RawAnswer;
  /** With `rate-limited`. */
  readonly retryAfterMs?: number;
  /** Milliseconds of the model's clock before the reply begins. */
  readonly delayMs?: number;
}

/** A request as the model saw it. */
export interface SeenRequest {
  /** 0-based. */
  readonly n: number;
  readonly shape: WireShape;
  /** The request as it is written for the wire: `model`, `messages`, `tools`, … */
  readonly body: { readonly [key: string]: unknown };
  /** Over HTTP, in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Its system content and messages, in order. */
  readonly turns: readonly RequestTurn[];
  /** Text of the system content, one entry for each piece. */
  readonly system: readonly string[];
  /** All text of the newest message. */
  readonly last: string;
  /** Names of the tools that it offers. */
  readonly tools: readonly string[];
  /** Tokens of the whole input, by the plain tokenizer. */
  readonly inputTokens: number;
  /** Tokens of the part that the prompt cache served. */
  readonly cacheReadTokens: number;
  /** Tokens of the part that was written to the prompt cache. */
  readonly cacheWriteTokens: number;
  /** Rules that it breaks; a request that breaks one is refused before the script is asked. */
  readonly violations: readonly Violation[];
}

/**
 * Replies in order, or a function that makes each one; a string is a reply of that text. Only requests that break no rule
 * take a reply of the list; when it is used up, an error says so. A function may wait for whatever a test wants the model to
 * wait for.
 */
export type Script =
  | readonly (ScriptedReply | string)[]
  | ((request: SeenRequest, n: number) => ScriptedReply | string | Promise<ScriptedReply | string>);
