/**
 * The language model interface of the AI SDK, as far as the client uses it. Versions 2 (AI SDK 5), 3 (AI SDK 6) and 4 (AI SDK
 * 7) differ in little; all are spoken. By shape alone, so that none of its packages is needed to compile against Pith.
 */
import { PithError } from '../errors';
import type { Json } from '../session/items';

/** Versions of the interface that are spoken. */
export type ModelVersion = 'v2' | 'v3' | 'v4';

/** A language model of the AI SDK: what `anthropic('…')`, `openai('…')` and every other provider package give. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  /** Names provider and interface, such as `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** A model that is loaded when the first request is made. */
export interface LazyAiSdkModel {
  /** As {@link AiSdkModel} names it, or the package it comes from. */
  readonly provider: string;
  readonly modelId: string;
  load(): Promise<AiSdkModel>;
}

/** Whether a model is loaded at its first request. */
export function isLazy(model: AiSdkModel | LazyAiSdkModel): model is LazyAiSdkModel {
  return typeof model === 'object' && 'load' in model;
}

/** Data for one provider each, by its name. */
export interface ProviderOptions {
  readonly [provider: string]: { readonly [key: string]: Json };
}

interface WithOptions {
  readonly providerOptions?: ProviderOptions;
}

export type PromptText = { readonly type: 'text'; readonly text: string } & WithOptions;

/** An image by its bytes (base64) or its address. */
export interface PromptFile {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data: string | URL | TaggedData;
}

/** Bytes or address as version 4 has them. */
export type TaggedData = { readonly type: 'data'; readonly data: string } | { readonly type: 'url'; readonly url: URL };

export type PromptReplyPart =
  | PromptText
  | ({ readonly type: 'reasoning'; readonly text: string } & WithOptions)
  | ({
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
    } & WithOptions);

export interface PromptResult {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output:
    | { readonly type: 'text' | 'error-text'; readonly value: string }
    | { readonly type: 'content'; readonly value: readonly PromptResultPart[] };
}

export type PromptResultPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image-data' | 'media'; readonly data: string; readonly mediaType: string }
  | { readonly type: 'image-url'; readonly url: string }
  | PromptFile;

/** One message of a prompt. */
export type PromptMessage = (
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: readonly (PromptText | PromptFile)[] }
  | { readonly role: 'assistant'; readonly content: readonly PromptReplyPart[] }
  | { readonly role: 'tool'; readonly content: readonly PromptResult[] }
) &
  WithOptions;

/** A tool as it is declared to the model. */
export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly [key: string]: Json };
  readonly strict?: boolean;
}

/** What one call sends. */
export interface CallOptions extends WithOptions {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly FunctionTool[];
  readonly maxOutputTokens?: number;
  readonly abortSignal: AbortSignal;
}

/** One piece of a reply. */
export type Content = { readonly providerMetadata?: unknown } & (
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      /** JSON text. */
      readonly input: string;
      /** The provider ran it itself. */
      readonly providerExecuted?: boolean;
    }
);

/** Versions 3 and 4 tell the provider's own word too, version 2 only the common one. */
export type FinishReason = string | { readonly unified: string; readonly raw?: string | undefined };

/** How a reply ended, with figures that are still unchecked. */
export interface Finish {
  readonly finishReason: FinishReason;
  readonly usage: unknown;
  readonly providerMetadata?: unknown;
}

/** What `doGenerate` gives. */
export interface Generated extends Finish {
  readonly content: readonly Content[];
}

/** What `doStream` gives, part by part; parts of other types are of no concern here. */
export type StreamedPart = { readonly providerMetadata?: unknown } & (
  | { readonly type: `${'text' | 'reasoning'}-${'start' | 'end'}`; readonly id: string }
  | { readonly type: `${'text' | 'reasoning'}-delta`; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-start';
      readonly id: string;
      readonly toolName: string;
      readonly providerExecuted?: boolean;
    }
  | Extract<Content, { readonly type: 'tool-call' }>
  | ({ readonly type: 'finish' } & Finish)
  | { readonly type: 'error'; readonly error: unknown }
);

/** A model with its methods as they are called. */
export interface CallableModel {
  readonly version: ModelVersion;
  readonly provider: string;
  generate(options: CallOptions): PromiseLike<Generated>;
  stream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<StreamedPart> }>;
}

/**
 * The model, ready to be called.
 *
 * @throws `PITH_LLM_PACKAGE` where it is no language model of a version that is spoken here
 */
export function callableModel(model: AiSdkModel): CallableModel {
  const { specificationVersion: version, provider } = model;
  if (!isModelVersion(version)) {
    throw new PithError(
      'PITH_LLM_PACKAGE',
      `The model ${typeof model === 'string' ? `"${String(model)}"` : 'object'} does not speak the language model interface ` +
        `v2, v3 or v4 of the AI SDK (it says ${version === undefined ? 'nothing' : `"${String(version)}"`}). Pass an object such ` +
        'as anthropic("…") of @ai-sdk/anthropic@^3, not a name; packages for AI SDK 4 are too old.',
    );
  }
  return {
    version,
    provider,
    generate: (options) => model.doGenerate(options as never) as PromiseLike<Generated>,
    stream: (options) =>
      model.doStream(options as never) as PromiseLike<{ readonly stream: ReadableStream<StreamedPart> }>,
  };
}

/** Whether a version of the interface is one that is spoken. */
export function isModelVersion(version: unknown): version is ModelVersion {
  return version === 'v2' || version === 'v3' || version === 'v4';
}
