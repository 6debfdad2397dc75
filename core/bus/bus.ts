/** The bus contract (S4.1), the same in process and over NATS. */
import type { StandardSchemaV1 } from '@standard-schema/spec';

/** The open table of events; every room and plugin adds the events it publishes. */
export interface EventMap {}
export type EventName = keyof EventMap & string;

/** A named request/reply with schemas of all that crosses it. */
export interface Channel<Q, S, G = never> {
  readonly subject: string;
  readonly request: StandardSchemaV1<unknown, Q>;
  readonly reply: StandardSchemaV1<unknown, S>;
  readonly progress?: StandardSchemaV1<unknown, G>;
}

export interface RequestOptions<G> {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  onProgress?(progress: G): void;
}

export interface ServeOptions {
  /** Requests served at once; more wait their turn. Unlimited by default. */
  readonly concurrency?: number;
}

export interface ServedCall<G> {
  /** Aborts when the requester cancels, its deadline passes, or the bus closes. */
  readonly signal: AbortSignal;
  progress(progress: G): void;
}

export interface Bus {
  /** Fire and forget. A throwing observer harms no other and not the publisher. */
  publish<K extends EventName>(event: K, payload: EventMap[K]): void;
  on<K extends EventName>(event: K, observer: (payload: EventMap[K]) => void): () => void;
  /** Hears every event and every hook (as `hook:<name>`). */
  onAny(observer: (name: string, payload: unknown) => void): () => void;
  /** One reply. Rejects with a `PITH_BUS_…` error. */
  request<Q, S, G = never>(channel: Channel<Q, S, G>, body: Q, options: RequestOptions<G>): Promise<S>;
  serve<Q, S, G = never>(
    channel: Channel<Q, S, G>,
    handler: (body: Q, call: ServedCall<G>) => Promise<S>,
    options?: ServeOptions,
  ): AsyncDisposable;
  /** Ends all requests with `PITH_BUS_TRANSPORT_CLOSED` and serves nothing more. */
  close(): Promise<void>;
}
