/** A worker on a simulated network: it does what the machine of a job wants, and writes down what happened. */
import { JobRegistry } from '../../../core/bus/nats/job-registry';
import type { OfferInput, Timings, WorkAction, WorkEnd, WorkInput } from '../../../core/bus/nats/job-machine';
import { WorkMachine } from '../../../core/bus/nats/work-machine';
import { stopped, TICK_MS } from './simulated-agent';
import type { Offer } from './simulated-agent';
import type { SimulatedNetwork, Station } from './simulated-network';

const JOB = 'job';

/** What the work does, one after the other; it ends when all its asks are answered. */
export type WorkStep =
  | { readonly do: 'ask' }
  /** Waits for the answers to all it has asked. */
  | { readonly do: 'await' }
  | { readonly do: 'progress' }
  | { readonly do: 'pause'; readonly ms: number };

export interface WorkScript {
  readonly steps: readonly WorkStep[];
  readonly fails: boolean;
}

/** One attempt at the job, as the worker sees it, and the work itself. */
export class Work {
  readonly startedAt: number;
  readonly overs: { readonly end: WorkEnd; readonly at: number }[] = [];
  readonly answers: { readonly ask: unknown; readonly answer: unknown }[] = [];
  readonly late: WorkAction[] = [];
  /** When it sent its reply. */
  finishedAt: number | undefined;
  readonly machine: WorkMachine;
  #step = 0;
  #asked = 0;
  #told = 0;
  #waits = false;

  constructor(
    readonly worker: SimulatedWorker,
    readonly offer: Offer,
  ) {
    const { deadlineMs, timings, network } = offer.agent;
    this.startedAt = network.now;
    this.machine = new WorkMachine(
      { heartbeatMs: timings.heartbeatMs, missed: Infinity, deadlineMs },
      worker.timings,
      network.now,
    );
  }

  get isWorking(): boolean {
    return !this.machine.isOver && this.finishedAt === undefined;
  }

  get reply(): string {
    return `${this.worker.station.name} ${String(this.offer.attempt)}`;
  }

  step(input: WorkInput): void {
    const wasOver = this.machine.isOver;
    const actions = this.machine.step(input, this.worker.network.now);
    if (wasOver) this.late.push(...actions);
    for (const action of actions) this.#perform(action);
  }

  /** Goes on with the script as far as it can. */
  proceed(): void {
    while (this.isWorking) {
      const { steps, fails } = this.worker.script;
      const step = steps[this.#step] ?? { do: 'await' };
      this.#waits = step.do === 'await' && this.answers.length < this.#asked;
      if (this.#waits) return;
      if (this.#step++ >= steps.length) {
        this.finishedAt = this.worker.network.now;
        return this.step(fails ? { type: 'failed', error: this.reply } : { type: 'finished', reply: this.reply });
      }
      if (step.do === 'pause') return this.worker.network.within(this.worker.station, step.ms, () => this.proceed());
      if (step.do === 'ask') this.step({ type: 'ask', ask: `${this.reply} #${String(++this.#asked)}` });
      if (step.do === 'progress') this.step({ type: 'progress', progress: ++this.#told });
    }
  }

  #perform(action: WorkAction): void {
    switch (action.type) {
      case 'heartbeat':
        return this.#request((to) => ({ type: 'heartbeat', to }), { type: 'heard' });
      case 'progress':
        return this.#send(action);
      case 'ask':
        return this.#request(
          (to) => ({ ...action, to }),
          (answer) => ({ type: 'answer', seq: action.seq, answer }),
        );
      case 'result':
      case 'error':
        return this.#request((to) => ({ ...action, to }), { type: 'acknowledged' });
      case 'answer':
        this.answers.push(action);
        return this.worker.network.within(this.worker.station, 0, () => {
          if (this.#waits) this.proceed();
        });
      case 'over':
        this.overs.push({ end: action.end, at: this.worker.network.now });
        return this.worker.jobs.end({ id: JOB, attempt: this.offer.attempt });
    }
  }

  #send(frame: OfferInput): void {
    this.worker.network.send(this.worker.station, this.offer.agent.station, () => this.offer.step(frame));
  }

  #request(frame: (to: string) => OfferInput, heard: WorkInput | ((body: unknown) => WorkInput)): void {
    const { network, station } = this.worker;
    const { agent } = this.offer;
    const to = agent.awaits(({ code, body }) =>
      network.send(agent.station, station, () => {
        if (code === 410) this.step({ type: 'gone' });
        if (code === 200) this.step(typeof heard === 'function' ? heard(body) : heard);
      }),
    );
    network.send(
      station,
      agent.station,
      () => this.offer.step(frame(to)),
      () => this.step({ type: 'nobody' }),
    );
  }
}

export class SimulatedWorker {
  readonly station: Station;
  readonly jobs = new JobRegistry<Work>();
  readonly works: Work[] = [];
  /** The most works that ran at once. */
  busiest = 0;

  constructor(
    readonly network: SimulatedNetwork,
    readonly timings: Timings,
    readonly script: WorkScript,
    name: string,
  ) {
    this.station = network.join(name);
    this.station.onReconnect = () => this.#tell({ type: 'reconnected' });
    this.#tick();
  }

  find(attempt: number): Work | undefined {
    return this.jobs.find({ id: JOB, attempt });
  }

  offered(offer: Offer): void {
    const job = { id: JOB, attempt: offer.attempt };
    if (!this.jobs.admits(job)) return;
    const work = new Work(this, offer);
    this.works.push(work);
    this.jobs.begin(job, work)?.step({ type: 'end', error: stopped });
    this.busiest = Math.max(this.busiest, this.works.filter(({ machine }) => !machine.isOver).length);
    const { heartbeatMs } = work.machine;
    this.network.send(this.station, offer.agent.station, () =>
      offer.step({ type: 'accepted', worker: this.station.name, heartbeatMs }),
    );
    work.proceed();
  }

  #tell(input: WorkInput): void {
    for (const work of this.jobs.all()) work.step(input);
  }

  #tick(): void {
    this.network.within(this.station, TICK_MS, () => {
      this.#tell({ type: 'tick' });
      this.#tick();
    });
  }
}
