/** One conversation in requests of a provider: a request goes in, the one to send comes out. */
import type { Fields } from '../../formats/shape';
import { toolSchemasOf } from '../../formats/tool-schemas';
import type { RunOutcome, ToolSchema } from '../../session/records';
import type { HostAnswer, HostCodec, HostReply, HostRequest } from '../host-codec';
import type { HostSession } from '../host-session';

/** What of a request is looked at; all else in it stays as it is. */
export interface ChatRequest {
  /** The whole conversation as the loop knows it. */
  readonly messages: readonly object[];
  readonly model?: unknown;
  readonly tools?: unknown;
}

/** One conversation of a loop: its requests as they are to be sent. */
export interface ChatSession {
  readonly id: string;
  /**
   * The request to send: with other messages and system content where plugins want that, else the very same. Never rejects.
   */
  beforeRequest<R extends ChatRequest>(request: R, signal?: AbortSignal): Promise<R>;
  /** The request to send instead of one that the provider found too large; undefined where the error is yours to deal with. */
  afterFailure<R extends ChatRequest>(request: R, error: unknown): Promise<R | undefined>;
  /** Takes in a whole response of the provider: its usage, and what the model said. */
  afterReply(response: object): Promise<void>;
  /** All of these around one call: `send` gets the request to send, and what it resolves with is the response. */
  send<R extends ChatRequest, T extends object>(request: R, send: (request: R) => PromiseLike<T>): Promise<T>;
  /** The run is over; `messages` is the conversation with all that it brought. Background work may begin. */
  afterRun(messages?: readonly object[], outcome?: Exclude<RunOutcome, 'yielded'>): Promise<void>;
  /** Lets go of the conversation; the next use opens it again. */
  close(): Promise<void>;
}

/** How requests and responses of a provider are read. */
export interface Shape {
  readonly codec: HostCodec<object>;
  /** The system prompt that stands beside the messages. */
  system(request: Fields): string;
  withSystem<R extends ChatRequest>(request: R, texts: readonly string[]): R;
  reply(response: Fields): HostReply;
}

/** A conversation in requests of this shape. */
export function chatSession(host: HostSession<object>, shape: Shape): ChatSession {
  const tools = new ToolList();
  const read = (request: ChatRequest, signal?: AbortSignal): HostRequest<object> => ({
    messages: request.messages,
    system: shape.system(request as ChatRequest & Fields),
    tools: tools.of(request.tools),
    ...(typeof request.model === 'string' && { model: request.model }),
    signal,
  });
  const answered = <R extends ChatRequest>(request: R, { messages, system }: HostAnswer<object>): R =>
    shape.withSystem(messages === request.messages ? request : { ...request, messages }, system);
  const session: ChatSession = {
    id: host.id,
    beforeRequest: async (request, signal) => answered(request, await host.beforeRequest(read(request, signal))),
    async afterFailure(request, error) {
      const answer = await host.afterFailure(read(request), error);
      return answer && answered(request, answer);
    },
    afterReply: async (response) => host.afterReply(shape.reply(response as Fields)),
    async send(request, send) {
      let sent: typeof request | undefined = await session.beforeRequest(request);
      for (;;) {
        try {
          const response = await send(sent);
          await session.afterReply(response);
          return response;
        } catch (error) {
          sent = await session.afterFailure(request, error);
          if (sent === undefined) throw error;
        }
      }
    },
    afterRun: (messages, outcome) => host.afterRun(messages, outcome),
    close: () => host.close(),
  };
  return session;
}

/** The tools of the newest request, read once as long as they are the same list. */
class ToolList {
  #given: unknown;
  #schemas: readonly ToolSchema[] = [];

  of(given: unknown): readonly ToolSchema[] {
    if (given !== this.#given) {
      this.#given = given;
      this.#schemas = toolSchemasOf(given) ?? [];
    }
    return this.#schemas;
  }
}
