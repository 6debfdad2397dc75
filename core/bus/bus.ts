/** The bus contract (S4.1), the same in process and over NATS. */
import type { StandardSchemaV1 } from '@standard-schema/spec';

/** The open table of events; every room and plugin adds the events it publishes. */
export interface EventMap {}
export type EventName = keyof EventMap & string;

/** The open table of topics that observers hear beside events; the kernel fills it with its hooks (S3.7). */
export interface TopicMap {}
/** All that observers can name: events and topics. */
export interface ObservedMap extends EventMap, TopicMap {}
export type ObservedName = keyof ObservedMap & string;

/**
 * A named request/reply with schemas of all that crosses it. The schemas check and do not transform, and they do so
 * synchronously; each message is checked by its sender (S4.2).
 */
export interface Channel<Q, S, G = never> {
  readonly subject: string;
  readonly request: StandardSchemaV1<unknown, Q>;
  readonly reply: StandardSchemaV1<unknown, S>;
  readonly progress?: StandardSchemaV1<unknown, G>;
}

export interface RequestOptions<G> {
  /** Milliseconds until the request fails with `PITH_BUS_TIMEOUT`; waiting for a free place of the responder counts. */
  readonly deadlineMs: number;
  /** Ends the request with `PITH_BUS_CANCELLED`. */
  readonly signal?: AbortSignal;
  /** Hears of progress, in order and before the reply. */
  onProgress?(progress: G): void;
}

export interface ServeOptions {
  /** Requests served at once; more wait their turn. Unlimited by default. */
  readonly concurrency?: number;
}

export interface ServedCall<G> {
  /** Aborts when the requester cancels, its deadline passes, or the bus closes. */
  readonly signal: AbortSignal;
  /** Tells the requester how far the work is. What does not fit the schema ends the request with `PITH_BUS_BAD_MESSAGE`. */
  progress(progress: G): void;
}

/** Hands a message to the observers of its topic and then to whoever does the work; returns what that one returns. */
export type Send<M, R> = (message: M, signal?: AbortSignal) => R;

export interface Bus {
  /** Fire and forget. A throwing or rejecting observer harms no other and not the publisher (S4.3). */
  publish<K extends EventName>(event: K, payload: EventMap[K]): void;
  /**
   * Hears an event, or a hook as `hook:<name>`. Returns how to stop. Who observes is fixed when something is sent: what is
   * added or removed meanwhile counts from the next time on.
   */
  on<K extends ObservedName>(name: K, observer: (payload: ObservedMap[K]) => void): () => void;
  /** Hears every event and every hook (as `hook:<name>`), after those who named it and before the handlers of a hook. */
  onAny(observer: (name: string, payload: unknown) => void): () => void;
  /**
   * Opens a topic: a name that observers hear and one worker serves, always in this process (S3.7). Costs next to nothing
   * while nobody observes.
   */
  topic<M, R>(name: string, work: Send<M, R>): Send<M, R>;
  /**
   * One reply. Rejects with `PITH_BUS_NO_RESPONDER`, `PITH_BUS_TIMEOUT`, `PITH_BUS_CANCELLED`, `PITH_BUS_BAD_MESSAGE`,
   * `PITH_BUS_TOO_LARGE`, `PITH_BUS_TRANSPORT_CLOSED`, or `PITH_BUS_REJECTED` where the responder failed; then
   * `details.code` and `details.details` are those of the Pith error that it threw.
   */
  request<Q, S, G = never>(channel: Channel<Q, S, G>, body: Q, options: RequestOptions<G>): Promise<S>;
  /**
   * Answers the requests of a channel. Of several responders one with the least to do answers. Disposing takes no more
   * requests and ends when the accepted ones are answered. Throws `PITH_BUS_TRANSPORT_CLOSED` on a closed bus.
   */
  serve<Q, S, G = never>(
    channel: Channel<Q, S, G>,
    handler: (body: Q, call: ServedCall<G>) => Promise<S>,
    options?: ServeOptions,
  ): AsyncDisposable;
  /** Ends all requests with `PITH_BUS_TRANSPORT_CLOSED` and serves nothing more. What is published later is heard by nobody. */
  close(): Promise<void>;
}
