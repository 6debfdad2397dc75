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
  readonly #wire: Wire;
  readonly #to: string;

  /** `to` is where the reply is awaited; what the call comes to is sent there. */
  constructor(wire: Wire, responder: Responder, body: unknown, facts: RequestFacts, to: string) {
    super(wire.host, responder, responder.channel, body, optionsOf(facts));
    this.#wire = wire;
    this.#to = to;
    const { subject } = this.channel;
    void this.reply.then(
      (reply) => post(wire.link, to, bodyFrame(reply, subject), subject),
      (error: PithError) => post(wire.link, to, errorFrame(error), subject),
    );
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
