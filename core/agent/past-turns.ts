/** The turns of a session, seen from afterwards. */
import type { Item } from '../session/items';
import type { SessionRecord } from '../session/records';

/** What there was when a turn began. */
interface Opening {
  /** 0-based number of the message that opened it. */
  readonly item: number;
  /** Requests and tokens of items before that message. */
  readonly requests: number;
  readonly tokens: number;
}

/** One turn: 1-based, with its first item, its requests, and the tokens of its items. */
export interface PastTurn {
  readonly turn: number;
  readonly fromItem: number;
  readonly requests: number;
  readonly tokens: number;
}

/**
 * Finds the turns of a log as it is walked through: by the recorded ones, else every message of the user behind a reply opens
 * one.
 */
export class TurnWalk {
  readonly #weigh: (item: Item) => number;
  readonly #recorded: Opening[] = [];
  readonly #guessed: Opening[] = [];
  #isRecorded = false;
  #awaits = false;
  #previous: Item | undefined;
  #items = 0;
  #tokens = 0;
  #requests = 0;

  /** @param weigh tokens of an item; asked once for each. */
  constructor(weigh: (item: Item) => number = () => 0) {
    this.#weigh = weigh;
  }

  /** How many there are. */
  get length(): number {
    return this.#openings.length;
  }

  /** Whether the log records turns, so that none is guessed. */
  get isRecorded(): boolean {
    return this.#isRecorded;
  }

  /** The turns from a 0-based number on. */
  turns(from = 0): readonly PastTurn[] {
    const openings = this.#openings;
    return openings.slice(from).map(({ item, requests, tokens }, at) => {
      const next = openings[from + at + 1] ?? { requests: this.#requests, tokens: this.#tokens };
      return {
        turn: from + at + 1,
        fromItem: item,
        requests: next.requests - requests,
        tokens: Math.round(next.tokens - tokens),
      };
    });
  }

  /** @param requests how many there are with this record */
  take(record: SessionRecord, requests: number): void {
    if (record.t === 'turn') {
      this.#isRecorded = true;
      this.#awaits = record.phase === 'start';
    }
    if (record.t !== 'item') return;
    const { item } = record;
    if (isOfUser(item)) {
      const opening = { item: this.#items, requests: this.#requests, tokens: this.#tokens };
      if (this.#awaits) this.#recorded.push(opening);
      if (this.#previous === undefined || !isOfUser(this.#previous)) this.#guessed.push(opening);
      this.#awaits = false;
    }
    this.#previous = item;
    this.#items++;
    this.#tokens += this.#weigh(item);
    this.#requests = requests;
  }

  get #openings(): readonly Opening[] {
    return this.#isRecorded ? this.#recorded : this.#guessed;
  }
}

function isOfUser(item: Item): boolean {
  return item.kind === 'message' && item.role === 'user';
}
