/** What of LangChain the adapter looks at. Structural types only: the host's own values fit them as they are. */

/** A message of the host (`BaseMessage`); fields beside these are read without trust in their types. */
export interface LangChainMessage {
  /** `human`, `ai`, `tool`, `system`, and others that are no part of a conversation. */
  readonly type: string;
  readonly content: unknown;
}

/** Where a hook runs. */
export interface LangChainRuntime {
  readonly configurable?: { readonly thread_id?: string; readonly [key: string]: unknown } | undefined;
  readonly context?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** A request to the model, as the agent is about to make it. */
export interface LangChainRequest {
  /** A model of the host. */
  readonly model: unknown;
  readonly messages: readonly LangChainMessage[];
  /** The system prompt, an empty one where the agent has none. */
  readonly systemMessage: LangChainMessage;
  readonly tools: readonly unknown[];
  readonly runtime: LangChainRuntime;
}

/** A middleware for `createAgent`. */
export interface LangChainMiddleware {
  readonly name: string;
  /** Asks the model with what the plugins make of the conversation; the state of the agent stays whole. */
  wrapModelCall<R extends LangChainRequest, Reply>(
    request: R,
    handler: (request: R) => Reply | Promise<Reply>,
  ): Promise<Reply>;
  /** The run is over: work between runs may begin. */
  afterAgent(state: { readonly messages: readonly LangChainMessage[] }, runtime: LangChainRuntime): Promise<void>;
}
