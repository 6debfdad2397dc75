/** Pith as a middleware of LangChain: what is sent is changed for each call of the model, the state of the agent never. */
import { checkUsage } from '../../formats/foreign-usage';
import { usageOfReply } from '../../formats/langchain';
import { fieldsOf, listOf, stringOf } from '../../formats/shape';
import type { Usage } from '../../session/records';
import type { HostAnswer, HostCodec, HostRequest } from '../host-codec';
import type { Host, HostSession } from '../host-session';
import { partsOfContent, textOf } from './contents';
import type { LangChainMessage, LangChainMiddleware, LangChainRequest, LangChainRuntime } from './host-types';
import { changed } from './message-copies';
import { schemasOf } from './tool-schemas';

/** Which conversation a call of the model belongs to. */
export interface MiddlewareOptions {
  /**
   * The conversation that a run belongs to, or what tells it. By default it is the thread, and each run of an agent inside of
   * another run is a conversation of its own. Runs without one pass untouched.
   */
  readonly sessionId?: string | ((runtime: LangChainRuntime) => string | undefined) | undefined;
}

/** The middleware of one host; `codec` reads all of its conversations. */
export function createMiddleware(
  host: Host,
  codec: HostCodec<LangChainMessage>,
  { sessionId = threadOf }: MiddlewareOptions,
): LangChainMiddleware {
  let hasWarned = false;

  function sessionOf(runtime: LangChainRuntime): HostSession<LangChainMessage> | undefined {
    const id = typeof sessionId === 'function' ? sessionId(runtime) : sessionId;
    if (id !== undefined) return host.session(id, codec);
    if (!hasWarned && sessionId === threadOf) host.kernel.log.warn(NO_THREAD);
    hasWarned = true;
    return undefined;
  }

  return {
    name: 'pith',
    async wrapModelCall(request, handler) {
      const session = sessionOf(request.runtime);
      if (session === undefined) return handler(request);
      const asked = askedOf(request);
      try {
        const reply = await send(request, handler, session, asked);
        void session.afterReply({ usage: usageOf(reply, asked.model) });
        return reply;
      } catch (thrown) {
        void session.afterRun(undefined, asked.signal?.aborted === true ? 'aborted' : 'failed');
        throw thrown;
      }
    },
    async afterAgent({ messages }, runtime) {
      await sessionOf(runtime)?.afterRun(messages);
    },
  };
}

const NO_THREAD =
  'A run names no conversation, so its requests go out as they are. Give it configurable: { thread_id }, or the middleware a sessionId.';

/** The thread, and where in its graph an agent runs: the last part names the step of the agent itself. */
function threadOf({ configurable }: LangChainRuntime): string | undefined {
  const thread = stringOf(configurable?.thread_id);
  const outer = (stringOf(configurable?.['checkpoint_ns']) ?? '').split('|').slice(0, -1);
  return thread && [thread, ...outer].join('|');
}

/** Once more in a smaller form where the provider finds the request too large. */
async function send<R extends LangChainRequest, Reply>(
  request: R,
  handler: (request: R) => Reply | Promise<Reply>,
  session: HostSession<LangChainMessage>,
  asked: HostRequest<LangChainMessage>,
): Promise<Reply> {
  const answer = await session.beforeRequest(asked);
  try {
    return await handler(answered(request, answer));
  } catch (thrown) {
    const smaller = await session.afterFailure(asked, thrown);
    if (smaller === undefined) throw thrown;
    return await handler(answered(request, smaller));
  }
}

function askedOf({ messages, systemMessage, tools, model, runtime }: LangChainRequest): HostRequest<LangChainMessage> {
  return {
    messages,
    system: saidIn(systemMessage),
    tools: schemasOf(tools),
    model: nameOf(model),
    signal: runtime.signal,
  };
}

/** The request with what is sent in its place; system content follows the prompt, wherever the agent has it. */
function answered<R extends LangChainRequest>(request: R, { messages, system }: HostAnswer<LangChainMessage>): R {
  if (messages === request.messages && system.length === 0) return request;
  if (system.length === 0) return { ...request, messages };
  const { systemMessage } = request;
  const [first, ...others] = messages;
  return first?.type === 'system' && saidIn(systemMessage) === ''
    ? { ...request, messages: [withMore(first, system), ...others] }
    : { ...request, messages, systemMessage: withMore(systemMessage, system) };
}

/** Further texts as blocks where the message has blocks; some models are sent all of them as one, with nothing between. */
function withMore(message: LangChainMessage, texts: readonly string[]): LangChainMessage {
  const said = saidIn(message);
  const content =
    Array.isArray(message.content) && said !== ''
      ? [...listOf(message.content), ...texts.map((text) => ({ type: 'text', text: `\n\n${text}` }))]
      : [said, ...texts].filter((text) => text !== '').join('\n\n');
  return changed(message, { content });
}

function saidIn({ content }: LangChainMessage): string {
  return textOf(partsOfContent(content));
}

/** The name of a model: its own, that of the one it wraps, or the one that it is configured with. */
function nameOf(model: unknown): string | undefined {
  const { model: name, modelName, bound, _defaultConfig: configured } = fieldsOf(model);
  const inner = bound ?? configured;
  return stringOf(name) ?? stringOf(modelName) ?? (inner === undefined ? undefined : nameOf(inner));
}

/** Structured output comes with the reply that it was read from. */
function usageOf(reply: unknown, model: string | undefined): Usage | undefined {
  const usage = usageOfReply(fieldsOf(listOf(fieldsOf(reply).messages)[0] ?? reply));
  return usage && checkUsage({ ...usage, model: model ?? usage.model }, undefined);
}
