/** A session of the host that lives in memory: what the runner wrote, item by item. */
import type { AgentItem } from './agent-items';

/** What the runner of the host asks of a session; the items that come out are those that went in, by reference. */
export interface AgentSession {
  getSessionId(): Promise<string>;
  /** The newest `limit` items, in order; all where it is left out. */
  getItems<I extends AgentItem>(limit?: number): Promise<I[]>;
  addItems(items: readonly AgentItem[]): Promise<void>;
  popItem<I extends AgentItem>(): Promise<I | undefined>;
  clearSession(): Promise<void>;
}

/** An empty session. */
export function createMemorySession(sessionId: string): AgentSession {
  let kept: AgentItem[] = [];
  return {
    getSessionId: () => Promise.resolve(sessionId),
    getItems: <I extends AgentItem>(limit?: number) =>
      Promise.resolve((limit === undefined ? kept.slice() : limit > 0 ? kept.slice(-limit) : []) as I[]),
    addItems(items) {
      kept.push(...items);
      return Promise.resolve();
    },
    popItem: <I extends AgentItem>() => Promise.resolve(kept.pop() as I | undefined),
    clearSession() {
      kept = [];
      return Promise.resolve();
    },
  };
}
