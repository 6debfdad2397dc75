/** A subscription that outlives connections. */
import type { NatsConnection, Subscription } from 'nats';
import { isThenable } from '../thenable';
import { unlessAborted } from '../unless-aborted';
import type { LinkMessage, LinkSubscription } from './link-contract';
import { NatsMessage } from './link-message';

/** A connection that stands; the signal aborts when it does no more. */
export interface LiveConnection {
  readonly connection: NatsConnection;
  readonly lost: AbortSignal;
}

/** Whose subscription it is. */
export interface SubscriptionHost {
  /** It takes nothing new, and is not made again. */
  ended(subscription: NatsSubscription): void;
  /** Told what a handler of messages threw. */
  failed(subject: string, thrown: unknown): void;
}

export class NatsSubscription implements LinkSubscription {
  #made: { readonly live: LiveConnection; readonly subscription: Subscription } | undefined;
  #drained: Promise<void> | undefined;

  constructor(
    private readonly host: SubscriptionHost,
    private readonly subject: string,
    private readonly queue: string | undefined,
    private readonly onMessage: (message: LinkMessage) => void,
  ) {}

  /** Makes it on a connection. */
  make(live: LiveConnection): void {
    if (live.connection.isClosed()) return;
    const { subject, queue, onMessage } = this;
    const fail = (thrown: unknown): void => this.host.failed(subject, thrown);
    // A throw here would end the reading of the whole connection, and nobody would be told.
    const callback = (error: unknown, message: ConstructorParameters<typeof NatsMessage>[0]): void => {
      if (error !== null) return; // denied, which the connection tells
      try {
        const outcome: unknown = onMessage(new NatsMessage(message));
        if (isThenable(outcome)) outcome.then(undefined, fail);
      } catch (thrown) {
        fail(thrown);
      }
    };
    const options = queue === undefined ? { callback } : { callback, queue };
    this.#made = { live, subscription: live.connection.subscribe(subject, options) };
  }

  drain(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  stop(): void {
    this.host.ended(this);
    this.#made?.subscription.unsubscribe();
  }

  async #drain(): Promise<void> {
    this.host.ended(this);
    const made = this.#made;
    if (made === undefined) return;
    // Where the connection ends, or the server has refused the subscription, nothing more arrives.
    await unlessAborted(made.live.lost, () => made.subscription.drain()).catch(() => undefined);
  }
}
