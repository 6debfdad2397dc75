/** Those who watch a live report: every one gets each message, as server-sent events, and none can hold up the others. */
import type { ServerResponse } from 'node:http';
import type { LiveEvents } from './report';

/** Viewers at once. */
const MOST_VIEWERS = 16;
/** Bytes that may wait for a viewer, beside a whole report, when there is more to say; who is farther behind begins anew. */
const MOST_WAITING = 1_048_576;
/** Milliseconds after which a browser that was cut off comes back. */
const RETRY_MS = 1_000;

/** The viewers of one report. */
export class Viewers {
  readonly #open = new Set<ServerResponse>();
  readonly #changed: (count: number) => void;
  /** Bytes of the newest whole report. */
  #whole = 0;

  /** @param changed hears how many there are, whenever somebody comes or goes */
  constructor(changed: (count: number) => void) {
    this.#changed = changed;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Whether there is no room for another one. */
  get isFull(): boolean {
    return this.#open.size >= MOST_VIEWERS;
  }

  /** Takes a viewer in, whose headers are written; it is told what comes from now on. */
  add(viewer: ServerResponse): void {
    viewer.on('error', () => undefined);
    viewer.on('close', () => this.#leave(viewer));
    viewer.write(`retry: ${String(RETRY_MS)}\n\n`);
    this.#open.add(viewer);
    this.#changed(this.#open.size);
  }

  /** Sends a message to one viewer, or to all. */
  send<K extends keyof LiveEvents>(event: K, data: LiveEvents[K], only?: ServerResponse): void {
    const message = Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (event === 'report') this.#whole = message.length;
    for (const viewer of only === undefined ? this.#open : [only]) {
      if (viewer.writableLength > MOST_WAITING + this.#whole) viewer.destroy();
      else viewer.write(message);
    }
  }

  /** Ends all of them, after what waits for them. */
  end(): void {
    for (const viewer of this.#open) viewer.end();
  }

  #leave(viewer: ServerResponse): void {
    if (this.#open.delete(viewer)) this.#changed(this.#open.size);
  }
}
