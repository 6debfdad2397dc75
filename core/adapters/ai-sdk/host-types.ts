/**
 * What the AI SDK hands an adapter and takes from it, of versions 5, 6 and 7, by shape alone: none of its packages is needed to
 * compile against Pith, and its own types are accepted as they are.
 */

/** A message: of a prompt as a model gets it, or a `ModelMessage` as the user of the SDK has it. */
export interface AiSdkMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly AiSdkPart[];
}

/** One part of a message or a reply; what else it has depends on its type. */
export interface AiSdkPart {
  readonly type: string;
}

/** The options of one call to a model, as far as they are looked at. */
export interface AiSdkCall {
  readonly prompt: readonly AiSdkMessage[];
  readonly tools?: readonly AiSdkTool[] | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: { readonly [provider: string]: { readonly [key: string]: unknown } } | undefined;
}

/** A tool as a model is told of it; those that a provider brings have arguments in place of a schema. */
export interface AiSdkTool {
  readonly type: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly args?: unknown;
}

/** What a model answered. */
export interface AiSdkReply {
  readonly content: readonly AiSdkPart[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly providerMetadata?: unknown;
}

/** A model behind a middleware. */
export interface WrappedModel<Call, Reply, Streamed> {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(call: Call): PromiseLike<Reply>;
  doStream(call: Call): PromiseLike<Streamed>;
}

/** What a middleware is given of one call. */
export interface WrappedCall<Call, Reply, Streamed> {
  readonly doGenerate: () => PromiseLike<Reply>;
  readonly doStream: () => PromiseLike<Streamed>;
  readonly params: Call;
  readonly model: WrappedModel<Call, Reply, Streamed>;
}

/** A language-model middleware that `wrapLanguageModel` of every version takes. */
export interface AiSdkMiddleware {
  /** Version 6 asks for this word, the others for none. Models of versions 2, 3 and 4 are served. */
  readonly specificationVersion: 'v3';
  wrapGenerate<Call extends AiSdkCall, Reply extends AiSdkReply, Streamed extends { readonly stream: object }>(
    call: WrappedCall<Call, Reply, Streamed>,
  ): Promise<Reply>;
  wrapStream<Call extends AiSdkCall, Reply extends AiSdkReply, Streamed extends { readonly stream: object }>(
    call: WrappedCall<Call, Reply, Streamed>,
  ): Promise<Streamed>;
}

/** System content as version 7 has it beside the messages. */
export interface AiSdkInstruction {
  readonly role: 'system';
  readonly content: string;
}

/** What `prepareStep` is told. */
export interface StepOptions<Message> {
  readonly stepNumber: number;
  /** By its name or as an object. */
  readonly model: string | { readonly modelId: string; readonly provider: string };
  readonly messages: readonly Message[];
  /** Version 7: the conversation before the run, and what the run has added to it. */
  readonly initialMessages?: readonly Message[];
  readonly responseMessages?: readonly Message[];
  /** Version 7: the system prompt. */
  readonly initialInstructions?: string | AiSdkInstruction | readonly AiSdkInstruction[] | undefined;
}

/** What `prepareStep` asks for. */
export interface StepSettings<Message> {
  readonly messages: Message[];
  /** Version 7 takes system content here alone. */
  readonly instructions?: AiSdkInstruction[];
}

/** Settings of `generateText`, `streamText` and the agent classes. */
export interface AiSdkSteps {
  /** Undefined where the messages stay as they are. */
  prepareStep<Message extends AiSdkMessage>(options: StepOptions<Message>): Promise<StepSettings<Message> | undefined>;
  onStepFinish(step: AiSdkReply): void;
  /** Only `streamText`, and `generateText` from version 6 on, call it. */
  onFinish(): void;
}
