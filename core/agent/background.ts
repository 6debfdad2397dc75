/** Work of plugins that goes on while nobody waits for it (S3.5 `background`). */
import type { Bus } from '../bus/bus';
import { messageOf, PithError } from '../errors';
import type { Logger } from '../kernel/logger';
import { pluginErrorReporter } from '../kernel/plugin-error';
import type { Background } from './hooks';

export class BackgroundWork {
  readonly #report: (error: PithError) => void;
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(kernel: { readonly bus: Bus; readonly log: Logger }) {
    this.#report = pluginErrorReporter(kernel.bus, kernel.log);
  }

  /** Starts a plugin's work. Its failure is the plugin's: it is reported and harms nobody. */
  start(plugin: string, { reason, run }: Background): void {
    const work = (async () => run(this.#abort.signal))().catch((cause: unknown) => {
      if (this.#abort.signal.aborted) return;
      const message = `Plugin "${plugin}" failed in the background (${reason}): ${messageOf(cause)}`;
      this.#report(new PithError('PITH_HOOK_FAILED', message, { plugin, hook: 'post_run', cause }));
    });
    this.#running.add(work);
    void work.then(() => this.#running.delete(work));
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Cancels what runs and waits for its end. */
  async close(reason: Error): Promise<void> {
    this.#abort.abort(reason);
    await this.idle();
  }
}
