/** Pith in OpenAI Agents: `callModelInputFilter` and `session` for its runner. */
import { messageOf, PithError } from '../../errors';
import type { Kernel } from '../../kernel/kernel';
import { createHost } from '../host-session';
import type { HostOptions } from '../host-session';
import { weakById } from '../weak-by-id';
import type { SessionLike } from './agent-items';
import { Conversation } from './conversation';
import { inputFilter } from './input-filter';
import type { InputFilter } from './input-filter';
import { createMemorySession } from './memory-session';
import { watchedSession } from './session';
import type { PithSession } from './session';

export type { HostOptions } from '../host-session';
export type { AgentItem, AgentLike, RequestUsageLike, RunContextLike, SessionLike } from './agent-items';
export type { InputFilter, ModelInput } from './input-filter';
export type { AgentSession } from './memory-session';
export type { PithSession } from './session';

/** Pith for the runner of OpenAI Agents. A run is given both, the filter and the session, of one id. */
export interface OpenAiAgentsPith extends AsyncDisposable {
  readonly kernel: Kernel;
  /** For `callModelInputFilter`: sends what the plugins make of the conversation. Never throws. */
  callModelInputFilter(options: { readonly sessionId: string }): InputFilter;
  /**
   * For `session`: the session of the host, which goes on to hold the whole history, or one in memory, kept until
   * {@link OpenAiAgentsPith.close}. By it Pith hears of usage and of the end of a run.
   */
  session(options: { readonly sessionId: string }): PithSession;
  session<S extends SessionLike>(options: { readonly sessionId: string; readonly session: S }): S & PithSession;
  /** Resolves when no work is under way, in the background or not. */
  idle(): Promise<void>;
  /** Closes all conversations and stops the plugins. */
  close(): Promise<void>;
}

/** Starts Pith. Throws `PITH_PLUGIN_GRAPH`, `PITH_PLUGIN_SETUP`, and what is wrong with a manifest; nothing throws afterwards. */
export async function createPith(options: HostOptions = {}): Promise<OpenAiAgentsPith> {
  const host = await createHost(options);
  const { kernel } = host;
  const conversationOf = weakById((id) => new Conversation(host, id));
  const inMemory = new Map<string, PithSession>();

  function memorySession(id: string): PithSession {
    const known = inMemory.get(id);
    if (known !== undefined) return known;
    const session = watchedSession(createMemorySession(id), conversationOf(id));
    inMemory.set(id, session);
    return session;
  }

  function failed(session: string, error: unknown): void {
    const [message, code] = [messageOf(error), PithError.is(error) ? error.code : undefined];
    kernel.bus.publish('host.failed', { session, step: 'beforeRequest', code, message, error });
    kernel.log.warn('Pith failed; the host goes on with its own messages.', { session, code, error: message });
  }

  return {
    kernel,
    callModelInputFilter: ({ sessionId }) =>
      inputFilter(conversationOf(sessionId), (thrown) => {
        failed(sessionId, thrown);
      }),
    session: <S extends SessionLike>({ sessionId, session }: { readonly sessionId: string; readonly session?: S }) =>
      session === undefined
        ? (memorySession(sessionId) as S & PithSession)
        : watchedSession(session, conversationOf(sessionId)),
    idle: () => host.idle(),
    close: () => host.close(),
    [Symbol.asyncDispose]: () => host.close(),
  };
}
