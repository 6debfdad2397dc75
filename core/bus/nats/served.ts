/** What a bus serves on one subject: who takes a request, and whether the server is asked for more (S4.1). */
import { PithError } from '../../errors';
import type { Job } from '../bus';
import type { AnyChannel } from '../call';
import { messageFault } from '../message';
import { cancelled } from '../refusals';
import { Responder } from '../responder';
import { Responders } from '../responders';
import { watchdog } from '../watchdog';
import { decode } from './envelope';
import { errorFrame, post } from './frames';
import type { LinkMessage, LinkSubscription } from './link-contract';
import { PlainCall } from './plain-call';
import { cancelledCall, readRequest } from './request-headers';
import type { RequestFacts } from './request-headers';
import { channelSubject, checkSubject } from './subjects';
import type { Wire } from './wire';
import type { Works } from './works';

/** The queue of channels that name no service. */
const QUEUE = 'pith';

export class Served {
  readonly #wire: Wire;
  readonly #works: Works;
  readonly subject: string;
  /** Its subject on the server, and the queue of those who serve it in other processes, too. */
  readonly from: string;
  readonly #queue: string;
  readonly #carriesJobs: boolean;
  #taking: Responders;
  /** Those that take what has arrived, and nothing more. */
  #leaving: Responders;
  #requests: LinkSubscription | undefined;
  #cancels: LinkSubscription | undefined;

  constructor(wire: Wire, works: Works, channel: AnyChannel) {
    const { subject, service = QUEUE, asks } = channel;
    this.#wire = wire;
    this.#works = works;
    this.subject = subject;
    this.from = channelSubject(wire.namespace, subject);
    this.#queue = service;
    this.#carriesJobs = asks !== undefined;
    this.#taking = new Responders(subject);
    this.#leaving = new Responders(subject);
  }

  /** Throws `PITH_BUS_TRANSPORT_CLOSED`. */
  add(responder: Responder): void {
    this.#taking.add(responder);
    if (this.#carriesJobs) this.#works.listen();
    else this.#cancels ??= this.#wire.link.subscribe(`${this.from}.cancel`, this.#cancel);
    void this.#adjust();
  }

  /** Takes nothing more; resolves when what was taken is over. */
  async retire(responder: Responder): Promise<void> {
    this.#taking.remove(responder);
    this.#leaving.add(responder);
    await this.#adjust();
    this.#leaving.remove(responder);
    await responder.drained();
    await this.#works.overBy(responder);
    if (!this.#taking.isEmpty || !this.#leaving.isEmpty) return;
    this.#cancels?.stop();
    this.#cancels = undefined;
  }

  /** Takes nothing more, also not what has arrived: another process may. */
  close(): void {
    this.#taking = new Responders(this.subject);
    this.#leaving = new Responders(this.subject);
  }

  /** There may be room where there was none, or the other way round. */
  readonly roomChanged = (): void => {
    try {
      void this.#adjust();
    } catch (thrown) {
      if (!PithError.is(thrown, 'PITH_BUS_TRANSPORT_CLOSED')) throw thrown; // then there is nothing to adjust
    }
  };

  /** Asks the server for requests as long as any responder takes them; resolves when what has arrived was handed over. */
  #adjust(): Promise<void> | undefined {
    const requests = this.#requests;
    if (this.#taking.takesAny) {
      this.#requests = requests ?? this.#wire.link.subscribe(this.from, this.#receive, { queue: this.#queue });
      return undefined;
    }
    this.#requests = undefined;
    return requests?.drain();
  }

  readonly #receive = (message: LinkMessage): void => {
    const { reply } = message;
    if (reply === undefined) return;
    try {
      this.#take(message, reply);
    } catch (thrown) {
      post(this.#wire.link, reply, errorFrame(thrown as PithError), this.subject);
    }
  };

  /** Throws why the request is not taken. */
  #take(message: LinkMessage, reply: string): void {
    checkSubject('reply', reply);
    const facts = readRequest(message, this.subject);
    if (this.#isJob(facts) && !this.#works.admits(facts.job)) return;
    const responder = this.#responderOf(facts.major);
    const body = decode(message.data, this.subject);
    const fault = messageFault(responder.channel.request, body, this.subject, 'request');
    if (fault !== undefined) throw fault;
    if (this.#isJob(facts)) this.#works.begin(responder, body, facts, reply);
    else responder.accept(new PlainCall(this.#wire, responder, body, facts, reply));
  }

  /** Whether a request is the offer of a job; throws `PITH_BUS_BAD_MESSAGE` for one that does not say of which. */
  #isJob(facts: RequestFacts): facts is RequestFacts & { readonly job: Job } {
    if (!this.#carriesJobs) return false;
    if (facts.job !== undefined) return true;
    const what = `"${this.subject}" takes jobs, and a request says of none which it is; send Pith-Job and Pith-Attempt.`;
    throw new PithError('PITH_BUS_BAD_MESSAGE', what, { details: { subject: this.subject } });
  }

  #responderOf(major: number): Responder {
    const taking = this.#taking.take(major);
    if (taking instanceof Responder) return taking;
    const leaving = this.#leaving.take(major);
    if (leaving instanceof Responder) return leaving;
    throw taking;
  }

  readonly #cancel = (message: LinkMessage): void => {
    const token = cancelledCall(message);
    if (token === undefined) return;
    for (const call of watchdog.watchedOf(this.#wire.host)) {
      const isIt = call instanceof PlainCall && call.token === token && call.channel.subject === this.subject;
      if (isIt) call.end(cancelled(this.subject, 'the requester gave it up'));
    }
  };
}
