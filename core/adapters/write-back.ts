/**
 * From a context to the messages that the host sends: its own objects wherever nothing of them changed, edited ones, and
 * messages for what it does not know of.
 */
import type { ContextView } from '../context/view';
import type { Item } from '../session/items';
import { hasContent } from '../session/well-formed';
import type { HostAnswer, HostCodec } from './host-codec';
import type { Entry, HostList } from './host-list';
import type { ToldLog } from './told-log';

export interface WriteBackOptions<M extends object> {
  /** The messages of the request, which the list links to the log. */
  readonly messages: readonly M[];
  readonly list: HostList<M>;
  readonly log: ToldLog;
  readonly codec: HostCodec<M>;
}

/** What the host sends for a context; the very array of the request where it is the same. */
export function writeBack<M extends object>(context: ContextView, options: WriteBackOptions<M>): HostAnswer<M> {
  const { messages, codec } = options;
  const texts = context.system.flatMap(({ kind, text }) => (kind === 'prompt' ? [] : [text]));
  const writer = new Writer(options);
  writer.head(texts);
  for (const item of context.items()) writer.add(item);
  const written = writer.end();
  const isSame = written.length === messages.length && written.every((message, at) => message === messages[at]);
  return { messages: isSame ? messages : written, system: codec.system === undefined ? texts : [] };
}

/** Neighbouring items of one message, as they are sent. */
interface Run {
  readonly message: number;
  readonly items: Map<number, Item>;
  last: number;
  /** Whether all of them are what the host has. */
  isKept: boolean;
}

class Writer<M extends object> {
  readonly #options: WriteBackOptions<M>;
  readonly #written: M[] = [];
  /** Messages up to here are written or left out. */
  #passed = 0;
  #run: Run | undefined;
  #own: Item[] = [];
  /** Whether the newest message ends in a result, and is one of the host. */
  #endsInResult = false;
  #isHosts = false;

  constructor(options: WriteBackOptions<M>) {
    this.#options = options;
  }

  /** The host's system prompt, then what follows it. */
  head(texts: readonly string[]): void {
    const { messages, list, codec } = this.#options;
    this.#written.push(...messages.slice(0, list.head));
    if (texts.length > 0 && codec.system !== undefined) this.#written.push(...codec.system(texts));
    this.#passed = list.head;
    this.#addSilent();
  }

  add(item: Item): void {
    const { list, log } = this.#options;
    const number = log.session.indexOf(item.id);
    const entry = number === undefined ? undefined : list.entryAt(number);
    if (number !== undefined && entry !== undefined) {
      const isKept = item === log.session.item(number) && !log.isRevised(number);
      this.#addOf(entry, item, isKept);
    } else {
      this.#endRun();
      this.#own.push(item);
    }
  }

  end(): readonly M[] {
    this.#endRun();
    this.#endOwn();
    return this.#written;
  }

  #addOf({ message, index }: Entry, item: Item, isKept: boolean): void {
    this.#endOwn();
    // What stands otherwise than in its message is a message of its own.
    if (this.#run?.message !== message || index < this.#run.last) this.#endRun();
    this.#run ??= { message, items: new Map(), last: index, isKept: true };
    this.#run.items.set(index, item);
    this.#run.last = index;
    this.#run.isKept &&= isKept;
  }

  #endRun(): void {
    const run = this.#run;
    this.#run = undefined;
    if (run === undefined) return;
    const { messages, list, codec } = this.#options;
    const message = messages[run.message] as M;
    const items = list.items(message);
    const isWhole = run.isKept && items.every((item, at) => run.items.has(at) || !hasContent(item));
    const sentItems = [...run.items.values()];
    const sent = isWhole
      ? message
      : codec.edit(
          message,
          items.map((_, at) => run.items.get(at)),
        );
    if (sent !== undefined) this.#put(sent, sentItems, isWhole);
    this.#passed = Math.max(this.#passed, run.message + 1);
    this.#addSilent();
  }

  #endOwn(): void {
    for (const item of this.#own)
      for (const message of this.#options.codec.write([item])) this.#put(message, [item], false);
    this.#own = [];
  }

  /** Puts a message behind the others; `items` are what it sends. */
  #put(message: M, items: readonly Item[], isHosts: boolean): void {
    const { join } = this.#options.codec;
    const last = this.#written.at(-1);
    const goesOn = this.#endsInResult && items[0]?.kind === 'tool_result' && !(isHosts && this.#isHosts);
    if (goesOn && join !== undefined && last !== undefined) this.#written.splice(-1, 1, join(last, message));
    else this.#written.push(message);
    this.#endsInResult = items.at(-1)?.kind === 'tool_result';
    this.#isHosts = isHosts;
  }

  /** Messages that no model sees stay behind the one that they follow. */
  #addSilent(): void {
    const { messages, list } = this.#options;
    for (; this.#passed < messages.length; this.#passed++) {
      const message = messages[this.#passed] as M;
      if (list.items(message).length > 0) return;
      this.#written.push(message);
    }
  }
}
