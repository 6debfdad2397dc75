/** A request for one reply, as its responder has it (S4.1). */
import type { PithError } from '../../errors';
import type { AnyOptions } from '../call';
import { Call } from '../call';
import type { Responder } from '../responder';
import { encode } from './envelope';
import { bodyFrame, errorFrame, HEADER, post, send } from './frames';
import type { RequestFacts } from './request-headers';
import type { Wire } from './wire';

export class PlainCall extends Call {
  /** By which its requester can cancel it. */
  readonly token: string | undefined;
  readonly #wire: Wire;
  readonly #to: string;

  /** `to` is where the reply is awaited; what the call comes to is sent there. */
  constructor(wire: Wire, responder: Responder, body: unknown, facts: RequestFacts, to: string) {
    super(wire.host, responder, responder.channel, body, optionsOf(facts));
    this.token = facts.call;
    this.#wire = wire;
    this.#to = to;
  }

  protected replied(reply: unknown): void {
    const { subject } = this.channel;
    post(this.#wire.link, this.#to, bodyFrame(reply, subject), subject);
  }

  protected failed(error: PithError): void {
    post(this.#wire.link, this.#to, errorFrame(error), this.channel.subject);
  }

  protected override tell(progress: unknown): void {
    const { subject } = this.channel;
    try {
      send(this.#wire.link, this.#to, { data: encode(progress, subject), headers: PROGRESS }, subject);
    } catch (thrown) {
      this.end(thrown as PithError);
    }
  }
}

const PROGRESS = [[HEADER.type, 'progress']] as const;

/** What the facts of a request are to a call. */
export function optionsOf({ deadlineMs, job, trace }: RequestFacts): AnyOptions {
  return { deadlineMs, ...(job && { job }), ...(trace && { trace }) };
}
