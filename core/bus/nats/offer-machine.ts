/**
 * A job as the agent sees it that has offered it (S11): offered → accepted → over. Pure: it does nothing itself, knows no
 * clock, and the same inputs give the same actions.
 *
 * - Any frame of the worker is a sign of life and takes the offer; only `accepted` gives the worker a name. Without a frame
 *   within `acceptMs` the job is lost; `nobody` and `busy` count only before the first one.
 * - The pace is the worker's `heartbeatMs`, at most the own. Silent for more than 1.5 heartbeats, a worker with a name is
 *   probed, every `probeMs`. That it knows the job is a sign of life; that it does not, or that nobody is there, ends the job
 *   at once. Silent for `missed` heartbeats, the worker is lost and told to stop.
 * - Who has just reconnected believes no "nobody is there" for `acceptMs`: the other side may be about to do so.
 * - Asks are done once and their answers repeated, see {@link AskLedger}. Progress is handed over in rising order; what comes
 *   late or again is dropped.
 * - A result or error is acknowledged and settles the job. A deadline, or an end from this side, settles it and tells the
 *   worker to stop. Whatever settles it, asks that still wait are denied with 410.
 * - A second worker that accepts is told to stop.
 * - When it is over it answers what wants an answer with 410, and is silent otherwise.
 */
import { AskLedger } from './ask-ledger';
import type { OfferAction, OfferInput, Outcome, Timings } from './job-machine';

/** Silence in heartbeats after which a worker is probed. */
const PROBE_AFTER = 1.5;

export class OfferMachine {
  readonly #timings: Timings;
  readonly #offeredAt: number;
  readonly #deadlineAt: number;
  readonly #asks = new AskLedger();
  #stage: 'offered' | 'accepted' | 'over' = 'offered';
  #worker: string | undefined;
  #heartbeatMs: number;
  #heardAt: number;
  #probedAt = -Infinity;
  #trustedFrom = -Infinity;
  #progress = 0;

  /** Made when the offer is sent; `deadlineMs` from then on, Infinity for none. */
  constructor(deadlineMs: number, timings: Timings, now: number) {
    this.#timings = timings;
    this.#offeredAt = now;
    this.#deadlineAt = now + deadlineMs;
    this.#heartbeatMs = timings.heartbeatMs;
    this.#heardAt = now;
  }

  get isOver(): boolean {
    return this.#stage === 'over';
  }

  /** What is to be done about an input, in this order. */
  step(input: OfferInput, now: number): readonly OfferAction[] {
    if (this.isOver) return 'to' in input ? [{ type: 'deny', code: 410, to: input.to }] : [];
    switch (input.type) {
      case 'tick':
        return this.#tick(now);
      case 'nobody':
      case 'busy':
        return this.#stage === 'offered' ? this.#settle({ type: 'nobody', busy: input.type === 'busy' }) : [];
      case 'probed':
        return this.#probed(input.found, now);
      case 'answered':
        return this.#asks.answered(input.seq, input.answer);
      case 'end':
        return this.#stop({ type: 'ended', error: input.error });
      case 'reconnected':
        this.#trustedFrom = now + this.#timings.acceptMs;
        return [];
      default:
        this.#stage = 'accepted';
        this.#heardAt = now;
        return this.#frame(input);
    }
  }

  #frame(
    input: Extract<OfferInput, { type: 'accepted' | 'heartbeat' | 'progress' | 'ask' | 'result' | 'error' }>,
  ): readonly OfferAction[] {
    switch (input.type) {
      case 'accepted':
        return this.#accepted(input.worker, input.heartbeatMs);
      case 'heartbeat':
        return [{ type: 'acknowledge', to: input.to }];
      case 'progress':
        if (input.seq <= this.#progress) return [];
        this.#progress = input.seq;
        return [{ type: 'progress', progress: input.progress }];
      case 'ask':
        return this.#asks.ask(input.seq, input.ask, input.to);
      case 'result':
        return [{ type: 'acknowledge', to: input.to }, ...this.#settle({ type: 'done', reply: input.reply })];
      case 'error':
        return [{ type: 'acknowledge', to: input.to }, ...this.#settle({ type: 'failed', error: input.error })];
    }
  }

  #accepted(worker: string, heartbeatMs: number): readonly OfferAction[] {
    this.#worker ??= worker;
    if (worker !== this.#worker) return [{ type: 'cancel', worker }];
    this.#heartbeatMs = Math.min(heartbeatMs, this.#timings.heartbeatMs);
    return [];
  }

  #tick(now: number): readonly OfferAction[] {
    const { acceptMs, missed, probeMs } = this.#timings;
    if (now >= this.#deadlineAt) return this.#stop({ type: 'timeout' });
    if (this.#stage === 'offered') return now >= this.#offeredAt + acceptMs ? this.#lose('silent') : [];
    const silence = now - this.#heardAt;
    if (silence >= missed * this.#heartbeatMs) return this.#lose('silent');
    if (this.#worker === undefined || silence <= PROBE_AFTER * this.#heartbeatMs) return [];
    if (now < this.#probedAt + probeMs) return [];
    this.#probedAt = now;
    return [{ type: 'probe', worker: this.#worker }];
  }

  #probed(found: 'known' | 'unknown' | 'nobody', now: number): readonly OfferAction[] {
    if (found === 'known') this.#heardAt = now;
    else if (found === 'unknown' || now >= this.#trustedFrom) return this.#lose(found);
    return [];
  }

  #lose(sign: 'silent' | 'unknown' | 'nobody'): readonly OfferAction[] {
    const stage = this.#stage === 'offered' ? 'offered' : 'accepted';
    return this.#stop({ type: 'lost', stage, sign });
  }

  #stop(outcome: Outcome): readonly OfferAction[] {
    const cancel = this.#worker === undefined ? [] : [{ type: 'cancel', worker: this.#worker } as const];
    return [...cancel, ...this.#settle(outcome)];
  }

  #settle(outcome: Outcome): readonly OfferAction[] {
    this.#stage = 'over';
    return [{ type: 'settle', outcome }, ...this.#asks.close()];
  }
}
