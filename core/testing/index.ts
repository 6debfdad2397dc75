/** The testing kit for plugin authors and hosts. */
export { checkRequest } from './validators';
export type { RequestBudget, RequestProfile, RequestRule, Violation } from './validators';
export type { RequestShape, RequestTurn } from './request-turns';
export { busContract } from './bus-contract';
export type { BusCheck, BusPair, BusUnderTest } from './bus-contract';
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
export type { Heard, RecorderOptions, Recording } from './recorder';
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
export type { SessionStoreCheck, SessionStoreUnderTest } from './session-store-contract';
