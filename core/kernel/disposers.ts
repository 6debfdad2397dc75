/** What must be undone, newest first (S3.4). Every disposer runs, whatever the others do. */
import { within } from '../bus/watchdog';
import { messageOf, PithError } from '../errors';
import type { Awaitable } from './hooks';

interface Disposer {
  /** Whose it is; `core` for what no plugin made. */
  readonly owner: string;
  run(): Awaitable<void>;
}

export class Disposers {
  readonly #stack: Disposer[] = [];
  #ended = false;

  /** @param deadlineMs milliseconds that each disposer has */
  constructor(
    readonly deadlineMs: number,
    readonly report: (error: PithError) => void,
  ) {}

  /** Keeps a disposer; runs it at once where the others have run already. */
  add(owner: string, run: () => Awaitable<void>): void {
    this.#stack.push({ owner, run });
    if (this.#ended) void this.dispose();
  }

  /** Keeps what has `Symbol.asyncDispose` or `Symbol.dispose`. */
  addValue(owner: string, value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = value as Partial<AsyncDisposable & Disposable>;
    if (later !== undefined) this.add(owner, () => later.call(value));
    else if (now !== undefined) this.add(owner, () => now.call(value));
  }

  /** Runs all disposers one after another, newest first, and returns the errors, each of which was reported. */
  async dispose(): Promise<readonly PithError[]> {
    this.#ended = true;
    const errors: PithError[] = [];
    for (let disposer = this.#stack.pop(); disposer !== undefined; disposer = this.#stack.pop()) {
      const { owner, run } = disposer;
      try {
        await within(this.deadlineMs, run, () => this.#late(owner));
      } catch (thrown) {
        const error = PithError.is(thrown, 'PITH_PLUGIN_STOP') ? thrown : failed(owner, thrown);
        this.report(error);
        errors.push(error);
      }
    }
    return errors;
  }

  #late(plugin: string): PithError {
    const message = `"${plugin}" did not end within ${String(this.deadlineMs)} ms while stopping; the others go on.`;
    return new PithError('PITH_PLUGIN_STOP', message, { plugin });
  }
}

function failed(plugin: string, cause: unknown): PithError {
  const message = `"${plugin}" failed while stopping: ${messageOf(cause)}`;
  return new PithError('PITH_PLUGIN_STOP', message, { plugin, cause });
}
