/** The bus contract (S4.1), the same in process and over NATS. */
import type { StandardSchemaV1 } from '@standard-schema/spec';

/** The open table of events; every room and plugin adds the events it publishes. */
export interface EventMap {}
/** The name of an event of the map. */
export type EventName = keyof EventMap & string;

/** The open table of topics that observers hear beside events; the kernel fills it with its hooks (S3.7). */
export interface TopicMap {}
/** All that observers can name: events and topics. */
export interface ObservedMap extends EventMap, TopicMap {}
/** A name that observers can hear: an event, or a hook as `hook:<name>`. */
export type ObservedName = keyof ObservedMap & string;

/**
 * A named request/reply with schemas of all that crosses it. The schemas check and do not transform, and they do so
 * synchronously; each message is checked by its sender (S4.2) and, where it has crossed a process, by its receiver.
 *
 * A channel with `asks` carries jobs: its responder may ask the requester back while it works. Over NATS such work is
 * accepted, kept alive by heartbeats and its reply acknowledged, so that a dead end of either side is noticed.
 */
export interface Channel<Q, S, G = never, A = never, B = never> {
  /** Tokens of letters, digits, `_` and `-`, parted by dots. */
  readonly subject: string;
  /** The major of these schemas, 1 by default. A request is answered by responders of its own major alone (S4.2). */
  readonly major?: number;
  /** The service whose responders share the work, one token; `pith` by default. */
  readonly service?: string;
  readonly request: StandardSchemaV1<unknown, Q>;
  readonly reply: StandardSchemaV1<unknown, S>;
  readonly progress?: StandardSchemaV1<unknown, G>;
  readonly asks?: Asks<A, B>;
}

/** What a responder may ask back, and what it gets. */
export interface Asks<A, B> {
  readonly request: StandardSchemaV1<unknown, A>;
  readonly reply: StandardSchemaV1<unknown, B>;
}

/** The W3C trace context of a request; carried, never read. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Which piece of work a request is about. */
export interface Job {
  /** The same for every attempt at one piece of work. */
  readonly id: string;
  /** 1 for the first attempt; a responder that hears of a later one gives up the earlier. */
  readonly attempt: number;
}

/** How a request is made: its deadline, its signal, and who hears of it meanwhile. */
export interface RequestOptions<G, A = never, B = never> {
  /** Milliseconds until the request fails with `PITH_BUS_TIMEOUT`; waiting for a free place of the responder counts. */
  readonly deadlineMs: number;
  /** Ends the request with `PITH_BUS_CANCELLED`. */
  readonly signal?: AbortSignal;
  /** The work this is an attempt at; work of its own by default. */
  readonly job?: Job;
  readonly trace?: TraceContext;
  /** Hears of progress, in order and before the reply. */
  onProgress?(progress: G): void;
  /**
   * Answers what the responder asks back. What it throws rejects that ask alone, with `PITH_BUS_REJECTED`; the signal aborts
   * when the request ends without a reply.
   */
  onAsk?(ask: A, signal: AbortSignal): Promise<B>;
}

/** How many requests a responder takes. */
export interface ServeOptions {
  /** Requests served at once. Unlimited by default. */
  readonly concurrency?: number;
  /** What becomes of more: they wait their turn (the default), or are as if nobody were there (`PITH_BUS_NO_RESPONDER`). */
  readonly whenFull?: 'wait' | 'refuse';
}

/** What a responder learns of a request beside its body. */
export interface ServedCall<G, A = never, B = never> {
  /** Aborts when the requester cancels, its deadline passes, or the bus closes. */
  readonly signal: AbortSignal;
  readonly job: Job;
  readonly trace: TraceContext | undefined;
  /** Tells the requester how far the work is. What does not fit the schema ends the request with `PITH_BUS_BAD_MESSAGE`. */
  progress(progress: G): void;
  /**
   * Asks the requester back, several at once if need be. Rejects with `PITH_BUS_REJECTED` and what the requester threw, with
   * `PITH_BUS_BAD_MESSAGE` for what does not fit the schemas, and with why it ended once the request is over.
   */
  ask(ask: A): Promise<B>;
}

/** Hands a message to the observers of its topic and then to whoever does the work; returns what that one returns. */
export type Send<M, R> = (message: M, signal?: AbortSignal) => R;

/** Events, topics and requests (S4.1). What is published stays in the process; requests may cross. */
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
  /** Whether anybody hears this name by name now; for what costs so much to say that it is said on request alone. */
  hears(name: ObservedName): boolean;
  /**
   * Opens a topic: a name that observers hear and one worker serves, always in this process (S3.7). Costs next to nothing
   * while nobody observes.
   */
  topic<M, R>(name: string, work: Send<M, R>): Send<M, R>;
  /**
   * One reply. Rejects with `PITH_BUS_NO_RESPONDER`, `PITH_BUS_TIMEOUT`, `PITH_BUS_CANCELLED`, `PITH_BUS_BAD_MESSAGE`,
   * `PITH_BUS_TOO_LARGE`, `PITH_BUS_TRANSPORT_CLOSED`, or `PITH_BUS_REJECTED` where the responder failed; then
   * `details.code` and `details.details` are those of the Pith error that it threw. Between processes also with
   * `PITH_BUS_DENIED` where the server does not permit it, and with `PITH_BUS_RESPONDER_LOST` where whoever took a job is gone.
   */
  request<Q, S, G = never, A = never, B = never>(
    channel: Channel<Q, S, G, A, B>,
    body: Q,
    options: RequestOptions<G, A, B>,
  ): Promise<S>;
  /**
   * Answers the requests of a channel. Of several responders in one process one with the least to do answers. Disposing takes no more
   * requests and ends when the accepted ones are answered. Throws `PITH_BUS_TRANSPORT_CLOSED` on a closed bus.
   */
  serve<Q, S, G = never, A = never, B = never>(
    channel: Channel<Q, S, G, A, B>,
    handler: (body: Q, call: ServedCall<G, A, B>) => Promise<S>,
    options?: ServeOptions,
  ): AsyncDisposable;
  /** Ends all requests with `PITH_BUS_TRANSPORT_CLOSED` and serves nothing more. What is published later is heard by nobody. */
  close(): Promise<void>;
}
