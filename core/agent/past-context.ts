/** The contexts that a session went through: its log, read up to a place as if nothing had come later. */
import { createContext } from '../context/context';
import type { ContextLog, SessionContext } from '../context/context';
import type { ContextView } from '../context/view';
import type { Position } from '../session/records';
import type { Session } from '../session/session';
import type { Tokenizer } from '../tokens/tokenizer';

/** Goes through the contexts of a session. To go on costs what lies between; to go back begins anew. */
export class PastContext {
  readonly #session: Session;
  readonly #tokenizer: Tokenizer;
  #end: Position = 0;
  #context: SessionContext | undefined;

  constructor(session: Session, tokenizer: Tokenizer) {
    this.#session = session;
    this.#tokenizer = tokenizer;
  }

  /** The context that the records before `end` give. It holds until the next call. */
  at(end: Position): ContextView {
    if (end < this.#end) this.#context = undefined;
    this.#end = end;
    this.#context ??= this.#open();
    return this.#context.view();
  }

  #open(): SessionContext {
    const session = this.#session;
    const log: ContextLog = {
      records: (from) => session.records(from, this.#end),
      record: () => undefined,
      item: (index) => session.item(index),
      indexOf: (id) => session.indexOf(id),
    };
    return createContext(log, { tokenizer: this.#tokenizer });
  }
}
