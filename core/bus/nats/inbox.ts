/** Where all is answered that this process has asked: one subscription, whatever waits. */
import { PithError } from '../../errors';
import { errorFrame, post } from './frames';
import type { Link, LinkMessage } from './link-contract';
import { randomToken } from './subjects';

/** What has asked something and waits for messages at a subject of its own. */
export interface Listener {
  /** The subject it has asked. */
  readonly to: string;
  hear(message: LinkMessage): void;
  /** The server does not permit that it is heard, or answered. */
  fail(error: PithError): void;
}

export class Inbox {
  readonly #link: Link;
  readonly #pattern: string;
  readonly #listeners = new Map<string, Listener>();
  #isOpen = false;
  #denial: PithError | undefined;

  constructor(link: Link) {
    this.#link = link;
    this.#pattern = `${link.inbox}.*`;
  }

  /**
   * Where the listener is answered from now on. Throws `PITH_BUS_TRANSPORT_CLOSED`, and `PITH_BUS_DENIED` where the server does
   * not let the inbox be heard.
   */
  open(listener: Listener): string {
    if (this.#denial !== undefined) throw this.#denial;
    if (!this.#isOpen) this.#link.subscribe(this.#pattern, this.#hear);
    this.#isOpen = true;
    const subject = `${this.#link.inbox}.${randomToken()}`;
    this.#listeners.set(subject, listener);
    return subject;
  }

  /** The last token of such a subject. */
  tokenOf(subject: string): string {
    return subject.slice(this.#link.inbox.length + 1);
  }

  /** What is sent there from now on is answered with 410, where an answer is awaited. */
  close(subject: string): void {
    this.#listeners.delete(subject);
  }

  /** Ends what waits for a subject that the server denies, or all of it where that is the inbox. */
  denied(subject: string): void {
    const error = denied(subject);
    const isInbox = subject === this.#pattern;
    if (isInbox) this.#denial = error;
    for (const listener of [...this.#listeners.values()]) if (isInbox || listener.to === subject) listener.fail(error);
  }

  /** The server may permit what another has denied. */
  reconnected(): void {
    this.#denial = undefined;
  }

  readonly #hear = (message: LinkMessage): void => {
    const listener = this.#listeners.get(message.subject);
    if (listener !== undefined) listener.hear(message);
    else post(this.#link, message.reply, GONE, message.subject);
  };
}

const GONE = errorFrame(
  new PithError('PITH_BUS_TRANSPORT_CLOSED', 'Nobody waits for this any more: the request is over.'),
);

/** The server does not permit to publish or subscribe to a subject. */
export function denied(subject: string): PithError {
  return new PithError(
    'PITH_BUS_DENIED',
    `The server does not permit to publish or subscribe to "${subject}"; compare the permissions of its user.`,
    { details: { subject } },
  );
}
