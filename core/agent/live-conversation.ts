/** How a conversation goes: what runs, what waits, what joins. The contract is {@link Conversation}. */
import { messageOf, PithError } from '../errors';
import type { Kernel } from '../kernel/kernel';
import type { LlmClient } from '../llm/client';
import type { Item, ItemId, NewItem } from '../session/items';
import type { Session } from '../session/session';
import { COMPACTION } from './compaction';
import type { CompactionReport } from './compaction';
import type { Conversation, SendOptions } from './conversation';
import type { Driver } from './driver';
import { runTurn } from './loop';
import { OpenRun } from './run';
import type { Run } from './run';
import { failedEnd } from './run-end';
import type { AgentEvent } from './run-events';
import { promptItem } from './session-driver';

export interface ConversationParts {
  readonly kernel: Pick<Kernel, 'bus' | 'get' | 'log'>;
  readonly driver: Driver;
  readonly model: LlmClient | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** The signal of what nobody aborts. */
const NEVER = new AbortController().signal;

/** What waits for the end of the turn. */
interface Waiting {
  readonly run?: OpenRun;
  /** Id of the prompt's first item. */
  readonly prompt?: ItemId;
  /** Takes the prompt back from the turn that it was to join. */
  readonly leave?: () => void;
  start(): Promise<void>;
}

/** A prompt that is to join the turn that runs. */
interface Joining extends Waiting {
  readonly run: OpenRun;
  leave(): void;
}

/** Opens the conversation of a driven session. */
export function converse(parts: ConversationParts): Conversation {
  return new LiveConversation(parts);
}

class LiveConversation implements Conversation {
  readonly session: Session;
  readonly #parts: ConversationParts;
  readonly #driver: Driver;
  readonly #waiting: Waiting[] = [];
  /** Runs whose prompts join the turn at its next request, or follow it as turns of their own. */
  readonly #joining: Joining[] = [];
  /** Runs whose prompts are part of the turn that runs. */
  #inTurn: OpenRun[] = [];
  #active: Promise<void> | undefined;
  /** Prompts are submitted one after another, in the order in which they were sent. */
  #submitting: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#driver = parts.driver;
    this.session = parts.driver.session;
    for (const { items } of this.session.queued()) this.#waiting.push(this.#turnOf(this.#run(), items));
  }

  get busy(): boolean {
    return this.#active !== undefined || this.#waiting.length > 0;
  }

  get waiting(): readonly Run[] {
    return this.#waiting.flatMap(({ run }) => run ?? []);
  }

  send(prompt: string | NewItem, { whenBusy = 'queue', signal }: SendOptions = {}): Run {
    const run = this.#run();
    if (signal !== undefined) {
      const abort = (): void => run.abort(messageOf(signal.reason));
      signal.addEventListener('abort', abort, { once: true });
      void run.outcome.then(() => signal.removeEventListener('abort', abort));
      if (signal.aborted) abort();
    }
    this.#submitting = this.#submitting.then(() => this.#submit(run, promptItem(prompt), whenBusy));
    return run;
  }

  resume(): Run | undefined {
    if (this.#active === undefined && this.session.turnOpen) {
      const run = this.#run();
      run.accept();
      this.#waiting.unshift({ run, start: () => this.#start(run, () => this.#driver.reopen()) });
    }
    const first = this.#active === undefined ? this.#waiting[0]?.run : undefined;
    this.#pump();
    return first;
  }

  compact(options: { readonly focus?: string; readonly signal?: AbortSignal } = {}): Promise<CompactionReport> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(this.#closedError());
      const compaction = this.#parts.kernel.get(COMPACTION);
      const { signal: asked } = options;
      const closing = this.#closing.signal;
      const signal = asked === undefined ? closing : AbortSignal.any([asked, closing]);
      const start = (): Promise<void> =>
        this.#isClosed
          ? Promise.resolve(reject(this.#closedError()))
          : compaction.compact(this.session, { trigger: 'manual', ...options, signal }).then(resolve, reject);
      this.#waiting.push({ start });
      this.#pump();
    });
  }

  undoCompaction(): boolean {
    if (this.#active !== undefined)
      throw new PithError(
        'PITH_CONVERSATION_BUSY',
        `Session "${this.session.id}" is in the middle of a turn; abort it or wait for its end, then undo.`,
      );
    return this.session.undoCompaction();
  }

  async idle(): Promise<void> {
    do {
      await this.#submitting;
      await this.#active;
      await this.#driver.idle();
    } while (this.#active !== undefined);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#closing.abort(this.#closedError());
    this.#driver.abort('The session is being closed.');
    await this.#active;
    const waiting = this.#waiting.splice(0);
    await this.#driver.close();
    const error = this.#closedError();
    for (const { run, start } of waiting) {
      if (run === undefined) await start();
      else run.refuse(error, { outcome: 'aborted', text: '', reason: error.message });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #run(): OpenRun {
    return new OpenRun((run, reason) => this.#abort(run, reason));
  }

  async #submit(run: OpenRun, prompt: NewItem, whenBusy: 'queue' | 'steer'): Promise<void> {
    try {
      if (run.ended) return;
      if (this.#isClosed) throw this.#closedError();
      this.#model();
      const joins = whenBusy === 'steer' && this.#inTurn.length > 0;
      const items = await this.#driver.submit([prompt], !joins);
      if (this.#isClosed) throw this.#closedError();
      if (run.ended) return;
      this.#accept(run, items, joins);
    } catch (thrown) {
      this.#refuse(run, thrown);
    }
  }

  #refuse(run: OpenRun, thrown: unknown): void {
    const end = failedEnd(thrown, NEVER);
    run.refuse(end.error ?? new PithError('PITH_RUN_ABORTED', end.reason ?? ''), end);
  }

  /** From here on the prompt is in the log. */
  #accept(run: OpenRun, items: readonly NewItem[], joins: boolean): void {
    if (!this.busy) {
      this.#driver.open(items);
      run.accept();
      return this.#begin(() => this.#turn(run));
    }
    const queued = this.#queue(items, joins);
    run.accept();
    const turn = this.#turnOf(run, queued);
    if (joins && this.#inTurn.length > 0) {
      const leave = this.#driver.join(queued, () => this.#joined(run, queued));
      this.#joining.push({ ...turn, leave });
    } else {
      this.#waiting.push(turn);
      this.#pump();
    }
  }

  /** Writes a waiting prompt down, under the ids that its items will have. */
  #queue(items: readonly NewItem[], joins: boolean): readonly Item[] {
    const named = items.map((item, index) => ({ ...item, id: `p${this.session.position + 1}.${index}` }) as Item);
    this.session.record({ t: 'prompt', phase: 'queued', items: named, joins });
    return named;
  }

  #turnOf(run: OpenRun, items: readonly NewItem[]): Waiting & { readonly run: OpenRun } {
    const prompt = items[0]?.id;
    return {
      run,
      ...(prompt !== undefined && { prompt }),
      start: () => this.#start(run, () => this.#driver.open(items)),
    };
  }

  /** Opens a turn of what has waited and runs it; where that cannot be, its run hears of it. */
  #start(run: OpenRun, open: () => void): Promise<void> {
    try {
      this.#model();
      open();
    } catch (thrown) {
      this.#refuse(run, thrown);
      throw thrown;
    }
    run.accept();
    return this.#turn(run);
  }

  #model(): LlmClient {
    const { model } = this.#parts;
    if (model !== undefined) return model;
    throw new PithError(
      'PITH_MODEL_MISSING',
      'The agent has no model. Give [model] in the manifest, or a model to createAgent.',
    );
  }

  async #turn(run: OpenRun): Promise<void> {
    this.#inTurn = [run];
    const emit = (event: AgentEvent): void => {
      for (const one of this.#inTurn) one.emit(event);
    };
    const { maxOutputTokens } = this.#parts;
    await runTurn({ driver: this.#driver, model: this.#model(), emit, maxOutputTokens });
    this.#inTurn = [];
    // What did not join any more opens turns of its own, before what came later.
    for (const late of this.#joining) late.leave();
    this.#waiting.unshift(...this.#joining.splice(0));
  }

  /** The prompt of a run is part of the turn now. */
  #joined(run: OpenRun, items: readonly Item[]): void {
    take(this.#joining, run);
    for (const one of this.#inTurn) one.emit({ type: 'joined', items });
    this.#inTurn.push(run);
  }

  #begin(work: () => Promise<void>): void {
    this.#active = (async () => work())()
      .catch((thrown: unknown) =>
        this.#parts.kernel.log.error(`A turn failed: ${messageOf(thrown)}`, { cause: thrown }),
      )
      .then(() => {
        this.#active = undefined;
        this.#pump();
      });
  }

  /** Starts what waits next, unless something runs. */
  #pump(): void {
    if (this.#active !== undefined || this.#isClosed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(() => next.start());
  }

  #abort(run: OpenRun, reason: string): void {
    if (this.#inTurn.includes(run)) return this.#driver.abort(reason);
    const waiting = take(this.#waiting, run) ?? take(this.#joining, run);
    waiting?.leave?.();
    if (waiting?.prompt !== undefined) this.session.record({ t: 'prompt', phase: 'dropped', item: waiting.prompt });
    run.refuse(new PithError('PITH_RUN_ABORTED', reason), { outcome: 'aborted', text: '', reason });
  }

  #closedError(): PithError {
    return new PithError('PITH_SESSION_CLOSED', `Session "${this.session.id}" is closed; open it again to go on.`);
  }
}

/** Takes what waits for a run out of a list. */
function take<T extends Waiting>(list: T[], run: OpenRun): T | undefined {
  const at = list.findIndex((waiting) => waiting.run === run);
  return at === -1 ? undefined : list.splice(at, 1)[0];
}
