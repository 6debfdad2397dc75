/** One request on its way in this process (S4.1): answered, refused, late or cancelled, and only once. */
import { randomUUID } from 'node:crypto';
import { messageOf, PithError } from '../errors';
import type { Channel, Job, RequestOptions, ServedCall, TraceContext } from './bus';
import { messageFault } from './message';
import type { ObserverFault } from './observers';
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

/** Who works on a call; told once, when it is answered or over. */
export interface CallTaker {
  settled(call: Call): void;
}

export class Call implements Watched, ServedCall<unknown, unknown, unknown> {
  due: number;
  slot = -1;
  readonly #controller = new AbortController();
  readonly reply: Promise<unknown>;
  #resolve!: (reply: unknown) => void;
  #reject!: (error: PithError) => void;
  #open = true;
  #job: Job | undefined;

  constructor(
    readonly owner: CallHost,
    readonly taker: CallTaker,
    readonly channel: AnyChannel,
    readonly body: unknown,
    readonly options: AnyOptions,
  ) {
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.due = watchdog.after(ticksOf(options.deadlineMs));
    watchdog.watch(this);
    options.signal?.addEventListener('abort', this.#cancel);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get job(): Job {
    return (this.#job ??= this.options.job ?? { id: randomUUID(), attempt: 1 });
  }

  get trace(): TraceContext | undefined {
    return this.options.trace;
  }

  async ask(ask: unknown): Promise<unknown> {
    const { channel, options, signal } = this;
    const { subject, asks } = channel;
    if (!this.#open) throw signal.aborted ? signal.reason : cancelled(subject, 'answered');
    const fault = messageFault(asks?.request, ask, subject, 'ask');
    if (fault !== undefined) throw fault;
    const answer = await unlessAborted(signal, async () => {
      if (options.onAsk === undefined) throw rejected(subject, new Error('The requester answers no asks.'));
      try {
        return await options.onAsk(ask, signal);
      } catch (thrown) {
        throw rejected(subject, thrown);
      }
    });
    const wrong = messageFault(asks?.reply, answer, subject, 'answer');
    if (wrong !== undefined) throw wrong;
    return answer;
  }

  /** Ends the request with a reply; one that does not fit the schema ends it with `PITH_BUS_BAD_MESSAGE`. */
  answer(reply: unknown): void {
    const fault = this.#open ? messageFault(this.channel.reply, reply, this.channel.subject, 'reply') : undefined;
    if (fault !== undefined) this.end(fault);
    else if (this.#close()) this.#resolve(reply);
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
    try {
      this.options.onProgress?.(progress);
    } catch (error) {
      this.owner.report({ name: subject, error });
    }
  }

  /** Ends the request with an error and tells the responder, if it works on it. */
  end(error: PithError): void {
    if (!this.#close()) return;
    this.#controller.abort(error);
    this.#reject(error);
  }

  expire(): void {
    const { subject } = this.channel;
    const waited = `${String(this.options.deadlineMs)} ms`;
    this.end(
      new PithError(
        'PITH_BUS_TIMEOUT',
        `No reply came from "${subject}" within ${waited}; its work was told to stop.`,
        {
          details: { subject, deadlineMs: this.options.deadlineMs },
        },
      ),
    );
  }

  readonly #cancel = (): void => {
    this.end(cancelled(this.channel.subject, this.options.signal?.reason));
  };

  #close(): boolean {
    if (!this.#open) return false;
    this.#open = false;
    watchdog.unwatch(this);
    this.options.signal?.removeEventListener('abort', this.#cancel);
    this.taker.settled(this);
    return true;
  }
}

/** The error of a request, or of an ask, whose other side threw. */
export function rejected(subject: string, thrown: unknown): PithError {
  const said = PithError.is(thrown) ? { code: thrown.code, details: thrown.details } : {};
  return new PithError('PITH_BUS_REJECTED', `The other side of "${subject}" refused: ${messageOf(thrown)}`, {
    cause: thrown,
    details: { subject, ...said },
  });
}

/** The error of a request whose signal aborted. */
export function cancelled(subject: string, reason: unknown): PithError {
  return new PithError('PITH_BUS_CANCELLED', `The request to "${subject}" was cancelled.`, {
    cause: reason,
    details: { subject },
  });
}
