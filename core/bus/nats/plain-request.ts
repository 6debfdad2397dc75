/** A request for one reply, as its requester sees it (S4.1). */
import type { PithError } from '../../errors';
import { MadeCall } from '../call';
import type { Call, CallTaker } from '../call';
import { noResponder } from '../refusals';
import { decode } from './envelope';
import { EMPTY, errorOf, HEADER, post, send, statusOf } from './frames';
import type { Listener } from './inbox';
import type { LinkMessage } from './link-contract';
import { cancelHeaders, requestHeaders } from './request-headers';
import type { Outgoing, Wire } from './wire';

/** Sends a request; rejects as `Bus.request` does. */
export function sendPlainRequest(wire: Wire, outgoing: Outgoing): Promise<unknown> {
  return new PlainRequest(wire, outgoing).call.reply;
}

class PlainRequest implements CallTaker, Listener {
  readonly call: MadeCall;
  readonly to: string;
  readonly #wire: Wire;
  readonly #address: string;
  /** Whether nobody works on it any more, or ever has. */
  #isOver = false;

  constructor(wire: Wire, { to, channel, body, data, options }: Outgoing) {
    this.to = to;
    this.#wire = wire;
    this.#address = wire.inbox.open(this);
    this.call = new MadeCall(wire.host, this, channel, body, options);
    try {
      const headers = requestHeaders(channel, options, wire.inbox.tokenOf(this.#address));
      send(wire.link, to, { data, headers }, channel.subject, this.#address);
    } catch (thrown) {
      this.fail(thrown as PithError);
    }
  }

  hear(message: LinkMessage): void {
    const { subject } = this.call.channel;
    if (message.nobody) return this.fail(noResponder(subject));
    const status = statusOf(message);
    if (status !== undefined) return this.fail(errorOf(message, status, subject));
    try {
      const type = message.header(HEADER.type);
      if (type === 'progress') this.call.progress(decode(message.data, subject));
      else if (type === undefined) this.call.answer(decode(message.data, subject));
    } catch (thrown) {
      this.call.end(thrown as PithError);
    }
  }

  fail(error: PithError): void {
    this.#isOver = true;
    this.call.end(error);
  }

  settled(call: Call, error?: PithError): void {
    const { link, inbox } = this.#wire;
    inbox.close(this.#address);
    if (error === undefined || this.#isOver) return;
    post(
      link,
      `${this.to}.cancel`,
      { ...EMPTY, headers: cancelHeaders(inbox.tokenOf(this.#address)) },
      call.channel.subject,
    );
  }
}
