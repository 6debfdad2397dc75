/** The connection of a process to its NATS servers: made in the background, kept for ever, used by the transport above it. */
import type * as Nats from 'nats';
import { messageOf, PithError } from '../../errors';
import { unlessAborted } from '../unless-aborted';
import { within } from '../watchdog';
import { ConnectionLoop } from './connection-loop';
import { readCredentials } from './credentials';
import { encodeHeaders } from './encoded-headers';
import type { Link, LinkEvent, LinkMessage, LinkOptions, LinkPublishOptions, LinkSubscription } from './link-contract';
import { LinkEvents } from './link-events';
import { NatsSubscription } from './link-subscription';
import type { LiveConnection, SubscriptionHost } from './link-subscription';
import { linkSettings } from './link-settings';
import type { LinkSettings } from './link-settings';
import { checkPattern, checkSubject, checkToken, randomToken } from './subjects';

export type * from './link-contract';

/** What a server takes until it has told. */
const USUAL_PAYLOAD = 1024 * 1024;

/**
 * Opens a link. Loads `nats`, checks the settings and their files, and resolves at once: it connects in the background, and
 * again for ever. Throws `PITH_BUS_SETTINGS`.
 */
export async function openLink(options: LinkOptions): Promise<Link> {
  const settings = linkSettings(options);
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- import() would start the ESM loader for what is CommonJS
  const nats = require('nats') as typeof Nats;
  await readCredentials(nats, settings);
  return new NatsLink(nats, settings);
}

/** Resolves when a link is connected; rejects with `PITH_BUS_TRANSPORT_CLOSED` when it is closed before. */
export function connected(link: Link): Promise<void> {
  return new Promise((resolve, reject) => {
    if (link.isConnected) return resolve();
    if (link.isClosed) return reject(linkClosed(link.name));
    const stop = link.on(({ type }) => {
      if (type === 'connected' || type === 'reconnected') resolve();
      else if (type === 'closed') reject(linkClosed(link.name));
      else return;
      stop();
    });
  });
}

class NatsLink implements Link {
  readonly name: string;
  readonly inbox: string;
  readonly #settings: LinkSettings;
  readonly #events: LinkEvents;
  readonly #loop: ConnectionLoop;
  readonly #subscriptions = new Set<NatsSubscription>();
  #live: (LiveConnection & { readonly ended: AbortController }) | undefined;
  #connectedOnce = false;
  #maxPayload = USUAL_PAYLOAD;
  /** The subject checked last: the next message is mostly for the same. */
  #checked: string | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(nats: typeof Nats, settings: LinkSettings) {
    this.name = settings.name;
    this.inbox = `_INBOX.${settings.name}.${randomToken()}`;
    this.#settings = settings;
    this.#events = new LinkEvents(settings.log, settings.name);
    this.#loop = new ConnectionLoop(nats, settings, {
      up: (connection, server) => this.#up(connection, server),
      down: (server, why) => this.#down(server, why),
      failed: (error) => this.#events.emit({ type: 'error', error }),
      denied: (operation, subject) => this.#events.emit({ type: 'denied', operation, subject }),
      lameDuck: (server) => this.#events.emit({ type: 'lame-duck', server }),
    });
    void this.#loop.run();
  }

  get isConnected(): boolean {
    return this.#live !== undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get maxPayload(): number {
    return this.#live?.connection.info?.max_payload ?? this.#maxPayload;
  }

  publish(subject: string, data: Uint8Array, { reply, headers }: LinkPublishOptions = {}): void {
    if (this.#isClosed) throw linkClosed(this.name);
    if (subject !== this.#checked) {
      checkSubject('subject', subject);
      this.#checked = subject;
    }
    if (reply !== undefined) checkSubject('reply', reply);
    const encoded = headers === undefined ? undefined : encodeHeaders(headers);
    const bytes = data.length + (encoded?.length ?? 0);
    if (bytes > this.maxPayload) throw tooLarge(subject, bytes, this.maxPayload);
    const connection = this.#live?.connection;
    if (connection === undefined || connection.isClosed()) return;
    connection.publish(subject, data, { reply, headers: encoded } as Nats.PublishOptions);
  }

  subscribe(
    subject: string,
    onMessage: (message: LinkMessage) => void,
    { queue }: { readonly queue?: string } = {},
  ): LinkSubscription {
    if (this.#closing !== undefined) throw linkClosed(this.name);
    checkPattern(subject);
    if (queue !== undefined) checkToken('queue', queue);
    const subscription = new NatsSubscription(this.#host, subject, queue, onMessage);
    this.#subscriptions.add(subscription);
    if (this.#live !== undefined) subscription.make(this.#live);
    return subscription;
  }

  async flush(): Promise<void> {
    if (this.#isClosed) throw linkClosed(this.name);
    const live = this.#live;
    if (live === undefined || live.connection.isClosed()) {
      throw new PithError('PITH_BUS_CONNECTION', 'There is no connection to a NATS server now.', {
        details: { link: this.name, reason: 'NOT_CONNECTED' },
      });
    }
    await unlessAborted(live.lost, () => live.connection.flush());
  }

  on(listener: (event: LinkEvent) => void): () => void {
    return this.#events.on(listener);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const ended = this.#live?.ended;
    if (ended !== undefined) await this.#drained();
    this.#isClosed = true;
    await this.#loop.stop();
    ended?.abort(linkClosed(this.name));
    this.#live = undefined;
    this.#subscriptions.clear();
    this.#events.emit({ type: 'closed' });
  }

  /** A server that does not answer is not waited for longer than one that does not let us in. */
  async #drained(): Promise<void> {
    const { connectTimeoutMs } = this.#settings;
    try {
      await within(
        connectTimeoutMs,
        async () => {
          await Promise.all([...this.#subscriptions].map((subscription) => subscription.drain()));
          await this.flush();
        },
        () => new PithError('PITH_BUS_TIMEOUT', `the server did not answer within ${String(connectTimeoutMs)} ms`),
      );
    } catch (thrown) {
      this.#events.write('warn', `closed before all was sent: ${messageOf(thrown)}`, {});
    }
  }

  #up(connection: Nats.NatsConnection, server: string): void {
    const ended = new AbortController();
    this.#maxPayload = connection.info?.max_payload ?? USUAL_PAYLOAD;
    this.#live = { connection, ended, lost: ended.signal };
    for (const subscription of this.#subscriptions) subscription.make(this.#live);
    const type = this.#connectedOnce ? 'reconnected' : 'connected';
    this.#connectedOnce = true;
    this.#events.emit({ type, server });
  }

  #down(server: string, why: PithError): void {
    this.#live?.ended.abort(why);
    this.#live = undefined;
    this.#events.emit({ type: 'disconnected', server }, { why: why.message });
  }

  readonly #host: SubscriptionHost = {
    ended: (subscription) => void this.#subscriptions.delete(subscription),
    failed: (subject, thrown) => {
      const what = `A handler of messages to "${subject}" failed: ${messageOf(thrown)}`;
      const error = new PithError('PITH_BUS_REJECTED', what, { cause: thrown, details: { subject } });
      this.#events.emit({ type: 'error', error });
    },
  };
}

function tooLarge(subject: string, bytes: number, maxBytes: number): PithError {
  return new PithError(
    'PITH_BUS_TOO_LARGE',
    `A message to "${subject}" is ${String(bytes)} bytes with its headers; the server takes ${String(maxBytes)}.`,
    { details: { subject, bytes, maxBytes } },
  );
}

function linkClosed(name: string): PithError {
  return new PithError('PITH_BUS_TRANSPORT_CLOSED', `The connection "${name}" to NATS was closed.`, {
    details: { link: name },
  });
}
