/** The jobs that one process works on, and how their requesters reach it (S11). */
import type { Job } from '../bus';
import { cancelled, transportClosed } from '../refusals';
import type { Responder } from '../responder';
import { fieldsOf } from './envelope';
import { post } from './frames';
import { JobRegistry } from './job-registry';
import type { LinkMessage } from './link-contract';
import type { RequestFacts } from './request-headers';
import { controlSubject } from './subjects';
import { Work } from './work';
import type { Wire } from './wire';

export class Works {
  readonly #wire: Wire;
  readonly #registry = new JobRegistry<Work>();
  #isListening = false;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Hears cancels and probes from now on. Throws `PITH_BUS_TRANSPORT_CLOSED`. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const { link, namespace } = this.#wire;
    link.subscribe(controlSubject(namespace, link.name, 'cancel'), (message) => this.#cancel(message));
    link.subscribe(controlSubject(namespace, link.name, 'probe'), (message) => this.#probe(message));
  }

  /** Whether an offer is news. */
  admits(job: Job): boolean {
    return this.#registry.admits(job);
  }

  /** Accepts an admitted job, in place of an earlier attempt at it. */
  begin(responder: Responder, body: unknown, facts: RequestFacts & { readonly job: Job }, to: string): void {
    const { job } = facts;
    const work = new Work(this.#wire, responder, body, facts, to, () => this.#registry.end(job));
    const earlier = this.#registry.begin(job, work);
    earlier?.abandon(cancelled(responder.channel.subject, `attempt ${String(job.attempt)} has come`));
    responder.accept(work);
  }

  /** Resolves when what a responder has taken is over, its replies acknowledged. */
  async overBy(responder: Responder): Promise<void> {
    const works = this.#registry.all().filter(({ taker }) => taker === responder);
    await Promise.all(works.map(({ over }) => over));
  }

  /** Gives up what is not over. */
  close(): void {
    for (const work of this.#registry.all()) work.abandon(transportClosed(work.channel.subject));
  }

  #cancel(message: LinkMessage): void {
    const work = this.#find(message);
    work?.abandon(cancelled(work.channel.subject, 'the requester gave it up'));
  }

  #probe(message: LinkMessage): void {
    const known = this.#find(message) !== undefined;
    post(this.#wire.link, message.reply, { data: Buffer.from(JSON.stringify({ known })) }, message.subject);
  }

  #find(message: LinkMessage): Work | undefined {
    const { job, attempt } = fieldsOf(message, message.subject);
    return typeof job === 'string' && typeof attempt === 'number'
      ? this.#registry.find({ id: job, attempt })
      : undefined;
  }
}
