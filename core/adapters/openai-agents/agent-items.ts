/** What of OpenAI Agents the adapter looks at. Structural types only: the host's own values fit them as they are. */

/** One item of the host's conversation (`AgentInputItem`); fields beside these are read without trust in their types. */
export interface AgentItem {
  /** Left out, it is a message. */
  readonly type?: string | undefined;
  readonly role?: string | undefined;
  /** The id that the provider gave it. */
  readonly id?: string | undefined;
}

/** The agent that a request is for. */
export interface AgentLike {
  /** A name, or a model of the host. */
  readonly model?: unknown;
  readonly tools?: readonly unknown[] | undefined;
}

/** The run that the host is in; `usage` grows with each reply. */
export interface RunContextLike {
  readonly usage: { readonly requestUsageEntries?: readonly RequestUsageLike[] | undefined };
}

/** Tokens of one request, as the host counts them. */
export interface RequestUsageLike {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly inputTokensDetails?: { readonly [key: string]: number } | undefined;
  readonly outputTokensDetails?: { readonly [key: string]: number } | undefined;
}

/** A session of the host, as far as Pith stands between it and the runner. */
export interface SessionLike {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<AgentItem[]>;
  addItems(items: never[]): Promise<void>;
  popItem(): Promise<AgentItem | undefined>;
  clearSession(): Promise<void>;
}
