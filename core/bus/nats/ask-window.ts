/**
 * What a worker asks in one job, as the worker keeps it (S11). Asks are numbered from 1 as they are sent, and sent again under
 * their number until they are answered. Of {@link OPEN_ASKS} successive numbers the lowest is always still open, what comes
 * beyond waits: so the agent needs to keep few answers and still has every one that may be asked for again.
 */
import { OPEN_ASKS } from './job-machine';
import type { WorkAction } from './job-machine';

interface Sent {
  readonly ask: unknown;
  sentAt: number;
}

export class AskWindow {
  /** By number, the lowest first. */
  readonly #sent = new Map<number, Sent>();
  readonly #waiting: unknown[] = [];
  #newest = 0;

  /** Sends an ask, now or when there is room. */
  ask(ask: unknown, now: number): readonly WorkAction[] {
    this.#waiting.push(ask);
    return this.#send(now);
  }

  /** Hands over an answer, the first one to its number, and sends what there is room for now. */
  answer(seq: number, answer: unknown, now: number): readonly WorkAction[] {
    const sent = this.#sent.get(seq);
    if (sent === undefined) return [];
    this.#sent.delete(seq);
    return [{ type: 'answer', ask: sent.ask, answer }, ...this.#send(now)];
  }

  /** Sends again what has waited `resendMs` for its answer. */
  resend(resendMs: number, now: number): readonly WorkAction[] {
    const actions: WorkAction[] = [];
    for (const [seq, sent] of this.#sent) {
      if (now < sent.sentAt + resendMs) continue;
      sent.sentAt = now;
      actions.push({ type: 'ask', seq, ask: sent.ask });
    }
    return actions;
  }

  /** Forgets all asks: no answer is waited for any more. */
  close(): void {
    this.#sent.clear();
    this.#waiting.length = 0;
  }

  #send(now: number): readonly WorkAction[] {
    const actions: WorkAction[] = [];
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      const ask = this.#waiting.shift();
      const seq = ++this.#newest;
      this.#sent.set(seq, { ask, sentAt: now });
      actions.push({ type: 'ask', seq, ask });
    }
    return actions;
  }

  #hasRoom(): boolean {
    const [lowest] = this.#sent.keys();
    return lowest === undefined || this.#newest + 1 < lowest + OPEN_ASKS;
  }
}
