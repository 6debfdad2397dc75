/** Stands between the runner and a session of the host, so that a run's beginning, its usage and its end are known. */
import type { AgentItem, RunContextLike } from './agent-items';
import type { Conversation } from './conversation';
import type { AgentSession } from './memory-session';

/** A session of the host with Pith behind it. */
export interface PithSession extends AgentSession {
  /** Has the runner hand over the run, in which it counts tokens. */
  readonly acceptsRunContext: true;
  /** As the session's own; with a run, the run begins. */
  getItems<I extends AgentItem>(limit?: number, run?: RunContextLike): Promise<I[]>;
  /** As the session's own, but it keeps what the host said, where plugins had something else sent. */
  addItems(items: readonly AgentItem[], run?: RunContextLike): Promise<void>;
  /** The runner calls it when what a run said is kept; it never rejects, and compacts nothing of the host's own. */
  runCompaction(args?: unknown, run?: RunContextLike): Promise<null>;
}

/** What a session may have beside these: bound to the history that the host itself would compact. */
const HIDDEN = new Set<PropertyKey>(['getItemsWithCompactionOwnership', 'addItemsWithCompactionOwnership']);

/** The session as the runner gets it; all that is not listed here is the session's own. */
export function watchedSession<S extends object>(session: S, conversation: Conversation): S & PithSession {
  const own = session as unknown as {
    getItems(limit?: number, run?: RunContextLike): Promise<AgentItem[]>;
    addItems(items: readonly AgentItem[], run?: RunContextLike): Promise<void>;
  };
  const watched: Readonly<Record<PropertyKey, unknown>> = {
    acceptsRunContext: true,
    async getItems(limit?: number, run?: RunContextLike) {
      await conversation.enter(run);
      return own.getItems(limit, run);
    },
    async addItems(items: readonly AgentItem[], run?: RunContextLike) {
      const kept = conversation.keep(items);
      if (kept.length > 0) await own.addItems(kept, run);
    },
    async runCompaction(args?: { readonly compactionMode?: unknown }) {
      await conversation.finish(args?.compactionMode === 'input');
      return null;
    },
  };
  return new Proxy(session, {
    has: (target, name) => !HIDDEN.has(name) && (name in watched || name in target),
    get(target, name) {
      if (HIDDEN.has(name)) return undefined;
      if (Object.hasOwn(watched, name)) return watched[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  }) as S & PithSession;
}
