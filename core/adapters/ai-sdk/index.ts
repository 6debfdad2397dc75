/** Pith for agents on the AI SDK, versions 5, 6 and 7: `pith/ai-sdk`. */
import type { Kernel } from '../../kernel/kernel';
import { createHost } from '../host-session';
import type { HostOptions } from '../host-session';
import type { AiSdkMiddleware, AiSdkSteps } from './host-types';
import { createMiddleware } from './middleware';
import type { MiddlewareOptions } from './middleware';
import { createSteps } from './steps';
import type { StepsOptions } from './steps';

export type { HostOptions } from '../host-session';
export type {
  AiSdkCall,
  AiSdkInstruction,
  AiSdkMessage,
  AiSdkMiddleware,
  AiSdkPart,
  AiSdkReply,
  AiSdkSteps,
  AiSdkTool,
  StepOptions,
  StepSettings,
  WrappedCall,
  WrappedModel,
} from './host-types';
export type { MiddlewareOptions } from './middleware';
export type { StepsOptions } from './steps';

/** Pith as an application on the AI SDK uses it. */
export interface AiSdkPith extends AsyncDisposable {
  readonly kernel: Kernel;
  /**
   * For `wrapLanguageModel`: compaction between the steps of a run and between runs, in `generateText`, `streamText`, agents
   * and whatever else asks the model. The prompt and the tools of each call are known and counted.
   */
  middleware(options: MiddlewareOptions): AiSdkMiddleware;
  /**
   * In place of the middleware, to be spread into the settings of `generateText`, `streamText` or an agent. It knows neither
   * system prompt nor tools, which count from the first usage on, and cannot repeat a call that the provider found too large.
   */
  steps(options: StepsOptions): AiSdkSteps;
  /** Resolves when nothing is under way any more, in the background or not. Never rejects. */
  idle(): Promise<void>;
  /** Closes all conversations and stops the plugins. */
  close(): Promise<void>;
}

/**
 * Starts Pith. Throws what {@link HostOptions} get wrong: `PITH_PLUGIN_GRAPH`, `PITH_PLUGIN_SETUP`, and what loading a manifest
 * throws. Later faults are events and log lines, and the messages of the host go out as they are.
 */
export async function createPith(options: HostOptions = {}): Promise<AiSdkPith> {
  const host = await createHost(options);
  return {
    kernel: host.kernel,
    middleware: (given) => createMiddleware(host, given),
    steps: (given) => createSteps(host, given),
    idle: () => host.idle(),
    close: () => host.close(),
    [Symbol.asyncDispose]: () => host.close(),
  };
}
