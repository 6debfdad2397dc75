/** Who writes the summaries in a worker process, and the kernel around it: guard and telemetry and nothing else, without files or sessions. */
import { llmWorker, offlineWorker } from '../../plugins/compaction';
import type { CompactWorker } from '../../plugins/compaction';
import { createKernel } from '../agent/create-kernel';
import { FILE_SOURCE } from '../files/file-source';
import type { FileSource } from '../files/file-source';
import { CLOCK } from '../kernel/clock';
import { IDS } from '../kernel/ids';
import type { Kernel } from '../kernel/kernel';
import { defaultService } from '../kernel/services';
import { behindBackoff } from './worker-backoff';
import type { SharedBackoff } from './worker-backoff';
import type { WorkerSettings } from './worker-settings';

/** Files are had at the desks of agents; this process shows none. */
const NO_FILES: FileSource = Object.freeze<FileSource>({
  canonical: (path) => path,
  display: (path) => path,
  read: (path) => Promise.resolve({ ok: false, path, reason: 'outside-scope' }),
});

/** Starts the model side of compactions (S3.5). Throws what starting plugins throws. */
export function modelSideKernel({ plugins, config, log }: WorkerSettings): Promise<Kernel> {
  return createKernel({
    plugins,
    config,
    log: log.sink,
    defaults: [defaultService(FILE_SOURCE, () => NO_FILES)],
  });
}

/** The worker with the model whose requests share one back-off, or the one without a model. */
export function modelSideWorker(kernel: Kernel, { model }: WorkerSettings, backoff: SharedBackoff): CompactWorker {
  if (model === undefined) return offlineWorker;
  return llmWorker({ model: behindBackoff(model, backoff), kernel, clock: kernel.get(CLOCK), ids: kernel.get(IDS) });
}
