/**
 * Takes what a host shows into a session: prompts, replies and results through the driver, so that plugins hear of them, and a
 * history that was there before Pith as it is.
 */
import type { Driver } from '../agent/driver';
import type { ToolResult } from '../agent/tools';
import type { NewItem, ToolCallItem, ToolResultItem } from '../session/items';
import type { RunOutcome, Usage } from '../session/records';
import { summariseResult } from '../session/result-summary';
import { inSlices } from '../session/slices';
import type { Entry, HostList } from './host-list';
import type { HostReply } from './host-codec';
import { isOfReply } from './same-item';
import type { ToldLog } from './told-log';

/** Who hears of what the turns of a host meet. */
export interface TurnEvents {
  /** A turn has begun or goes on. */
  opened(): void;
  /** A turn is over; work in the background may have begun. */
  ended(): void;
  /** A plugin wanted the run to end, which is the host's to decide. */
  unheeded(thrown: unknown): void;
}

export class HostTurns<M extends object> {
  readonly #driver: Driver;
  readonly #log: ToldLog;
  readonly #list: HostList<M>;
  readonly #events: TurnEvents;
  #isRunning = false;
  /** Usage of a reply that has not been seen. */
  #usage: Usage | undefined;

  constructor(driver: Driver, log: ToldLog, list: HostList<M>, events: TurnEvents) {
    this.#driver = driver;
    this.#log = log;
    this.#list = list;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Has a turn be open for the next request. */
  async open(): Promise<void> {
    if (this.#isRunning && this.#driver.signal.aborted) await this.end('aborted');
    if (this.#isRunning) return;
    if (this.#driver.session.turnOpen) this.#driver.reopen();
    else this.#driver.open([]);
    this.#opened();
  }

  /** Ends the turn that runs. */
  async end(outcome: Exclude<RunOutcome, 'yielded'>): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    await this.#driver.end(outcome);
    this.#events.ended();
  }

  /** Takes in a reply that the host tells of. Where it tells usage alone, that waits for the reply to be seen. */
  async tell({ items = [], usage }: HostReply): Promise<void> {
    const said = withoutRepeatedCalls(items);
    if (said.length > 0) await this.#reply(said, usage);
    else this.#usage = usage;
  }

  /** Takes in what is new of the host's messages. */
  async take(entries: readonly Entry[]): Promise<void> {
    const rest = this.#log.session.itemCount === 0 ? await this.#import(entries) : entries;
    for (let at = 0; at < rest.length;) {
      const run = this.#runAt(rest, at);
      at += run.length;
      const [entry] = run as readonly [Entry];
      const { item } = entry;
      if (isOfReply(item)) await this.#seen(run);
      else if (item.kind === 'tool_result') await this.#result(entry, item);
      else if (item.kind === 'message' && item.role === 'user') await this.#prompt(entry);
      else this.#append([entry]);
    }
    this.#usage = undefined;
  }

  /** The whole history but the prompts at its end. Nobody is asked about what is long over. */
  async #import(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const { session } = this.#log;
    const end = entries.findLastIndex(({ item }) => item.kind !== 'message' || item.role !== 'user') + 1;
    let follows = false;
    await inSlices(this.#runsOf(entries.slice(0, end)), (run) => {
      const [entry] = run as readonly [Entry];
      const isPrompt = entry.item.kind === 'message' && entry.item.role === 'user';
      if (isPrompt && (follows || !session.turnOpen)) {
        if (session.turnOpen) session.record({ t: 'turn', phase: 'end', turn: session.turn });
        session.record({ t: 'turn', phase: 'start', turn: session.turn + 1 });
      }
      follows = !isPrompt;
      this.#append(run);
    });
    if (end < entries.length && session.turnOpen) session.record({ t: 'turn', phase: 'end', turn: session.turn });
    return entries.slice(end);
  }

  #opened(): void {
    this.#isRunning = true;
    this.#events.opened();
  }

  async #prompt(entry: Entry): Promise<void> {
    if (this.#log.hasFinished && (this.#isRunning || this.#driver.session.turnOpen)) {
      await this.open();
      await this.end('finished');
    }
    const opens = !this.#isRunning;
    const items = await this.#submitted(entry.item, opens);
    const number = this.#log.session.itemCount;
    if (!opens) this.#log.session.append(items);
    else {
      this.#driver.open(items);
      this.#opened();
    }
    this.#settle(entry, number);
  }

  /** A prompt as plugins want it; one cannot be refused here, nor done away with. */
  async #submitted(item: NewItem, opens: boolean): Promise<readonly NewItem[]> {
    try {
      const items = await this.#driver.submit([item], opens);
      return items.length === 0 ? [item] : items;
    } catch (thrown) {
      this.#events.unheeded(thrown);
      return [item];
    }
  }

  /** A reply that the host had not told of. */
  async #seen(run: readonly Entry[]): Promise<void> {
    const usage = this.#usage;
    this.#usage = undefined;
    const numbers = await this.#reply(
      run.map(({ item }) => item),
      usage,
    );
    run.forEach((entry, at) => this.#settle(entry, numbers[at] as number));
  }

  /** Numbers of the items of a reply, once they are in the log. */
  async #reply(items: readonly NewItem[], usage: Usage | undefined): Promise<readonly number[]> {
    await this.open();
    const { session } = this.#log;
    const reply = nameOfReply(session);
    const from = session.itemCount;
    await this.#driver.afterReply({
      items: items.map((item) => ({ ...item, reply })),
      ...(usage !== undefined && { usage }),
    });
    const numbers: number[] = [];
    for (let number = from; number < session.itemCount; number++)
      if (session.item(number).reply === reply) numbers.push(number);
    return numbers;
  }

  async #result(entry: Entry, { summary, content, isError }: Omit<ToolResultItem, 'id'>): Promise<void> {
    await this.open();
    const { session } = this.#log;
    const call = session.item(entry.call?.number ?? -1) as ToolCallItem;
    const result: ToolResult = { summary, ...(content && { content }), ...(isError === true && { isError }) };
    const from = session.itemCount;
    try {
      await this.#driver.toolCall({ call }, () => result);
    } catch (thrown) {
      this.#events.unheeded(thrown);
    }
    let number = from;
    while (!isResultOf(session.item(number), call)) number++;
    this.#settle(entry, number);
  }

  /** Entries as they are: one that is no reply, or a whole reply. */
  #append(run: readonly Entry[]): void {
    const { session } = this.#log;
    const reply = nameOfReply(session);
    const from = session.itemCount;
    session.append(run.map((entry) => (isOfReply(entry.item) ? { ...entry.item, reply } : this.#withSummary(entry))));
    run.forEach((entry, at) => this.#settle(entry, from + at));
  }

  /** Entries that are taken in at once: a reply, else one. */
  #runAt(entries: readonly Entry[], from: number): readonly Entry[] {
    let to = from + 1;
    while (to < entries.length && this.#list.continuesReply(entries[to - 1] as Entry, entries[to] as Entry)) to++;
    return entries.slice(from, to);
  }

  *#runsOf(entries: readonly Entry[]): Iterable<readonly Entry[]> {
    for (let at = 0; at < entries.length;) {
      const run = this.#runAt(entries, at);
      at += run.length;
      yield run;
    }
  }

  /** A result with the line that stays (S5.1), where the host has none. */
  #withSummary(entry: Entry): NewItem {
    const { item } = entry;
    const call = entry.call?.item;
    if (item.kind !== 'tool_result' || item.summary.trim() !== '' || call?.kind !== 'tool_call') return item;
    return { ...item, summary: summariseResult(call.name, item.content ?? [], item.isError) };
  }

  #settle(entry: Entry, number: number): void {
    this.#list.settle(entry, number);
    this.#log.note(number, entry.item);
    this.#log.catchUp();
  }
}

function nameOfReply({ position }: { readonly position: number }): string {
  return `r${position + 1}`;
}

function isResultOf(item: NewItem, { callId }: ToolCallItem): boolean {
  return item.kind === 'tool_result' && item.callId === callId;
}

/** One result answers one call. */
function withoutRepeatedCalls(items: readonly NewItem[]): readonly NewItem[] {
  const taken = new Set<string>();
  return items.filter((item) => item.kind !== 'tool_call' || (!taken.has(item.callId) && taken.add(item.callId)));
}
