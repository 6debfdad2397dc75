/** An agent on a simulated network: it does what the machine of an offer wants, and writes down what happened. */
import type { OfferAction, OfferInput, Outcome, Timings } from '../../../core/bus/nats/job-machine';
import { OfferMachine } from '../../../core/bus/nats/offer-machine';
import { PithError } from '../../../core/errors';
import type { SimulatedNetwork, Station } from './simulated-network';
import type { SimulatedWorker } from './simulated-worker';

/** Milliseconds between two ticks of a process. */
export const TICK_MS = 50;
/** Why anything ends that the simulation ends. */
export const stopped = new PithError('PITH_BUS_CANCELLED', 'Ended by the simulation.');

interface Answer {
  readonly code: 200 | 410 | 422 | 429;
  readonly body?: unknown;
}

/** One attempt at the job, as the agent sees it. */
export class Offer {
  readonly settled: { readonly outcome: Outcome; readonly at: number }[] = [];
  /** Numbers of the asks that were done. */
  readonly executed: number[] = [];
  readonly progress: number[] = [];
  readonly denials: number[] = [];
  /** What the machine still wanted when it was over. */
  readonly late: OfferAction[] = [];
  readonly machine: OfferMachine;
  readonly at: number;

  constructor(
    readonly agent: SimulatedAgent,
    readonly attempt: number,
  ) {
    this.at = agent.network.now;
    this.machine = new OfferMachine(agent.deadlineMs, agent.timings, this.at);
  }

  step(input: OfferInput): void {
    const wasOver = this.machine.isOver;
    const actions = this.machine.step(input, this.agent.network.now);
    if (wasOver) this.late.push(...actions);
    for (const action of actions) this.agent.perform(this, action);
  }
}

export class SimulatedAgent {
  readonly station: Station;
  readonly offers: Offer[] = [];
  readonly workers: SimulatedWorker[] = [];
  readonly #waiting = new Map<string, (answer: Answer) => void>();

  constructor(
    readonly network: SimulatedNetwork,
    readonly timings: Timings,
    readonly deadlineMs: number,
  ) {
    this.station = network.join('agent');
    this.station.onReconnect = () => this.tell({ type: 'reconnected' });
    this.#tick();
  }

  /** Offers the job to the workers in turn. */
  offer(): void {
    const offer = new Offer(this, this.offers.length + 1);
    this.offers.push(offer);
    const there = this.workers.filter(({ station }) => station.isThere);
    const worker = there[(offer.attempt - 1) % there.length];
    this.network.send(
      this.station,
      worker?.station,
      () => worker?.offered(offer),
      () => offer.step({ type: 'nobody' }),
    );
  }

  cancel(): void {
    if (!this.station.isKilled) this.tell({ type: 'end', error: stopped });
  }

  tell(input: OfferInput): void {
    for (const offer of this.offers) offer.step(input);
  }

  /** Remembers who waits for an answer; returns where to send it. */
  awaits(answered: (answer: Answer) => void): string {
    const to = `inbox.${String(this.#waiting.size)}`;
    this.#waiting.set(to, answered);
    return to;
  }

  perform(offer: Offer, action: OfferAction): void {
    switch (action.type) {
      case 'settle':
        offer.settled.push({ outcome: action.outcome, at: this.network.now });
        if (action.outcome.type === 'lost' && this.offers.length === 1) this.offer();
        break;
      case 'acknowledge':
        this.#answer(action.to, { code: 200 });
        break;
      case 'answer':
        this.#answer(action.to, { code: 200, body: action.answer });
        break;
      case 'deny':
        offer.denials.push(action.code);
        this.#answer(action.to, { code: action.code });
        break;
      case 'execute':
        offer.executed.push(action.seq);
        this.network.within(this.station, this.network.nextFate()[0] ?? 1, () =>
          offer.step({ type: 'answered', seq: action.seq, answer: answerTo(action.ask) }),
        );
        break;
      case 'progress':
        offer.progress.push(action.progress as number);
        break;
      case 'cancel':
        this.#control(action.worker, (worker) => worker.find(offer.attempt)?.step({ type: 'end', error: stopped }));
        break;
      case 'probe':
        this.#control(
          action.worker,
          (worker) => {
            const found = worker.find(offer.attempt) === undefined ? 'unknown' : 'known';
            this.network.send(worker.station, this.station, () => offer.step({ type: 'probed', found }));
          },
          () => offer.step({ type: 'probed', found: 'nobody' }),
        );
        break;
    }
  }

  #answer(to: string | undefined, answer: Answer): void {
    if (to !== undefined) this.#waiting.get(to)?.(answer);
  }

  #control(name: string, arrive: (worker: SimulatedWorker) => void, nobody?: () => void): void {
    const worker = this.workers.find(({ station }) => station.name === name) as SimulatedWorker;
    this.network.send(this.station, worker.station, () => arrive(worker), nobody);
  }

  #tick(): void {
    this.network.within(this.station, TICK_MS, () => {
      this.tell({ type: 'tick' });
      this.#tick();
    });
  }
}

/** An answer that tells which ask it is to. */
export function answerTo(ask: unknown): string {
  return `answer to ${String(ask)}`;
}
