/**
 * Which call a result answers, where a session gives ids that are not unique: some providers number the calls of each reply
 * anew, give all calls of one tool the same id, or none.
 */
export class AnsweredCalls {
  readonly #calls = new Map<string, { readonly reply: string; readonly waiting: string[] }>();

  /** An id for a call of a reply: the one that the session gives it, unless the reply has it already or there is none. */
  call(given: string, reply: string, item: number): string {
    const known = this.#calls.get(given);
    const isNew = given !== '' && known?.reply !== reply;
    const id = isNew ? given : `${given === '' ? 'call' : given}-${String(item)}`;
    const waiting = known?.reply === reply ? known.waiting : [];
    waiting.push(id);
    this.#calls.set(given, { reply, waiting });
    return id;
  }

  /** The id of the call that a result answers: the oldest of the newest reply that was given this id. */
  answered(given: string): string {
    return this.#calls.get(given)?.waiting.shift() ?? given;
  }
}
