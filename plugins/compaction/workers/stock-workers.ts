/**
 * The compact workers that come along (S9.12), and which of them serves. They are a service of their own, so that
 * `COMPACT_WORKER` has a default before any plugin is set up: a plugin that replaces that token wraps whichever worker the
 * manifest asks for. The setup of the compaction plugin offers what there is and says what `worker` of `[compaction]` says.
 */
import { PithError } from '../../../core/index';
import type { CompactWorker } from '../worker';
import { offlineWorker } from './offline/offline-worker';

/** What `worker` of `[compaction]` may name. */
export type WorkerName = 'offline' | 'llm' | 'remote';

/** What a worker that is not offered lacks. */
const NEEDS: Readonly<Record<Exclude<WorkerName, 'offline'>, string>> = {
  llm: 'a model; add [model] or [compaction.model]',
  remote:
    'a bus to other processes; set [transport] kind = "nats" and servers (in code: give the kernel such a bus, and COMPACT_POOL)',
};

export class StockWorkers {
  readonly #offered = new Map<WorkerName, CompactWorker>([['offline', offlineWorker]]);
  #asked: WorkerName | undefined;

  /** The worker that serves where no plugin provides another one. */
  readonly configured: CompactWorker = delegate(() => this.#chosen());

  /** Adds a worker; one that needs a model or other processes is offered only where there are such. */
  offer(name: WorkerName, worker: CompactWorker): void {
    this.#offered.set(name, worker);
  }

  /**
   * Takes what the manifest says; nothing means `llm` where that is offered, else `offline`. Throws `PITH_NOT_AVAILABLE` for
   * a worker that is not offered.
   */
  ask(name: WorkerName | undefined): void {
    if (name !== undefined && name !== 'offline' && !this.#offered.has(name)) {
      throw new PithError(
        'PITH_NOT_AVAILABLE',
        `The compact worker "${name}" needs ${NEEDS[name]}; or set worker = "offline".`,
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
    get waitMs() {
      return chosen().waitMs ?? 0;
    },
    get readsFiles() {
      return chosen().readsFiles ?? true;
    },
    run: (job, desk, options) => chosen().run(job, desk, options),
  };
}
