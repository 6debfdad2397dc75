/** Pith as a language-model middleware: it sees system prompt, tools and conversation of every call, and what it used. */
import { isModelVersion } from '../../llm/language-model';
import type { ModelVersion, StreamedPart } from '../../llm/language-model';
import { profileOf } from '../../llm/profiles';
import type { Json } from '../../session/items';
import type { ToolSchema } from '../../session/records';
import type { HostRequest } from '../host-codec';
import type { Host, HostSession } from '../host-session';
import { codecOf } from './codec';
import type { AiSdkCall, AiSdkMessage, AiSdkMiddleware, AiSdkReply, AiSdkTool, WrappedCall } from './host-types';
import { tellReply } from './reply';
import { watchedStream } from './watched-stream';

/** Whose calls the middleware sees. */
export interface MiddlewareOptions {
  /**
   * The conversation, by an id of the host; where one model serves several, how to tell it by the call. Calls without one
   * pass untouched.
   */
  readonly sessionId: string | ((call: AiSdkCall) => string | undefined);
}

/** The middleware of one host. A call that the provider finds too large is sent once more, when it has become smaller. */
export function createMiddleware(host: Host, options: MiddlewareOptions): AiSdkMiddleware {
  return {
    specificationVersion: 'v3',
    async wrapGenerate(wrapped) {
      const call = callOf(host, options, wrapped);
      if (call === undefined) return wrapped.doGenerate();
      const { model } = wrapped;
      const reply = await call.send((params) => model.doGenerate(params));
      call.tell(reply);
      return reply;
    },
    async wrapStream(wrapped) {
      const call = callOf(host, options, wrapped);
      if (call === undefined) return wrapped.doStream();
      const { model } = wrapped;
      const streamed = await call.send((params) => model.doStream(params));
      const stream = watchedStream(streamed.stream as ReadableStream<StreamedPart>, {
        retry: async (thrown) => {
          const params = await call.smaller(thrown);
          return params && ((await model.doStream(params)).stream as ReadableStream<StreamedPart>);
        },
        done: (reply) => call.tell(reply),
      });
      return { ...streamed, stream };
    },
  };
}

function callOf<Call extends AiSdkCall, Reply, Streamed>(
  host: Host,
  { sessionId }: MiddlewareOptions,
  { params, model }: WrappedCall<Call, Reply, Streamed>,
): SessionCall<Call> | undefined {
  const id = typeof sessionId === 'string' ? sessionId : sessionId(params);
  const { modelId, provider, specificationVersion: version } = model;
  if (id === undefined || !isModelVersion(version)) return undefined;
  return new SessionCall(host.session(id, codecOf(version)), params, { modelId, provider, version });
}

interface CalledModel {
  readonly modelId: string;
  readonly provider: string;
  readonly version: ModelVersion;
}

/** One call to a model, in its conversation. */
class SessionCall<Call extends AiSdkCall> {
  readonly #session: HostSession<AiSdkMessage>;
  readonly #params: Call;
  readonly #model: CalledModel;
  #isRepeated = false;

  constructor(session: HostSession<AiSdkMessage>, params: Call, model: CalledModel) {
    this.#session = session;
    this.#params = params;
    this.#model = model;
  }

  async send<Result>(ask: (params: Call) => PromiseLike<Result>): Promise<Result> {
    const { messages } = await this.#session.beforeRequest(this.#request());
    try {
      return await ask(this.#with(messages));
    } catch (thrown) {
      const params = await this.smaller(thrown);
      if (params === undefined) throw thrown;
      return await ask(params);
    }
  }

  /** What to send where the provider found the call too large; undefined where that cannot be helped. */
  async smaller(thrown: unknown): Promise<Call | undefined> {
    if (this.#isRepeated) return undefined;
    this.#isRepeated = true;
    const answer = await this.#session.afterFailure(this.#request(), thrown);
    return answer && this.#with(answer.messages);
  }

  tell(reply: AiSdkReply): void {
    const { modelId: model, version } = this.#model;
    tellReply(this.#session, reply, { model, version });
  }

  #request(): HostRequest<AiSdkMessage> {
    const { prompt, tools = [], abortSignal: signal } = this.#params;
    return { messages: prompt, tools: tools.map(schemaOf), model: this.#model.modelId, signal };
  }

  #with(messages: readonly AiSdkMessage[]): Call {
    if (messages === this.#params.prompt) return this.#params;
    const one = profileOf(this.#model.provider).system === 'one';
    return { ...this.#params, prompt: one ? withOneSystem(messages) : messages };
  }
}

function schemaOf({ name, description, inputSchema, args }: AiSdkTool): ToolSchema {
  const parameters = (inputSchema ?? args) as Json | undefined;
  return { name, ...(description !== undefined && { description }), ...(parameters !== undefined && { parameters }) };
}

/** Endpoints that take one system message get all of it in the first (S9.9). */
function withOneSystem(messages: readonly AiSdkMessage[]): readonly AiSdkMessage[] {
  const end = messages.findIndex(({ role }) => role !== 'system');
  const [first, ...others] = messages.slice(0, end === -1 ? messages.length : end);
  if (first === undefined || others.length === 0) return messages;
  const content = [first, ...others].map((message) => message.content).join('\n\n');
  return [{ ...first, content }, ...messages.slice(others.length + 1)];
}
