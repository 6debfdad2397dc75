/** A job as its requester sees it: does what its machine wants done, and tells it what happens (S11). */
import { PithError } from '../../errors';
import type { Job } from '../bus';
import { MadeCall } from '../call';
import type { Call, CallTaker } from '../call';
import { noResponder } from '../refusals';
import { decode, encode, fieldsOf } from './envelope';
import { EMPTY, errorFrame, post, send, statusOf } from './frames';
import type { Frame } from './frames';
import type { Listener } from './inbox';
import type { OfferAction, OfferInput, Outcome } from './job-machine';
import type { LinkMessage } from './link-contract';
import { OfferMachine } from './offer-machine';
import type { Beating } from './pulse';
import { paceHeaders, requestHeaders } from './request-headers';
import { controlSubject } from './subjects';
import { readFrame } from './worker-frames';
import type { Outgoing, Wire } from './wire';

/** Offers a job; rejects as `Bus.request` does. */
export function offerJob(wire: Wire, outgoing: Outgoing): Promise<unknown> {
  return new Offer(wire, outgoing).call.reply;
}

class Offer implements CallTaker, Listener, Beating {
  readonly call: MadeCall;
  readonly to: string;
  readonly #wire: Wire;
  readonly #address: string;
  readonly #machine: OfferMachine;
  /** Where the open probe is answered. */
  #probe = '';

  constructor(wire: Wire, { to, channel, body, data, options }: Outgoing) {
    const { link, inbox, host, pulse, timings } = wire;
    this.to = to;
    this.#wire = wire;
    this.#address = inbox.open(this);
    this.#machine = new OfferMachine(options.deadlineMs, timings, pulse.now);
    this.call = new MadeCall(host, this, channel, body, options);
    pulse.follow(this);
    try {
      const headers = requestHeaders(channel, options, inbox.tokenOf(this.#address), this.call.job);
      const frame = { data, headers: [...headers, ...paceHeaders(timings)] };
      send(link, to, frame, channel.subject, this.#address);
    } catch (thrown) {
      this.fail(thrown as PithError);
    }
  }

  hear(message: LinkMessage): void {
    const { subject } = this.call.channel;
    const input = readFrame(message, subject);
    if (input !== undefined) this.#tell(input);
    else post(this.#wire.link, message.reply, MALFORMED, subject);
  }

  fail(error: PithError): void {
    this.#tell({ type: 'end', error });
  }

  settled(_: Call, error?: PithError): void {
    if (error !== undefined) this.fail(error);
  }

  tick(): void {
    this.#tell({ type: 'tick' });
  }

  reconnected(): void {
    this.#tell({ type: 'reconnected' });
  }

  #tell(input: OfferInput): void {
    for (const action of this.#machine.step(input, this.#wire.pulse.now)) this.#do(action);
  }

  #do(action: OfferAction): void {
    const { link } = this.#wire;
    const { subject } = this.call.channel;
    switch (action.type) {
      case 'settle':
        return this.#settle(action.outcome);
      case 'acknowledge':
        return post(link, action.to, EMPTY, subject);
      case 'deny':
        return post(link, action.to, DENIALS[action.code], subject);
      case 'execute':
        return void this.#execute(action.seq, action.ask as Uint8Array);
      case 'answer':
        return post(link, action.to, action.answer as Frame, subject);
      case 'progress':
        return this.#read(action.progress, (progress) => this.call.progress(progress));
      case 'probe':
        return this.#ask(action.worker);
      case 'cancel':
        return post(link, this.#control(action.worker, 'cancel'), this.#aboutJob(), subject);
    }
  }

  #settle(outcome: Outcome): void {
    const { inbox, pulse } = this.#wire;
    const { channel, job } = this.call;
    inbox.close(this.#address);
    inbox.close(this.#probe);
    pulse.leave(this);
    switch (outcome.type) {
      case 'done':
        return this.#read(outcome.reply, (reply) => this.call.answer(reply));
      case 'failed':
        return this.call.end(outcome.error as PithError);
      case 'nobody':
        return this.call.end(noResponder(channel.subject, outcome.busy ? { busy: true } : {}));
      case 'lost':
        return this.call.end(lost(channel.subject, job, outcome));
      case 'timeout':
        return this.call.expire();
      case 'ended':
        return this.call.end(outcome.error);
    }
  }

  /** Does an ask. The answer is kept as it crosses, so that it is the same whenever it is repeated. */
  async #execute(seq: number, data: Uint8Array): Promise<void> {
    const { subject } = this.call.channel;
    let answer: Frame;
    try {
      answer = { data: encode(await this.call.ask(decode(data, subject)), subject) };
    } catch (thrown) {
      answer = errorFrame(thrown as PithError);
    }
    this.#tell({ type: 'answered', seq, answer });
  }

  /** Hands over what the worker sent; what is no JSON ends the request. */
  #read(data: unknown, hand: (body: unknown) => void): void {
    try {
      hand(decode(data as Uint8Array, this.call.channel.subject));
    } catch (thrown) {
      this.call.end(thrown as PithError);
    }
  }

  /** Asks the worker whether it knows the job; an earlier probe is given up. */
  #ask(worker: string): void {
    const { link, inbox } = this.#wire;
    const { subject } = this.call.channel;
    const to = this.#control(worker, 'probe');
    inbox.close(this.#probe);
    this.#probe = inbox.open({
      to,
      hear: (message) => {
        const found = foundBy(message, subject);
        if (found !== undefined) this.#tell({ type: 'probed', found });
      },
      fail: () => undefined,
    });
    post(link, to, this.#aboutJob(), subject, this.#probe);
  }

  #control(worker: string, verb: 'cancel' | 'probe'): string {
    return controlSubject(this.#wire.namespace, worker, verb);
  }

  #aboutJob(): Frame {
    const { id, attempt } = this.call.job;
    return { data: Buffer.from(JSON.stringify({ job: id, attempt })) };
  }
}

function foundBy(message: LinkMessage, subject: string): 'known' | 'unknown' | 'nobody' | undefined {
  if (message.nobody) return 'nobody';
  if (statusOf(message) !== undefined) return undefined;
  const { known } = fieldsOf(message, subject);
  return typeof known !== 'boolean' ? undefined : known ? 'known' : 'unknown';
}

type Denial = Extract<OfferAction, { type: 'deny' }>['code'];

const DENIALS: Readonly<Record<Denial, Frame>> = {
  410: errorFrame(new PithError('PITH_BUS_TRANSPORT_CLOSED', 'The job is over.')),
  422: errorFrame(new PithError('PITH_BUS_BAD_MESSAGE', 'This ask is older than the answers that are kept.')),
  429: errorFrame(new PithError('PITH_BUS_NO_RESPONDER', 'Too many asks are open; ask again.')),
};

const MALFORMED = errorFrame(new PithError('PITH_BUS_BAD_MESSAGE', 'This is no frame of a job.'));

/** What a lost worker was known by. */
const SIGNS: Readonly<Record<Extract<Outcome, { type: 'lost' }>['sign'], string>> = {
  silent: 'is not heard any more',
  nobody: 'has left the server',
  unknown: 'does not know it any more',
};

function lost(subject: string, { id, attempt }: Job, { stage, sign }: Extract<Outcome, { type: 'lost' }>): PithError {
  const job = `the job "${id}" of "${subject}"`;
  const message = stage === 'offered' ? `Nobody has taken ${job} in time.` : `Whoever had taken ${job} ${SIGNS[sign]}.`;
  return new PithError('PITH_BUS_RESPONDER_LOST', message, {
    details: { subject, job: id, attempt, stage, sign },
  });
}
