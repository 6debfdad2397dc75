/**
 * A job as the worker sees it that has accepted it (S11): working → replying, until the reply is acknowledged → over. Pure: it
 * does nothing itself, knows no clock, and the same inputs give the same actions.
 *
 * - The first heartbeat goes out at the first tick, so that a stale offer is noticed before it costs anything, then one every
 *   `heartbeatMs`, until the job is over.
 * - Asks and the reply are sent again every `resendMs` until they are answered, see {@link AskWindow}.
 * - 410 to any request, or 503, ends the job at once, and so do a cancel and the deadline. While it works, so does hearing no
 *   answer to anything for as many heartbeats as the agent would wait for it; a finished reply is held until the deadline.
 * - Who has just reconnected believes no 503 for `acceptMs`: the other side may be about to do so.
 * - Of finished work nothing but the reply is sent. When the job is over nothing is sent at all.
 */
import { AskWindow } from './ask-window';
import type { Timings, WorkAction, WorkEnd, WorkInput } from './job-machine';

/** What the agent expects of whoever takes its job, in milliseconds. */
export interface Terms {
  readonly heartbeatMs: number;
  /** Heartbeats, not milliseconds: how many it misses before it gives up; Infinity where it does not say. */
  readonly missed: number;
  /** From the moment on that the offer arrived; Infinity for none. */
  readonly deadlineMs: number;
}

interface Reply {
  readonly frame: Extract<WorkAction, { type: 'result' | 'error' }>;
  sentAt: number;
}

export class WorkMachine {
  /** The pace it keeps, which `accepted` tells the agent: what that expects, or the own if that is faster. */
  readonly heartbeatMs: number;
  readonly #timings: Timings;
  /** Milliseconds of silence after which the agent is lost. */
  readonly #patienceMs: number;
  readonly #deadlineAt: number;
  readonly #asks = new AskWindow();
  #reply: Reply | undefined;
  #isOver = false;
  #heardAt: number;
  #beatAt: number;
  #trustedFrom = -Infinity;
  #progress = 0;

  /** Made when the job is accepted. */
  constructor(terms: Terms, timings: Timings, now: number) {
    this.heartbeatMs = Math.min(terms.heartbeatMs, timings.heartbeatMs);
    this.#timings = timings;
    const { missed } = Number.isFinite(terms.missed) ? terms : timings;
    this.#patienceMs = missed * this.heartbeatMs;
    this.#deadlineAt = now + terms.deadlineMs;
    this.#heardAt = now;
    this.#beatAt = now;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** What is to be done about an input, in this order. */
  step(input: WorkInput, now: number): readonly WorkAction[] {
    if (this.#isOver) return [];
    switch (input.type) {
      case 'tick':
        return this.#tick(now);
      case 'ask':
        return this.#reply === undefined ? this.#asks.ask(input.ask, now) : [];
      case 'progress':
        return this.#reply === undefined ? [{ type: 'progress', seq: ++this.#progress, progress: input.progress }] : [];
      case 'finished':
        return this.#finish({ type: 'result', reply: input.reply }, now);
      case 'failed':
        return this.#finish({ type: 'error', error: input.error }, now);
      case 'heard':
        this.#heardAt = now;
        return [];
      case 'answer':
        this.#heardAt = now;
        return this.#asks.answer(input.seq, input.answer, now);
      case 'nobody':
        return now < this.#trustedFrom ? [] : this.#end({ type: 'nobody' });
      case 'reconnected':
        this.#trustedFrom = now + this.#timings.acceptMs;
        return [];
      case 'acknowledged':
      case 'gone':
        return this.#end({ type: input.type });
      case 'end':
        return this.#end({ type: 'ended', error: input.error });
    }
  }

  #finish(frame: Reply['frame'], now: number): readonly WorkAction[] {
    if (this.#reply !== undefined) return [];
    this.#reply = { frame, sentAt: now };
    this.#asks.close();
    return [frame];
  }

  #tick(now: number): readonly WorkAction[] {
    const { resendMs } = this.#timings;
    if (now >= this.#deadlineAt) return this.#end({ type: 'timeout' });
    const isWorking = this.#reply === undefined;
    if (isWorking && now >= this.#heardAt + this.#patienceMs) return this.#end({ type: 'silent' });
    return [...this.#beat(now), ...this.#asks.resend(resendMs, now), ...this.#replyAgain(now)];
  }

  #beat(now: number): readonly WorkAction[] {
    if (now < this.#beatAt) return [];
    this.#beatAt = now + this.heartbeatMs;
    return [{ type: 'heartbeat' }];
  }

  #replyAgain(now: number): readonly WorkAction[] {
    if (this.#reply === undefined || now < this.#reply.sentAt + this.#timings.resendMs) return [];
    this.#reply.sentAt = now;
    return [this.#reply.frame];
  }

  #end(end: WorkEnd): readonly WorkAction[] {
    this.#isOver = true;
    this.#reply = undefined;
    this.#asks.close();
    return [{ type: 'over', end }];
  }
}
