/**
 * The stock model client (S6.1), on the language model interface of the AI SDK, which its provider packages implement: no
 * provider protocol is written here. The interface is called directly, and not through `generateText`: that would validate and
 * copy the whole history once more for each request, print warnings, and hide how system content, cache marks and the
 * provider's own figures travel. What a `system` parameter becomes there, the leading system messages of the prompt, is
 * written as such.
 */
import { sleep, systemClock } from '../kernel/clock';
import type { Clock } from '../kernel/clock';
import { randomIds } from '../kernel/ids';
import type { Ids } from '../kernel/ids';
import { modelLimits } from '../tokens/model-limits';
import type { LimitOverrides, ModelLimits } from '../tokens/model-limits';
import { createTiktoken } from '../tokens/tiktoken';
import type { Tokenizer } from '../tokens/tokenizer';
import { Attempt, cancelled } from './attempt';
import { callOptions } from './call-options';
import type { CallSettings } from './call-options';
import type { LlmClient, LlmReply, LlmRequest, LlmStreamPart, ProviderProfile } from './client';
import { callableModel, isLazy } from './language-model';
import type {
  AiSdkModel,
  CallableModel,
  CallOptions,
  Content,
  Finish,
  LazyAiSdkModel,
  ProviderOptions,
} from './language-model';
import { llmError } from './llm-errors';
import { profileOf, traitsOf } from './profiles';
import { readReply } from './reply';
import { StreamedReply } from './reply-stream';
import { retryDelay } from './retry';
import { toolNames } from './tools';

/** The model of a client, and how patient it is. */
export interface AiSdkClientOptions {
  /** A model of any provider package of the AI SDK, such as `anthropic('…')`, or how to load one. */
  readonly model: AiSdkModel | LazyAiSdkModel;
  /** What of the provider's profile is different; it is known by the provider's name. */
  readonly profile?: Partial<ProviderProfile>;
  /** Tokens of window and reply where they are not those that are known of the model. */
  readonly limits?: LimitOverrides;
  /** How often a request is sent again; 4 by default. */
  readonly maxRetries?: number;
  /** Milliseconds to wait for a reply, or for the next part of a streamed one; 10 minutes by default. */
  readonly timeoutMs?: number;
  /** Whether the prompt cache of the provider is asked for; it is by default. */
  readonly promptCache?: boolean;
  /** Options for the provider, as the AI SDK takes them: `{ anthropic: { … } }`. They win over all that is set here. */
  readonly providerOptions?: ProviderOptions;
  /** Keys that no error may repeat. */
  readonly secrets?: () => readonly string[];
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** A number from 0 up to 1, for the jitter of retries. */
  readonly random?: () => number;
}

/** A client of a language model. Nothing is loaded or sent before the first request. */
export function createAiSdkClient(options: AiSdkClientOptions): LlmClient {
  return new AiSdkClient(options);
}

const TEN_MINUTES = 600_000;

class AiSdkClient implements LlmClient {
  readonly model: string;
  readonly profile: ProviderProfile;
  readonly #options: AiSdkClientOptions;
  readonly #settings: CallSettings;
  readonly #clock: Clock;
  #loading: Promise<CallableModel> | undefined;
  #tokenizer: Tokenizer | undefined;

  constructor(options: AiSdkClientOptions) {
    const { model, profile, limits = {}, promptCache = true, providerOptions, clock = systemClock } = options;
    // a model of a version that is not spoken is told at once, where its maker looks
    if (!isLazy(model)) this.#loading = Promise.resolve(callableModel(model));
    this.model = model.modelId;
    this.profile = { ...profileOf(model.provider), ...profile };
    this.#options = options;
    this.#settings = {
      model: this.model,
      profile: this.profile,
      limits: modelLimits(this.model, limits),
      ownAllowance: limits.maxOutput !== undefined,
      promptCache,
      providerOptions,
    };
    this.#clock = clock;
  }

  tokenizer(): Tokenizer {
    return (this.#tokenizer ??= createTiktoken(this.model));
  }

  limits(): ModelLimits {
    return this.#settings.limits;
  }

  async generate(request: LlmRequest): Promise<LlmReply> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#generateOnce(request);
      } catch (thrown) {
        const { delayMs } = this.#retry(thrown, attempt);
        await this.#sleep(delayMs, request.signal);
      }
    }
  }

  async *stream(request: LlmRequest): AsyncGenerator<LlmStreamPart, void, undefined> {
    for (let attempt = 0; ; attempt++) {
      try {
        yield* this.#streamOnce(request);
        return;
      } catch (thrown) {
        const { delayMs, reason } = this.#retry(thrown, attempt);
        yield { type: 'retry', attempt: attempt + 1, delayMs, reason };
        await this.#sleep(delayMs, request.signal);
      }
    }
  }

  async #generateOnce(request: LlmRequest): Promise<LlmReply> {
    const attempt = this.#attempt(request);
    try {
      const model = await attempt.race(this.#load());
      const result = await attempt.race(model.generate(this.#callOptions(request, model, attempt.signal)));
      return this.#reply(result.content, result, request, model);
    } finally {
      attempt.end();
    }
  }

  async *#streamOnce(request: LlmRequest): AsyncGenerator<LlmStreamPart, void, undefined> {
    const attempt = this.#attempt(request);
    try {
      const model = await attempt.race(this.#load());
      const { stream } = await attempt.race(model.stream(this.#callOptions(request, model, attempt.signal)));
      const reader = stream.getReader();
      const reply = new StreamedReply(toolNames(request.tools));
      for (let read = await attempt.race(reader.read()); !read.done; read = await attempt.race(reader.read())) {
        const shown = reply.add(read.value);
        if (shown !== undefined) yield shown;
      }
      const { contents, finish } = reply.end();
      yield { type: 'reply', reply: this.#reply(contents, finish, request, model) };
    } finally {
      attempt.end();
    }
  }

  #attempt({ signal }: LlmRequest): Attempt {
    const { timeoutMs = TEN_MINUTES } = this.#options;
    return new Attempt({ signal, timeoutMs, clock: this.#clock, provider: this.profile.name });
  }

  /** The model; one that could not be loaded is tried anew at the next request. */
  #load(): Promise<CallableModel> {
    const { model } = this.#options;
    if (this.#loading === undefined && isLazy(model)) {
      this.#loading = model.load().then(callableModel);
      this.#loading.catch(() => (this.#loading = undefined));
    }
    return this.#loading as Promise<CallableModel>;
  }

  #callOptions(request: LlmRequest, model: CallableModel, abortSignal: AbortSignal): CallOptions {
    return { ...callOptions(request, model, this.#settings), abortSignal };
  }

  #reply(contents: readonly Content[], finish: Finish, request: LlmRequest, model: CallableModel): LlmReply {
    const { ids = randomIds } = this.#options;
    return readReply(contents, finish, {
      provider: this.profile.name,
      model: this.model,
      version: model.version,
      limits: this.#settings.limits,
      traits: traitsOf(model.provider),
      ids,
      toolName: toolNames(request.tools),
    });
  }

  /** What is to be done about an attempt that failed; throws the error where it stands. */
  #retry(thrown: unknown, attempt: number): { readonly delayMs: number; readonly reason: string } {
    const { maxRetries = 4, random = Math.random, secrets } = this.#options;
    const error = llmError(thrown, {
      model: this.model,
      provider: this.profile.name,
      now: this.#clock.now(),
      ...(secrets !== undefined && { secrets: secrets() }),
    });
    const delayMs = retryDelay(error, attempt, { maxRetries, random });
    if (delayMs === undefined) throw error;
    return { delayMs, reason: error.message };
  }

  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await sleep(this.#clock, ms, signal).catch(() => {
      throw cancelled();
    });
  }
}
