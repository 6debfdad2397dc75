/** A request for one reply, as its responder has it (S4.1). */
import type { PithError } from '../../errors';
import type { AnyOptions } from '../call';
import { Call } from '../call';
import type { Responder } from '../responder';
import { encode } from './envelope';
import { bodyFrame, errorFrame, HEADER, post, send } from './frames';
import type { Frame } from './frames';
import type { RequestFacts } from './request-headers';
import type { Wire } from './wire';

/** Calls that are open, by the token with which they can be cancelled. */
export type OpenCalls = Map<string, Call>;

export class PlainCall extends Call {
  readonly #wire: Wire;
  readonly #to: string;

  /** `to` is where the reply is awaited; what the call comes to is sent there. */
  constructor(wire: Wire, responder: Responder, body: unknown, facts: RequestFacts, to: string, open: OpenCalls) {
    super(wire.host, responder, responder.channel, body, optionsOf(facts));
    this.#wire = wire;
    this.#to = to;
    const { call: token } = facts;
    const { subject } = this.channel;
    const finish = (frame: Frame): void => {
      if (token !== undefined) open.delete(token);
      post(wire.link, to, frame, subject);
    };
    if (token !== undefined) open.set(token, this);
    void this.reply.then(
      (reply) => finish(bodyFrame(reply, subject)),
      (error: PithError) => finish(errorFrame(error)),
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
