/**
 * What a host asks of one conversation, one thing behind another. Nothing that is asked for fails: where Pith does, the host
 * goes on with what it has, and `host.failed` is told.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { messageOf, PithError } from '../errors';
import type { ErrorCode } from '../errors';
import type { Kernel } from '../kernel/kernel';

/** What an adapter was at when Pith failed. */
export type HostStep = 'beforeRequest' | 'afterFailure' | 'afterReply' | 'afterRun' | 'close';

declare module '../bus/bus' {
  interface EventMap {
    /** Pith failed inside a host, which goes on without it: with its own messages, where it was about to send some. */
    'host.failed': {
      /** The id that the host gave its conversation. */
      readonly session: string;
      readonly step: HostStep;
      readonly code: ErrorCode | undefined;
      readonly message: string;
      readonly error: unknown;
    };
  }
}

/** The conversations that work is done for, so that a model that Pith asks is not taken for the host's own. */
const AT_WORK = new AsyncLocalStorage<ReadonlySet<object>>();

export class HostLine {
  readonly #kernel: Pick<Kernel, 'bus' | 'log'>;
  readonly #session: string;
  readonly #failed: () => void;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * @param session the id that the host gave its conversation
   * @param failed called before the host goes on with what it has
   */
  constructor(kernel: Pick<Kernel, 'bus' | 'log'>, session: string, failed: () => void) {
    this.#kernel = kernel;
    this.#session = session;
    this.#failed = failed;
  }

  /** Whether nothing is done and nothing waits. */
  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves when all that was asked for is done. */
  async end(): Promise<void> {
    await this.#last;
  }

  /** Does work when all that was asked for before is done; `own` is what the host has without it. Never rejects. */
  run<T>(step: HostStep, signal: AbortSignal | undefined, own: T, work: () => Promise<T>): Promise<T> {
    const atWork = AT_WORK.getStore();
    if (atWork?.has(this) === true || signal?.aborted === true) return Promise.resolve(own);
    this.#waiting++;
    const done = this.#last.then(async () => {
      try {
        return await AT_WORK.run(new Set(atWork).add(this), work);
      } catch (thrown) {
        this.#failed();
        if (signal?.aborted !== true) this.report(step, thrown);
        return own;
      } finally {
        this.#waiting--;
      }
    });
    this.#last = done;
    return done;
  }

  /** Tells of a failure. */
  report(step: HostStep, error: unknown): void {
    const message = messageOf(error);
    const code = PithError.is(error) ? error.code : undefined;
    const session = this.#session;
    try {
      this.#kernel.bus.publish('host.failed', { session, step, code, message, error });
      this.#kernel.log.warn('Pith failed; the host goes on with its own messages.', {
        session,
        step,
        code,
        error: message,
      });
    } catch {
      // A kernel that has stopped hears of nothing any more.
    }
  }
}
