/**
 * The compact workers that come along (S9.12), and which of them serves. They are a service of their own, so that
 * `COMPACT_WORKER` has a default before any plugin is set up: a plugin that replaces that token wraps whichever worker the
 * manifest asks for. The setup of the compaction plugin offers what there is and says what `worker` of `[compaction]` says.
 */
import { PithError } from '../../../core/index';
import type { CompactWorker } from '../worker';
import { offlineWorker } from './offline/offline-worker';

/** What `worker` of `[compaction]` may name. */
export type WorkerName = 'offline' | 'llm';

export class StockWorkers {
  readonly #offered = new Map<WorkerName, CompactWorker>([['offline', offlineWorker]]);
  #asked: WorkerName | undefined;

  /** The worker that serves where no plugin provides another one. */
  readonly configured: CompactWorker = delegate(() => this.#chosen());

  /** Adds a worker; one that needs a model is offered only where there is one. */
  offer(name: WorkerName, worker: CompactWorker): void {
    this.#offered.set(name, worker);
  }

  /**
   * Takes what the manifest says; nothing means `llm` where that is offered, else `offline`. Throws `PITH_NOT_AVAILABLE` for
   * a worker that is not offered.
   */
  ask(name: WorkerName | undefined): void {
    if (name !== undefined && !this.#offered.has(name)) {
      throw new PithError(
        'PITH_NOT_AVAILABLE',
        `The compact worker "${name}" needs a model; add [model] or [compaction.model], or set worker = "offline".`,
      );
    }
    this.#asked = name;
  }

  /** Whether a worker is the offline one, and nobody else's. */
  isOffline(worker: CompactWorker): boolean {
    return worker === offlineWorker || (worker === this.configured && this.#chosen() === offlineWorker);
  }

  #chosen(): CompactWorker {
    return this.#offered.get(this.#asked ?? 'llm') ?? offlineWorker;
  }
}

/** A worker that is another one, whichever that is when it is asked. */
function delegate(chosen: () => CompactWorker): CompactWorker {
  return {
    get name() {
      return chosen().name;
    },
    run: (job, desk, options) => chosen().run(job, desk, options),
  };
}
