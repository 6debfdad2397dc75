/** A streamed reply that is passed on part by part as it comes, and told of when it is complete. */
import type { StreamedPart } from '../../llm/language-model';
import { StreamedReply } from '../../llm/reply-stream';
import type { AiSdkPart, AiSdkReply } from './host-types';

export interface StreamWatch {
  /** Another stream in place of one that failed before the reply began; undefined where the failure stands. */
  retry(thrown: unknown): Promise<ReadableStream<StreamedPart> | undefined>;
  /** The reply is complete. */
  done(reply: AiSdkReply): void;
}

/** What may come before a reply begins. */
const PREAMBLE = new Set(['stream-start', 'response-metadata', 'raw']);

/** Parts of a reply that are handed on whole; the others are put together from theirs. */
const WHOLE = new Set(['file', 'tool-result', 'tool-approval-request', 'reasoning-file', 'custom', 'source']);

/** The stream with its watch. Nothing is read ahead, held back or copied; a cancelled one cancels its source. */
export function watchedStream(source: ReadableStream<StreamedPart>, watch: StreamWatch): ReadableStream<StreamedPart> {
  const relay = new Relay(source, watch);
  return new ReadableStream<StreamedPart>(
    {
      async pull(controller) {
        const part = await relay.next();
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      },
      cancel: (reason) => relay.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

class Relay {
  readonly #watch: StreamWatch;
  readonly #reply = new StreamedReply((called) => called);
  readonly #whole: AiSdkPart[] = [];
  #reader: ReadableStreamDefaultReader<StreamedPart>;
  #hasStarted = false;
  /** Whether parts of the reply were passed on, or a second stream is read already. */
  #isSettled = false;

  constructor(source: ReadableStream<StreamedPart>, watch: StreamWatch) {
    this.#reader = source.getReader();
    this.#watch = watch;
  }

  cancel(reason: unknown): Promise<void> {
    return this.#reader.cancel(reason);
  }

  /** The next part, or undefined at the end. */
  async next(): Promise<StreamedPart | undefined> {
    for (;;) {
      const part = await this.#read();
      if (part === undefined) return undefined;
      const isStart = (part.type as string) === 'stream-start';
      if (isStart && this.#hasStarted) continue;
      this.#hasStarted ||= isStart;
      this.#isSettled ||= !PREAMBLE.has(part.type);
      this.#note(part);
      return part;
    }
  }

  async #read(): Promise<StreamedPart | undefined> {
    try {
      const { value } = await this.#reader.read();
      if (value?.type === 'error' && (await this.#restart(value.error))) return await this.#read();
      return value;
    } catch (thrown) {
      if (await this.#restart(thrown)) return this.#read();
      throw thrown;
    }
  }

  async #restart(thrown: unknown): Promise<boolean> {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    const stream = await this.#watch.retry(thrown);
    if (stream === undefined) return false;
    // What is left of the failed one is of no use, nor is that it cannot be cancelled.
    this.#reader.cancel().catch(() => undefined);
    this.#reader = stream.getReader();
    return true;
  }

  #note(part: StreamedPart): void {
    if (part.type === 'error') return;
    if (WHOLE.has(part.type)) this.#whole.push(part);
    this.#reply.add(part);
    if (part.type !== 'finish') return;
    const contents = this.#contents();
    if (contents !== undefined) this.#watch.done({ ...part, content: [...contents, ...this.#whole] });
  }

  /** Undefined where the connection was cut off: the host sees as much, and has the request sent again or not. */
  #contents(): readonly AiSdkPart[] | undefined {
    try {
      return this.#reply.end().contents;
    } catch {
      return undefined;
    }
  }
}
