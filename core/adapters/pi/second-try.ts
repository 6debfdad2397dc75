/** A stream that another one takes the place of, where it fails before it has said anything. */
import type { PiMessage } from './host-types';

/** What a stream function gives: events of a reply in the making, and the reply, which says itself that it failed. */
export interface PiStream extends AsyncIterable<PiStreamEvent> {
  result(): Promise<PiReply>;
}

interface PiReply extends PiMessage {
  readonly content: readonly unknown[];
  readonly stopReason: string;
  readonly errorMessage?: string;
}

interface PiStreamEvent {
  readonly type: string;
  /** The reply, where it failed. */
  readonly error?: PiReply;
}

export class SecondTry {
  /** The stream, as an object of the first one's class: hosts may ask for more than events and reply. */
  readonly stream: PiStream;
  readonly #first: PiStream;
  readonly #retry: (words: string) => Promise<PiStream | undefined>;
  #second: Promise<PiStream | undefined> | undefined;
  #hasSpoken = false;

  /** @param retry the other stream, for the words of the failure; undefined where there is none. */
  constructor(first: PiStream, retry: (words: string) => Promise<PiStream | undefined>) {
    this.#first = first;
    this.#retry = retry;
    this.stream = Object.create(first, {
      [Symbol.asyncIterator]: { value: () => this.#events() },
      result: { value: () => this.#result() },
    }) as PiStream;
  }

  async *#events(): AsyncGenerator<PiStreamEvent> {
    const held: PiStreamEvent[] = [];
    for await (const event of this.#first) {
      if (event.type === 'start' && !this.#hasSpoken) {
        held.push(event);
        continue;
      }
      const second = event.error && (await this.#after(event.error));
      if (second !== undefined) return yield* second;
      this.#hasSpoken = true;
      yield* held.splice(0);
      yield event;
    }
  }

  async #result(): Promise<PiReply> {
    const reply = await this.#first.result();
    return (await this.#after(reply))?.result() ?? reply;
  }

  /** The other stream, for a reply that failed; where there can be none, the failure stands. */
  async #after({ stopReason, content, errorMessage = '' }: PiReply): Promise<PiStream | undefined> {
    if (this.#hasSpoken || stopReason !== 'error' || content.length > 0) return this.#second;
    return (this.#second ??= this.#retry(errorMessage).catch(() => undefined));
  }
}
