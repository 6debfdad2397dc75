/** What each request of a session sent, seen from afterwards: one entry per reply of the model. */
import type { Item } from '../session/items';
import type { Position, SessionRecord, Usage } from '../session/records';
import type { Session } from '../session/session';
import type { Estimate } from '../tokens/occupancy';
import type { PastContext } from './past-context';

/** One reply of the model and the request that it answers. */
export interface PastRequest {
  /** 0-based number of the first item of the reply; the prompt was what stood before it. */
  readonly item: number;
  /** Position of that item in the log. */
  readonly seq: Position;
  /** What the provider reported for it; the newest figures where it did so several times. */
  readonly usage?: Usage;
}

/** Finds the requests of a log as it is walked through. */
export class RequestWalk {
  readonly #requests: PastRequest[] = [];
  #number = 0;
  #reply: string | undefined;
  #isOpen = false;
  /** Of a reply that is nothing but calls, which come after it in a log of Pith's own. */
  #early: Usage | undefined;

  /** The requests so far, in their order; usage that comes later takes the place of the newest one. */
  get requests(): readonly PastRequest[] {
    return this.#requests;
  }

  take(record: SessionRecord): void {
    if (record.t === 'usage') return this.#takeUsage(record);
    if (record.t !== 'item') return;
    if (isOfModel(record.item)) this.#takeReply(record.item, record.seq);
    else this.#isOpen = false;
    this.#number++;
  }

  #takeUsage({ usage, on }: Extract<SessionRecord, { t: 'usage' }>): void {
    const newest = this.#requests.at(-1);
    if (on !== undefined && !this.#isOpen) this.#early = usage;
    else if (newest !== undefined) this.#requests[this.#requests.length - 1] = { ...newest, usage };
  }

  #takeReply({ reply }: Item, seq: Position): void {
    const continues = reply === undefined ? this.#isOpen && this.#reply === undefined : reply === this.#reply;
    if (!continues) {
      const usage = this.#early;
      this.#requests.push({ item: this.#number, seq, ...(usage !== undefined && { usage }) });
      this.#early = undefined;
    }
    this.#reply = reply;
    this.#isOpen = true;
  }
}

/** The requests of a session in their order. */
export function pastRequests(session: Pick<Session, 'records'>): readonly PastRequest[] {
  const walk = new RequestWalk();
  for (const record of session.records()) walk.take(record);
  return walk.requests;
}

/** What the prompt of one request took; `past` is to be asked for requests in their order. */
export function sentTokens({ seq, usage }: PastRequest, past: PastContext): Estimate {
  if (usage === undefined) return past.at(seq).occupancy();
  return { tokens: usage.inputTokens, margin: 0, source: 'measured' };
}

function isOfModel(item: Item): boolean {
  return (
    item.kind === 'tool_call' || item.kind === 'reasoning' || (item.kind === 'message' && item.role === 'assistant')
  );
}
