/** `pith/langchain`: Pith for agents of LangChain and LangGraph. */
import type { Kernel } from '../../kernel/kernel';
import { createHost } from '../host-session';
import type { HostOptions } from '../host-session';
import { createCodec } from './codec';
import type { LangChainMiddleware } from './host-types';
import { createMiddleware } from './middleware';
import type { MiddlewareOptions } from './middleware';

export type { HostOptions } from '../host-session';
export type { LangChainMessage, LangChainMiddleware, LangChainRequest, LangChainRuntime } from './host-types';
export type { MiddlewareOptions } from './middleware';

/** Pith as an application on LangChain uses it. */
export interface LangChainPith extends AsyncDisposable {
  readonly kernel: Kernel;
  /**
   * For `createAgent({ middleware: [ … ] })`, behind those that change the conversation. The state of the agent keeps every
   * message; what the model is sent is made of it for each call.
   */
  middleware(options?: MiddlewareOptions): LangChainMiddleware;
  /** Resolves when nothing is under way any more, in the background or not. Never rejects. */
  idle(): Promise<void>;
  /** Closes all conversations and stops the plugins. */
  close(): Promise<void>;
}

/** Starts Pith. Throws `PITH_PLUGIN_GRAPH` or `PITH_PLUGIN_SETUP`, and for a manifest what `loadManifest` throws. */
export async function createPith(options: HostOptions = {}): Promise<LangChainPith> {
  const host = await createHost(options);
  const codec = createCodec();
  return {
    kernel: host.kernel,
    middleware: (given = {}) => createMiddleware(host, codec, given),
    idle: () => host.idle(),
    close: () => host.close(),
    [Symbol.asyncDispose]: () => host.close(),
  };
}
