/** One request on its way in this process (S4.1): answered, refused, late or cancelled, and only once. */
import { randomUUID } from 'node:crypto';
import type { PithError } from '../errors';
import type { Channel, Job, RequestOptions, ServedCall, TraceContext } from './bus';
import { messageFault } from './message';
import type { ObserverFault } from './observers';
import { cancelled, rejected, timedOut } from './refusals';
import { unlessAborted } from './unless-aborted';
import { ticksOf, watchdog } from './watchdog';
import type { Watched } from './watchdog';

/** A channel whose message types do not matter to whoever carries it. */
export type AnyChannel = Channel<unknown, unknown, unknown, unknown, unknown>;
/** Options of a request whose message types do not matter. */
export type AnyOptions = RequestOptions<unknown, unknown, unknown>;

/** The bus that carries a call. */
export interface CallHost {
  /** Told what a requester's own listener threw. */
  report(fault: ObserverFault): void;
}

/** Who works on a call, or has it worked on elsewhere. */
export interface CallTaker {
  /** Told once: the call is answered or, with an error, over. */
  settled(call: Call, error?: PithError): void;
}

/** Told what the responder says; what comes of that is up to who has it. */
export abstract class Call implements Watched, ServedCall<unknown, unknown, unknown> {
  due: number;
  slot = -1;
  /** Made when somebody asks for the signal, which few do. */
  #controller: AbortController | undefined;
  #error: PithError | undefined;
  #cancel: (() => void) | undefined;
  #open = true;
  #job: Job | undefined;

  constructor(
    readonly owner: CallHost,
    readonly taker: CallTaker,
    readonly channel: AnyChannel,
    readonly body: unknown,
    readonly options: AnyOptions,
  ) {
    this.due = watchdog.after(ticksOf(options.deadlineMs));
    watchdog.watch(this);
    if (options.signal !== undefined) {
      this.#cancel = () => this.end(cancelled(channel.subject, options.signal?.reason));
      options.signal.addEventListener('abort', this.#cancel);
    }
  }

  /** Takes the reply, once. */
  protected abstract replied(reply: unknown): void;
  /** Takes the error in its place, once. */
  protected abstract failed(error: PithError): void;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#error !== undefined && !this.#controller.signal.aborted) this.#controller.abort(this.#error);
    return this.#controller.signal;
  }

  get job(): Job {
    return (this.#job ??= this.options.job ?? { id: randomUUID(), attempt: 1 });
  }

  get trace(): TraceContext | undefined {
    return this.options.trace;
  }

  async ask(ask: unknown): Promise<unknown> {
    const { subject, asks } = this.channel;
    if (!this.#open) throw this.#error ?? cancelled(subject, 'answered');
    const fault = messageFault(asks?.request, ask, subject, 'ask');
    if (fault !== undefined) throw fault;
    const answer = await unlessAborted(this.signal, () => this.handOver(ask));
    const wrong = messageFault(asks?.reply, answer, subject, 'answer');
    if (wrong !== undefined) throw wrong;
    return answer;
  }

  /** Has the requester hear progress that fits. */
  protected tell(progress: unknown): void {
    try {
      this.options.onProgress?.(progress);
    } catch (error) {
      this.owner.report({ name: this.channel.subject, error });
    }
  }

  /** Has the requester do an ask that fits; rejects with what the responder is to see. */
  protected async handOver(ask: unknown): Promise<unknown> {
    const { channel, options, signal } = this;
    if (options.onAsk === undefined) throw rejected(channel.subject, new Error('The requester answers no asks.'));
    try {
      return await options.onAsk(ask, signal);
    } catch (thrown) {
      throw rejected(channel.subject, thrown);
    }
  }

  /** Ends the request with a reply; one that does not fit the schema ends it with `PITH_BUS_BAD_MESSAGE`. */
  answer(reply: unknown): void {
    const fault = this.#open ? messageFault(this.channel.reply, reply, this.channel.subject, 'reply') : undefined;
    if (fault !== undefined) this.end(fault);
    else if (this.#close()) this.replied(reply);
  }

  /** Ends the request because the responder threw. */
  reject(thrown: unknown): void {
    this.end(rejected(this.channel.subject, thrown));
  }

  progress(progress: unknown): void {
    if (!this.#open) return;
    const { subject } = this.channel;
    const fault = messageFault(this.channel.progress, progress, subject, 'progress');
    if (fault !== undefined) return this.end(fault);
    this.tell(progress);
  }

  /** Ends the request with an error and tells the responder, if it works on it. */
  end(error: PithError): void {
    if (!this.#close(error)) return;
    this.#controller?.abort(error);
    this.failed(error);
  }

  expire(): void {
    this.end(timedOut(this.channel.subject, this.options.deadlineMs));
  }

  #close(error?: PithError): boolean {
    if (!this.#open) return false;
    this.#open = false;
    this.#error = error;
    watchdog.unwatch(this);
    if (this.#cancel !== undefined) this.options.signal?.removeEventListener('abort', this.#cancel);
    this.taker.settled(this, error);
    return true;
  }
}

/** A call as whoever makes it has it. */
export class MadeCall extends Call {
  readonly reply: Promise<unknown>;
  #resolve!: (reply: unknown) => void;
  #reject!: (error: PithError) => void;

  constructor(owner: CallHost, taker: CallTaker, channel: AnyChannel, body: unknown, options: AnyOptions) {
    super(owner, taker, channel, body, options);
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  protected replied(reply: unknown): void {
    this.#resolve(reply);
  }

  protected failed(error: PithError): void {
    this.#reject(error);
  }
}
