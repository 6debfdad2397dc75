/** Who serves one subject in this process, and who of them takes a request (S4.1, S4.2). */
import type { PithError } from '../errors';
import { noResponder, otherMajors } from './refusals';
import { leastLoaded } from './responder';
import type { Responder } from './responder';

/** The responders of a subject by their major; majors have nothing to do with each other. */
export class Responders {
  readonly #of = new Map<number, Responder[]>();

  constructor(readonly subject: string) {}

  add(responder: Responder): void {
    const { major = 1 } = responder.channel;
    this.#of.set(major, [...(this.#of.get(major) ?? []), responder]);
  }

  /** It takes no more, but ends what it has taken. */
  remove(responder: Responder): void {
    const { major = 1 } = responder.channel;
    const others = (this.#of.get(major) ?? []).filter((other) => other !== responder);
    if (others.length > 0) this.#of.set(major, others);
    else this.#of.delete(major);
  }

  /** Who takes a request of this major, or why nobody does. */
  take(major: number): Responder | PithError {
    const responders = this.#of.get(major);
    if (responders !== undefined) return leastLoaded(responders) ?? noResponder(this.subject, { busy: true });
    return this.isEmpty ? noResponder(this.subject) : otherMajors(this.subject, major, [...this.#of.keys()]);
  }

  get isEmpty(): boolean {
    return this.#of.size === 0;
  }

  /** Whether there is room for a request of any major. */
  get takesAny(): boolean {
    return [...this.#of.values()].some((responders) => leastLoaded(responders) !== undefined);
  }
}
