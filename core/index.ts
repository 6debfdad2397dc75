/** The public entry of Pith: everything that plugins and agents import. */
export { ERROR_CODES, messageOf, PithError } from './errors';
export type { ErrorCode, PithErrorOptions } from './errors';
export { createSessionToken, createToken, optional } from './kernel/token';
export type { OptionalSessionToken, OptionalToken, SessionToken, Token } from './kernel/token';
export type { Hook, HookEvent, HookMap, HookName, HookResult } from './kernel/hook-map';
export type {
  Awaitable,
  Dispatch,
  Dispatched,
  Handler,
  HandlerFailure,
  HandlerOptions,
  HandlerResult,
  HookDefinition,
  Hooks,
  OnError,
} from './kernel/hooks';
export { definePlugin } from './kernel/plugin';
export type {
  AnyToken,
  KernelSession,
  MakeOf,
  MakeService,
  MakeSessionService,
  Needs,
  Plugin,
  PluginContext,
  PluginDefinition,
  PluginModule,
  Resolved,
} from './kernel/plugin';
export { camelCase, configKeys, expectation, isConfigKeys, snakeCase } from './kernel/config-keys';
export type {
  Amount,
  ConfigConflict,
  ConfigInput,
  ConfigKeys,
  ConfigOf,
  KeySpec,
  KeyTable,
} from './kernel/config-keys';
export { CLOCK, sleep, systemClock } from './kernel/clock';
export type { Clock } from './kernel/clock';
export { IDS, randomIds } from './kernel/ids';
export type { Ids } from './kernel/ids';
export { LOG_SINK } from './kernel/logger';
export type { LogEntry, LogFields, Logger, LogLevel, LogSink } from './kernel/logger';
export { createLogSink } from './kernel/log-sink';
export type { LogSinkOptions } from './kernel/log-sink';
export { defaultService } from './kernel/services';
export type { DefaultService, SessionScope } from './kernel/services';
export type { FaultKind, PluginFault } from './kernel/faults';
export type { KernelDescription, NeedDescription, PluginDescription } from './kernel/describe';
export type { HookEndedEvent } from './kernel/hook-ended';
export type { PluginErrorEvent } from './kernel/plugin-error';
export { createLocalBus } from './bus/local-bus';
export type { LocalBusOptions } from './bus/local-bus';
export type {
  Asks,
  Bus,
  Channel,
  EventMap,
  EventName,
  Job,
  ObservedMap,
  ObservedName,
  RequestOptions,
  ServedCall,
  ServeOptions,
  TopicMap,
  TraceContext,
} from './bus/bus';
export type * from './session/items';
export type * from './session/records';
export type { QueuedPrompt, Session, SessionState } from './session/session';
export { createSession, restoreSession } from './session/log-session';
export type { SessionOptions, SessionServices } from './session/log-session';
export { createJsonlStore } from './session/jsonl-store';
export type { JsonlStoreOptions } from './session/jsonl-store';
export { createMemoryStore } from './session/memory-store';
export { newestSession } from './session/newest-session';
export { glanceAt } from './session/glance';
export type { SessionGlance } from './session/glance';
export { SESSION_STORE } from './session/store';
export type {
  LogOwner,
  LogWriter,
  OpenedLog,
  SessionStore,
  StoredDocument,
  StoredLog,
  StoredSession,
} from './session/store';
export { clipText, maskedSlice, oneLine } from './session/clip';
export { entryText, headerOf, historyPage, indented, partsText, withoutColours } from './session/history';
export type { Detail, History, PageRequest, PageRoom } from './session/history';
export { foundText, searchedItems, searchTexts } from './session/history-search';
export type { Found, SearchedText } from './session/history-search';
export { isShallow, jsonText } from './session/nesting';
export { inSlices, nextSlice } from './session/slices';
export type { ContextView, SystemPart } from './context/view';
export type { Estimate, EstimateSource } from './tokens/occupancy';
export { TOKENIZER } from './tokens/tokenizer';
export type { Tokenizer, Truncated } from './tokens/tokenizer';
export { releaseEncoders } from './tokens/encoder';
export { createTiktoken } from './tokens/tiktoken';
export { inputLimit, LIMITS, modelLimits } from './tokens/model-limits';
export type { LimitOverrides, LimitsOf, ModelLimits } from './tokens/model-limits';
export { CALIBRATION, Calibration } from './tokens/calibration';
export { CONTEXT, createContext } from './context/context';
export type { ContextOptions, SessionContext, UnusedUsage } from './context/context';
export { FILE_SOURCE } from './files/file-source';
export type { FileRead, FileSource, LineRange, Unreadable } from './files/file-source';
export { isWorkspace, readNamedFile } from './files/workspace';
export type { BytesRead, FileWritten, FolderEntry, FolderRead, Unwritable, Workspace } from './files/workspace';
export { createDiskFiles } from './files/disk-files';
export type { DiskFilesOptions } from './files/disk-files';
export { createMovedFiles } from './files/moved-files';
export { createSessionFiles } from './files/session-files';
export { fileCalls, pathsOfCall } from './files/tool-paths';
export type { FileCall, Hunk, Replacement } from './files/file-call';
export type { TouchedPath } from './files/tool-paths';
export { shellCommands } from './files/shell-words';
export type { ShellCommand } from './files/shell-words';
export { wildcard } from './files/wildcard';
export { checkPlugins, createKernel } from './agent/create-kernel';
export { forkSession, openSession } from './agent/open-session';
export type { OpenedSession, OpenSessionOptions } from './agent/open-session';
export { inspectSession } from './agent/inspect';
export type { ContextKind, Inspection, InspectParts } from './agent/inspect';
export type { PastTurn } from './agent/past-turns';
export type { FileNames, InspectedFile } from './agent/touched-files';
export { pastCompactions } from './agent/past-compactions';
export type { PastCompaction, PastWorkCall } from './agent/past-compactions';
export { sessionTotals } from './agent/session-totals';
export type { SessionTotals } from './agent/session-totals';
export type { Kernel, KernelOptions, OpenBus } from './kernel/kernel';
export { coreDefaults } from './agent/core-defaults';
export { callTool } from './agent/tool-calls';
export type {
  AdmittedCall,
  RunAbort,
  RunningTool,
  ToolCallOptions,
  ToolEndedEvent,
  ToolOutcome,
  ToolProgressEvent,
} from './agent/tool-calls';
export type * from './agent/hooks';
export { createAgent } from './agent/agent';
export { agentFromManifest } from './agent/manifest-agent';
export type { Agent, AgentOptions, OpenOptions } from './agent/agent';
export type { Conversation, SendOptions } from './agent/conversation';
export { drive } from './agent/session-driver';
export type { DrivenReply, DriveOptions, Driver, HostSettings, HostTool } from './agent/driver';
export type { PreparedRequest } from './agent/request';
export { runTurn } from './agent/loop';
export { unlessAborted } from './bus/unless-aborted';
export type { LoopOptions } from './agent/loop';
export type { Run } from './agent/run';
export type * from './agent/run-events';
export { COMPACT_MODEL, COMPACT_POOL, COMPACTION } from './agent/compaction';
export type {
  Compaction,
  CompactionDurations,
  CompactionOutcome,
  CompactionPlan,
  CompactionReport,
  CompactionTrigger,
  CompactOptions,
  CompactPool,
  Mark,
  Reference,
} from './agent/compaction';
export { LLM } from './llm/client';
export type { LlmClient, LlmReply, LlmRequest, LlmStreamPart, ProviderProfile, StopReason } from './llm/client';
export { createAiSdkClient } from './llm/ai-sdk-client';
export type { AiSdkClientOptions } from './llm/ai-sdk-client';
export { modelFromSettings } from './llm/model-from-settings';
export type { ModelSettings, ModelSurroundings } from './llm/model-from-settings';
export type { AiSdkModel, LazyAiSdkModel, ProviderOptions } from './llm/language-model';
export { defineTool } from './agent/tools';
export type { ParsedArguments, Tool, ToolDefinition, ToolKind, ToolOutput, ToolResult, ToolRun } from './agent/tools';
export { TOOLS, toolsFrom, toolsOf } from './agent/tool-registry';
export type { Tools, ToolSource } from './agent/tool-registry';
export type { AiSdkTool, AiSdkToolSet } from './agent/ai-sdk-tools';
export { errorResult, normaliseResult } from './agent/tool-results';
