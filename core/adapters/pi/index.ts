/** `pith/pi`: Pith for agents and loops on pi-agent-core. */
import type { Kernel } from '../../kernel/kernel';
import { createHost } from '../host-session';
import type { HostOptions } from '../host-session';
import { weakById } from '../weak-by-id';
import { Conversation } from './conversation';
import type { PiAgent, PiListener, PiLoop, PiMessage, PiTransform } from './host-types';
import { withPith } from './stream-function';
import type { Streams } from './stream-function';

export type { HostOptions } from '../host-session';
export type { PiAgent, PiEvent, PiListener, PiLoop, PiMessage, PiState, PiTransform } from './host-types';

/** Which conversation it is. */
export interface ConversationOptions {
  /** The conversation, for as long as it is kept. */
  readonly sessionId: string;
}

/** Which conversation of which loop it is. */
export interface TransformOptions extends ConversationOptions {
  /** The loop, whose system prompt, tools and model count, and which says what the model sees of messages. */
  readonly loop?: PiLoop | undefined;
}

/** Pith as an application on pi uses it. */
export interface PiPith extends AsyncDisposable {
  readonly kernel: Kernel;
  /**
   * Has an agent send what the plugins make of its conversation, whose messages stay whole in its state. It sets
   * `transformContext`, behind which the agent's own goes on, and `streamFn`, and subscribes. Returns what undoes that.
   */
  attach(agent: PiAgent, options: ConversationOptions): () => void;
  /**
   * For `transformContext` of a loop without an agent. It can give system content only as a message of the user. Usage is read
   * from the replies. Never rejects.
   */
  transformContext(options: TransformOptions): PiTransform;
  /** What hears of the events of such a loop: with the end of a run work in the background may begin. Never rejects. */
  listener(options: ConversationOptions): PiListener;
  /** Resolves when nothing is under way any more, in the background or not. Never rejects. */
  idle(): Promise<void>;
  /** Closes all conversations and stops the plugins. */
  close(): Promise<void>;
}

/** Starts Pith. Throws `PITH_PLUGIN_GRAPH` or `PITH_PLUGIN_SETUP`, and for a manifest what `loadManifest` throws. */
export async function createPith(options: HostOptions = {}): Promise<PiPith> {
  const host = await createHost(options);
  const conversationOf = weakById((id) => new Conversation(host, id));

  function transformOf(conversation: Conversation, loop: PiLoop | undefined): PiTransform {
    return async (messages, signal) => (await conversation.beforeRequest(messages, loop, signal)) as typeof messages;
  }

  function listenerOf(conversation: Conversation): PiListener {
    return async ({ type, messages = [] }) => {
      if (type === 'agent_end') await conversation.end(messages);
    };
  }

  return {
    kernel: host.kernel,
    attach(agent, { sessionId }) {
      const conversation = conversationOf(sessionId);
      const { transformContext, streamFn } = agent;
      const prepare = transformOf(conversation, agent);
      const goOn = async (messages: PiMessage[], signal?: AbortSignal): Promise<PiMessage[]> =>
        transformContext === undefined ? messages : transformContext.call(agent, messages as never[], signal);
      agent.transformContext = async (messages: PiMessage[], signal) => goOn(await prepare(messages, signal), signal);
      agent.streamFn = withPith({
        streamFn: streamFn as Streams,
        conversation,
        async convert(messages) {
          const own = await goOn([...messages]);
          return ((await agent.convertToLlm?.(own as never[])) ?? own) as readonly PiMessage[];
        },
      });
      const unsubscribe = agent.subscribe(listenerOf(conversation));
      return () => {
        unsubscribe();
        if (transformContext === undefined) delete agent.transformContext;
        else agent.transformContext = transformContext;
        agent.streamFn = streamFn;
      };
    },
    transformContext: ({ sessionId, loop }) => transformOf(conversationOf(sessionId), loop),
    listener: ({ sessionId }) => listenerOf(conversationOf(sessionId)),
    idle: () => host.idle(),
    close: () => host.close(),
    [Symbol.asyncDispose]: () => host.close(),
  };
}
