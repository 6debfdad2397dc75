/** The public entry of Pith: everything that plugins and agents import. */
export { ERROR_CODES, messageOf, PithError } from './errors';
export type { ErrorCode, PithErrorOptions } from './errors';
export { createSessionToken, createToken, optional } from './kernel/token';
export type { OptionalToken, SessionToken, Token } from './kernel/token';
export type { Hook, HookEvent, HookMap, HookName, HookResult } from './kernel/hook-map';
export type {
  AnyToken,
  Awaitable,
  Dispatched,
  HandlerOptions,
  HookDefinition,
  Hooks,
  KernelSession,
  Needs,
  OnError,
  Plugin,
  PluginContext,
  Resolved,
} from './kernel/plugin';
export type { Logger, LogFields, LogLevel } from './kernel/logger';
export type { Bus, Channel, EventMap, EventName, RequestOptions, ServedCall, ServeOptions } from './bus/bus';
export type * from './session/items';
export type * from './session/records';
export type { Session, SessionState } from './session/session';
export type { ContextView, SystemPart } from './context/view';
export type { Estimate, EstimateSource } from './tokens/occupancy';
export type { Tokenizer, Truncated } from './tokens/tokenizer';
export type { FileRead, FileSource, Unreadable } from './files/file-source';
export type * from './agent/hooks';
export type { Tool, ToolDefinition, ToolKind, ToolResult, ToolRun } from './agent/tools';
