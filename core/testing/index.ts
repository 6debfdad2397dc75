/** The testing kit for plugin authors and hosts. */
export { checkRequest } from './validators';
export type { RequestBudget, RequestProfile, RequestRule, Violation } from './validators';
export type { RequestShape, RequestTurn } from './request-turns';
export { busContract } from './bus-contract';
export type { BusPair, BusUnderTest } from './bus-contract';
export type { ContractCheck } from './contract-check';
export { createVirtualClock } from './virtual-clock';
export type { VirtualClock } from './virtual-clock';
export type { RawAnswer, Script, ScriptedCall, ScriptedFault, ScriptedReply, SeenRequest, WireShape } from './script';
export { createScriptedModel } from './scripted-model';
export type { ScriptedModel, ScriptedModelOptions } from './scripted-model';
export { extendsPrevious } from './request-segments';
export type { Divergence } from './request-segments';
export { startStrictProvider } from './strict-provider';
export type { StrictProvider, StrictProviderOptions } from './strict-provider';
export type { ThinkingBound } from './signed-thinking';
export { createTestAgent, createTestKernel } from './test-kernel';
export type { TestAgent, TestAgentOptions, TestKernel, TestKernelOptions } from './test-kernel';
export type { RecorderOptions, Recording } from './recorder';
export { recordBus } from './bus-recorder';
export type { BusRecorder, BusRecording, Heard } from './bus-recorder';
export { recordHooks } from './hook-recorder';
export type { HookRecorder } from './hook-recorder';
export {
  agentHistory,
  assistantMessage,
  imagePart,
  parallelCalls,
  prose,
  reasoning,
  toolCall,
  toolResult,
  userMessage,
  withIds,
} from './session-builders';
export type { Exchange, HistoryShape } from './session-builders';
export { createSentinel } from './sentinel';
export type { Sentinel } from './sentinel';
export { sessionStoreContract } from './session-store-contract';
export type { SessionStoreUnderTest } from './session-store-contract';
export { tokenizerContract } from './tokenizer-contract';
export type { TokenizerUnderTest } from './tokenizer-contract';
export { fileSourceContract } from './file-source-contract';
export type { FileSourceUnderTest } from './file-source-contract';
export { createMemoryFiles } from './memory-files';
export type { MemoryFiles } from './memory-files';
export { summaryFormatContract } from './summary-format-contract';
export type { SummaryFormatUnderTest } from './summary-format-contract';
export { llmClientContract } from './llm-client-contract';
export type { ConnectedClient, LlmClientUnderTest } from './llm-client-contract';
export { checkLeaks } from './leaks';
export type { Leak, LeakOptions, Watched } from './leaks';
export { compactWorkerContract } from './compact-worker-contract';
export type { CompactWorkerUnderTest } from './compact-worker-contract';
export type {
  CheckedDesk,
  CheckedFacts,
  CheckedFormat,
  CheckedJob,
  CheckedProblem,
  CheckedProgress,
  CheckedWork,
  CheckedWorker,
} from './compaction-shapes';
