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

interface Waiting {
  readonly subject: string;
  readonly listener: Listener;
}

export class Inbox {
  readonly #link: Link;
  readonly #pattern: string;
  /**
   * What waits, at the place that its subject names; places are used again. A map whose entries come and go all the time
   * would leave a chain of old tables behind, with all that was ever in them, which only a full garbage collection ends.
   */
  readonly #waiting: (Waiting | undefined)[] = [];
  readonly #free: number[] = [];
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
    const place = this.#free.pop() ?? this.#waiting.length;
    const subject = `${this.#link.inbox}.${String(place)}_${randomToken()}`;
    this.#waiting[place] = { subject, listener };
    return subject;
  }

  /** The last token of such a subject. */
  tokenOf(subject: string): string {
    return subject.slice(this.#link.inbox.length + 1);
  }

  /** What is sent there from now on is answered with 410, where an answer is awaited. */
  close(subject: string): void {
    const place = this.#placeOf(subject);
    if (this.#waiting[place]?.subject !== subject) return;
    this.#waiting[place] = undefined;
    this.#free.push(place);
  }

  /** Ends what waits for a subject that the server denies, or all of it where that is the inbox. */
  denied(subject: string): void {
    const isInbox = subject === this.#pattern;
    const error = isInbox ? inboxDenied(this.#link, subject) : denied(subject);
    if (isInbox) this.#denial = error;
    for (const waiting of [...this.#waiting]) {
      if (waiting !== undefined && (isInbox || waiting.listener.to === subject)) waiting.listener.fail(error);
    }
  }

  /** The server may permit what another has denied. */
  reconnected(): void {
    this.#denial = undefined;
  }

  readonly #hear = (message: LinkMessage): void => {
    const { subject } = message;
    const waiting = this.#waiting[this.#placeOf(subject)];
    if (waiting?.subject === subject) waiting.listener.hear(message);
    else post(this.#link, message.reply, GONE, subject);
  };

  #placeOf(subject: string): number {
    return Number.parseInt(this.tokenOf(subject), 10);
  }
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

/** The server does not let a connection hear its inbox: mostly the permissions of its user are for another name. */
export function inboxDenied({ name }: Pick<Link, 'name'>, subject: string): PithError {
  return new PithError(
    'PITH_BUS_DENIED',
    `The server does not permit to hear "_INBOX.${name}.>", the inbox of this connection by its name "${name}"; give it the name that the permissions of its user are for, with --name or name of [transport].`,
    { details: { subject, name } },
  );
}
