/** One conversation of a host, mirrored in a session: what a host says goes in, what the plugins make of it comes back. */
import type { Driver } from '../agent/driver';
import { drive } from '../agent/session-driver';
import { CONTEXT } from '../context/context';
import type { ContextView } from '../context/view';
import { PithError } from '../errors';
import type { Kernel } from '../kernel/kernel';
import { llmError } from '../llm/llm-errors';
import type { RunOutcome } from '../session/records';
import type { Session } from '../session/session';
import type { HostAnswer, HostCodec, HostReply, HostRequest } from './host-codec';
import { forkMirror, goOnIn, openMirror } from './host-fork';
import { HostLine } from './host-line';
import { HostList } from './host-list';
import { HostTurns } from './host-turns';
import { BY_HOST, ToldLog } from './told-log';
import { writeBack } from './write-back';

export interface MirrorOptions {
  readonly root: string | undefined;
  waitUntil?(work: Promise<void>): void;
}

interface Opened<M extends object> {
  readonly session: Session;
  readonly driver: Driver;
  readonly log: ToldLog;
  readonly turns: HostTurns<M>;
}

export class MirroredSession<M extends object> {
  readonly id: string;
  readonly #kernel: Kernel;
  readonly #codec: HostCodec<M>;
  readonly #options: MirrorOptions;
  readonly #list: HostList<M>;
  readonly #line: HostLine;
  #opened: Opened<M> | undefined;
  /** What goes on behind the turn that ended last, and how much of that there is. */
  #background: Promise<void> = Promise.resolve();
  #behind = 0;
  /** Aborts when a turn has begun. */
  #resumed = new AbortController();
  /** Whether the newest request went out otherwise than it was prepared, so that its usage measures nothing here. */
  #isAstray = false;

  constructor(kernel: Kernel, id: string, codec: HostCodec<M>, options: MirrorOptions) {
    this.id = id;
    this.#kernel = kernel;
    this.#codec = codec;
    this.#options = options;
    this.#list = new HostList(codec);
    this.#line = new HostLine(kernel, id, () => this.#list.reset());
  }

  /** Whether nothing is done for it right now, and no run of the host is under way. */
  get isResting(): boolean {
    return this.#line.isEmpty && this.#behind === 0 && this.#opened?.turns.isRunning !== true;
  }

  get isClosed(): boolean {
    return this.#line.isEmpty && this.#opened === undefined;
  }

  beforeRequest(request: HostRequest<M>): Promise<HostAnswer<M>> {
    const own = { messages: request.messages, system: [] };
    return this.#line.run('beforeRequest', request.signal, own, async () => {
      this.#isAstray = true;
      return this.#prepare(request);
    });
  }

  afterFailure(request: HostRequest<M>, thrown: unknown): Promise<HostAnswer<M> | undefined> {
    return this.#line.run<HostAnswer<M> | undefined>('afterFailure', request.signal, undefined, async () => {
      const source = { model: request.model ?? 'the model', provider: 'the provider', now: 0 };
      const overflow = llmError(thrown, source);
      if (overflow.code !== 'PITH_LLM_OVERFLOW') return undefined;
      try {
        return await this.#prepare(request, overflow);
      } catch (error) {
        // That it does not become smaller is no failure of Pith: the host has the provider's own error.
        if (error === overflow || PithError.is(error, 'PITH_UNRECOVERABLE_OVERFLOW')) return undefined;
        throw error;
      }
    });
  }

  afterReply(reply: HostReply): Promise<void> {
    return this.#line.run('afterReply', undefined, undefined, async () => {
      const { log, turns } = await this.#open();
      await turns.tell(this.#isAstray ? { items: reply.items } : reply);
      log.catchUp();
    });
  }

  afterRun(messages?: readonly M[], outcome: Exclude<RunOutcome, 'yielded'> = 'finished'): Promise<void> {
    return this.#line.run('afterRun', undefined, undefined, async () => {
      if (messages !== undefined) await this.#sync(messages);
      await this.#opened?.turns.end(outcome);
    });
  }

  /**
   * Resolves when nothing is under way, or when a run of the host is, which work in the background may have to wait for. Never
   * rejects.
   */
  async idle(): Promise<void> {
    await this.#line.end();
    await this.#background;
  }

  close(): Promise<void> {
    return this.#line.run('close', undefined, undefined, async () => {
      const opened = this.#opened;
      this.#opened = undefined;
      this.#list.reset();
      await opened?.driver.close();
    });
  }

  async #prepare(
    { messages, system, tools, model, signal }: HostRequest<M>,
    overflow?: PithError,
  ): Promise<HostAnswer<M>> {
    await this.#sync(messages);
    const { session, driver, log, turns } = await this.#open();
    driver.use({ system: this.#promptOf(messages, system), tools, model });
    await turns.open();
    const abort = (): void => driver.abort('The host cancelled the request.');
    signal?.addEventListener('abort', abort, { once: true });
    try {
      signal?.throwIfAborted();
      const { context } = await driver.beforeRequest(overflow);
      this.#isAstray = false;
      return this.#written(context, messages, log);
    } catch (thrown) {
      // What stays too large is sent as small as it has become; whether that is taken, the provider says.
      if (overflow !== undefined || !PithError.is(thrown, 'PITH_UNRECOVERABLE_OVERFLOW')) throw thrown;
      this.#line.report('beforeRequest', thrown);
      return this.#written(session.get(CONTEXT).view(), messages, log);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  #written(context: ContextView, messages: readonly M[], log: ToldLog): HostAnswer<M> {
    return writeBack(context, { messages, list: this.#list, log, codec: this.#codec });
  }

  /** Brings the session up to what the host shows. */
  async #sync(messages: readonly M[]): Promise<void> {
    let opened = await this.#open();
    opened.log.catchUp();
    const divergence = this.#list.link(messages, opened.log);
    if (divergence !== undefined) {
      opened = await this.#fork(opened, divergence);
      this.#list.unlink(divergence);
    }
    await opened.turns.take(this.#list.fresh());
    this.#dropUnsent(opened);
  }

  /** Reasoning that the host was told of and does not keep is not sent. */
  #dropUnsent({ session, log }: Opened<M>): void {
    const items = log.reasoning
      .filter((number) => this.#list.entryAt(number) === undefined)
      .map((number) => session.item(number).id)
      .filter((id) => !log.unsent.has(id));
    if (items.length === 0) return;
    const reason = 'The host does not keep this reasoning.';
    session.record({ t: 'edits', by: BY_HOST, edits: [{ edit: 'drop', items }], reason });
    log.catchUp();
  }

  /** The host's system prompt: what it says beside its messages, and the system messages that they begin with. */
  #promptOf(messages: readonly M[], beside: string | undefined): string {
    const heads = messages.slice(0, this.#list.head).flatMap((message) => this.#list.items(message));
    const texts = heads.map((item) =>
      item.kind === 'message' ? item.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') : '',
    );
    return [beside ?? '', ...texts].filter((text) => text !== '').join('\n\n');
  }

  async #open(): Promise<Opened<M>> {
    return (this.#opened ??= await this.#begin());
  }

  async #begin(): Promise<Opened<M>> {
    const { session, restored } = await openMirror(this.#kernel, this.id, this.#options.root);
    return this.#driving(session, restored);
  }

  async #fork({ session, driver }: Opened<M>, divergence: number): Promise<Opened<M>> {
    const kernel = this.#kernel;
    const fork = await forkMirror(kernel, session, divergence);
    const told = { session: this.id, fork: fork.id, item: divergence };
    kernel.log.info('The host shows another conversation than before; a fork goes on.', told);
    this.#opened = undefined;
    try {
      await driver.close();
      await goOnIn(kernel, this.id, fork.id);
      return (this.#opened = await this.#driving(fork, true));
    } catch (thrown) {
      await fork.close();
      throw thrown;
    }
  }

  async #driving(session: Session, restored: boolean): Promise<Opened<M>> {
    const driver = drive(this.#kernel, session, { mirrors: true });
    const log = new ToldLog(session);
    log.catchUp();
    const turns = new HostTurns(driver, log, this.#list, {
      opened: () => this.#resumed.abort(),
      ended: () => this.#goesOn(driver),
      unheeded: (thrown) => this.#line.report('beforeRequest', thrown),
    });
    await driver.start(restored);
    return { session, driver, log, turns };
  }

  /** A turn is over: what goes on behind it is to be waited for until there is another one. */
  #goesOn(driver: Driver): void {
    const { signal } = (this.#resumed = new AbortController());
    const resumed = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.#behind++;
    this.#background = Promise.race([driver.idle(), resumed]).finally(() => this.#behind--);
    this.#options.waitUntil?.(this.#background);
  }
}
