/**
 * What every compact worker must do, whoever writes the summary in it (S9.4 to S9.7, S9.12). Each check has a session of a
 * real kernel compacted by it. How good a summary is cannot be checked here.
 */
import type { Kernel } from '../kernel/kernel';
import type { PluginModule } from '../kernel/plugin';
import type { CheckedWorker } from './compaction-shapes';
import type { ContractCheck } from './contract-check';
import { workerEndChecks } from './worker-ends';
import { workerDutyChecks } from './worker-duties';
import { openWorkplace } from './worker-workplace';
import type { Workplace, WorkplaceSetup } from './worker-workplace';

/** A compact worker as the contract of workers tests it. */
export interface CompactWorkerUnderTest {
  /** `compaction` itself, and others that a worker meets at the desk, such as `tracker`, `auto-read-budget` and `guard`. */
  readonly plugins: readonly PluginModule[];
  /** Makes a worker for this kernel. One with a model has a double of it, which must write a summary of less than 1000 tokens. */
  create(kernel: Kernel): CheckedWorker | Promise<CheckedWorker>;
}

/** A check on workplaces that it opens itself. */
export interface WorkerCheck {
  readonly name: string;
  check(open: (setup?: WorkplaceSetup) => Promise<Workplace>): Promise<void>;
}

/** The checks of the contract of compact workers; `test.each` of any runner takes them. */
export function compactWorkerContract(under: CompactWorkerUnderTest): readonly ContractCheck[] {
  return [...workerDutyChecks, ...workerEndChecks].map(({ name, check }) => ({
    name,
    async run() {
      const places: Workplace[] = [];
      try {
        await check(async (setup = {}) => {
          const place = await openWorkplace(under, setup);
          places.push(place);
          return place;
        });
      } finally {
        for (const place of places) await place[Symbol.asyncDispose]();
      }
    },
  }));
}
