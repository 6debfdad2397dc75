/**
 * When the automatic check rests: after a pass without gain until the context grew (S9.10), after an undo until a share of
 * the window was added (S5.5). Read from the log alone, so that a restored session rests as the one that was closed.
 */
import type { Item, Json, Position, Session, SessionRecord } from '../../core/index';

/** Tokens that must come after a pass without gain. */
export const GROWTH = 4096;
/** Share of the input window that must come after an undo. */
export const UNDO_SHARE = 0.1;

/** Under which the log says that a pass gained nothing. */
export const REST_NAMESPACE = 'compaction';

/** What the log says of a pass that gained nothing. */
export function noGain(compaction: string, outcome: string): { readonly [key: string]: Json } {
  return { withoutGain: compaction, outcome };
}

/** Why the check rests. */
export type Because = 'no-gain' | 'undo';

/** Reads the log of one session as it grows; each look costs what is new. */
export class Rest {
  readonly #countItem: (item: Item) => number;
  #next: Position = 0;
  #because: Because | undefined;
  /** Tokens of the items since. */
  #added = 0;

  /** @param countItem tokens of an item */
  constructor(countItem: (item: Item) => number) {
    this.#countItem = countItem;
  }

  /** Why the automatic check of this session rests now, if it does; `window` is the input window of its model in tokens. */
  now(session: Pick<Session, 'records'>, window: number): Because | undefined {
    for (const record of session.records(this.#next)) this.#take(record);
    const needed = this.#because === 'undo' ? window * UNDO_SHARE : GROWTH;
    return this.#added < needed ? this.#because : undefined;
  }

  #take(record: SessionRecord): void {
    this.#next = record.seq + 1;
    if (record.t === 'item' && this.#because !== undefined) this.#added += this.#countItem(record.item);
    else if (record.t === 'checkpoint') this.#because = undefined;
    else if (record.t === 'undo') this.#begin('undo');
    else if (record.t === 'state' && record.namespace === REST_NAMESPACE) this.#begin('no-gain');
  }

  #begin(because: Because): void {
    this.#because = because;
    this.#added = 0;
  }
}
