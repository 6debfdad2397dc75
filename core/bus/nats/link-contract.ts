/** What one connection to a NATS server gives to the transport above it (S4.1, S11). */
import type { PithError } from '../../errors';

/** A message that has arrived. */
export interface LinkMessage {
  readonly subject: string;
  /** Where an answer is awaited. */
  readonly reply: string | undefined;
  readonly data: Uint8Array;
  /** The first value of a header, its name in the case it was sent in; undefined also where the headers are malformed. */
  header(name: string): string | undefined;
  /** The server says that nobody listens where the request went (status 503). */
  readonly nobody: boolean;
}

/** A subscription of a link. */
export interface LinkSubscription {
  /** Takes nothing new, hands over what has arrived, then ends. Never rejects. */
  drain(): Promise<void>;
  /** Ends at once. */
  stop(): void;
}

/** What becomes of the connection of a link. */
export type LinkEvent =
  | { readonly type: 'connected' | 'reconnected' | 'disconnected' | 'closed' | 'lame-duck'; readonly server?: string }
  /** The server refused this. A refused subscription is tried again at the next connection. */
  | { readonly type: 'denied'; readonly operation: 'publish' | 'subscribe'; readonly subject: string }
  /** Why there is no connection, once per reason; or what a message handler threw. */
  | { readonly type: 'error'; readonly error: PithError };

/** Where a reply is to go, and what stands in the headers. */
export interface LinkPublishOptions {
  /** Where an answer is awaited. */
  readonly reply?: string;
  readonly headers?: Iterable<readonly [name: string, value: string]>;
}

/** One connection, which comes and goes while the link stays: subscriptions are made again at each connection. */
export interface Link {
  /** The identity of this process, one subject token. */
  readonly name: string;
  /** `_INBOX.<name>.<random>`: replies arrive at `<inbox>.<token>`. The permission it needs: `_INBOX.<name>.>`. */
  readonly inbox: string;
  readonly isConnected: boolean;
  readonly isClosed: boolean;
  /** Bytes of headers and data that the server takes; 1 MiB until it has told. */
  readonly maxPayload: number;
  /**
   * Sends a message, at most once: without a connection it is dropped, nothing is kept for later. Throws
   * `PITH_BUS_TOO_LARGE`, `PITH_BUS_TRANSPORT_CLOSED`, and `PITH_BUS_BAD_MESSAGE` for a bad subject, reply or header.
   */
  publish(subject: string, data: Uint8Array, options?: LinkPublishOptions): void;
  /**
   * Hears the messages of a subject, in which whole tokens may be `*` and the last one `>`; with a queue one subscriber of
   * that queue hears each. What `onMessage` throws is told as an `error` event. Throws `PITH_BUS_TRANSPORT_CLOSED`, and
   * `PITH_BUS_BAD_MESSAGE` for a bad subject or queue.
   */
  subscribe(
    subject: string,
    onMessage: (message: LinkMessage) => void,
    options?: { readonly queue?: string },
  ): LinkSubscription;
  /** Resolves when the server has all that was published; rejects with `PITH_BUS_CONNECTION` without a connection. */
  flush(): Promise<void>;
  /** Hears what becomes of the connection; what a listener throws harms nobody. Returns how to stop. */
  on(listener: (event: LinkEvent) => void): () => void;
  /** Drains the subscriptions, sends what is published, then closes; idempotent. Ends at once without a connection. */
  close(): Promise<void>;
}

/** Takes the log lines of a link, with facts beside the message. */
export type LinkLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  facts: Readonly<Record<string, unknown>>,
) => void;

/** Which servers a link connects to, as whom, and how patient it is. */
export interface LinkOptions {
  /**
   * `nats://host:port`, `tls://…` (encrypted or not at all) or `host:port`; several in an array or parted by commas. May
   * carry `user:password@` or `token@`, which then go before the credentials below for that server.
   */
  readonly servers: string | readonly string[];
  /** The identity of this process, one subject token; random by default. */
  readonly name?: string;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** A file of credentials (JWT and seed). Like all files here read again at each connect. */
  readonly credsFile?: string;
  /** A file with the seed of a user nkey. */
  readonly nkeyFile?: string;
  /** Where it is given, also without files, the connection is encrypted or not made. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly log?: LinkLog;
  /** Milliseconds between two attempts at one server, up to half of it more at random; 250 by default. */
  readonly reconnectWaitMs?: number;
  /** Milliseconds between pings; a server that answers none of two is given up at the third. 10 000 by default. */
  readonly pingIntervalMs?: number;
  /** Milliseconds until an attempt to connect is given up; 5000 by default. */
  readonly connectTimeoutMs?: number;
}
