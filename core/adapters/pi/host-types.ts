/** What of pi the adapter looks at. Structural types only: its packages are ESM, and are never loaded. */

/** A message of a loop: `user`, `assistant`, `toolResult`, or one of the application's own. Other fields are not trusted. */
export interface PiMessage {
  readonly role: string;
}

/** What a loop sends beside its messages. */
export interface PiState {
  readonly systemPrompt?: string;
  readonly tools?: readonly unknown[];
  readonly model?: { readonly id: string };
}

/** What is to be known of a loop. */
export interface PiLoop {
  readonly state: PiState;
  /** What the model sees of messages. */
  convertToLlm?(messages: never[]): unknown;
}

/** An `Agent`, as far as it is touched. */
export interface PiAgent extends PiLoop {
  transformContext?: (messages: never[], signal?: AbortSignal) => Promise<PiMessage[]>;
  streamFn: (...args: never[]) => unknown;
  subscribe(listener: PiListener): () => void;
}

/** What a loop tells of a run. */
export interface PiEvent {
  readonly type: string;
  /** With `agent_end`: the messages that the run brought. */
  readonly messages?: readonly PiMessage[];
}

/** `transformContext` of an agent or of a loop. */
export type PiTransform = <M extends PiMessage>(messages: M[], signal?: AbortSignal) => Promise<M[]>;

/** What hears of the events of a run. */
export type PiListener = (event: PiEvent) => Promise<void>;
