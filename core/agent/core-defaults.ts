/** What the core serves where no plugin does (S3.3); the kernel itself adds the log sink. */
import { CONTEXT, createContext } from '../context/context';
import { createDiskFiles } from '../files/disk-files';
import { FILE_SOURCE } from '../files/file-source';
import { CLOCK, systemClock } from '../kernel/clock';
import { IDS, randomIds } from '../kernel/ids';
import { defaultService } from '../kernel/services';
import type { DefaultService } from '../kernel/services';
import { createMemoryStore } from '../session/memory-store';
import { SESSION_STORE } from '../session/store';
import { CALIBRATION, Calibration } from '../tokens/calibration';
import { createTiktoken } from '../tokens/tiktoken';
import { LIMITS, modelLimits } from '../tokens/model-limits';
import { TOKENIZER } from '../tokens/tokenizer';

/** One line per service; each is built on first use. */
export const coreDefaults: readonly DefaultService[] = Object.freeze([
  defaultService(CLOCK, () => systemClock),
  defaultService(IDS, () => randomIds),
  defaultService(TOKENIZER, () => createTiktoken()),
  defaultService(LIMITS, () => modelLimits),
  defaultService(CALIBRATION, () => new Calibration()),
  defaultService(FILE_SOURCE, () => createDiskFiles({ root: process.cwd() })),
  defaultService(SESSION_STORE, () => createMemoryStore()),
  defaultService(CONTEXT, (session, get) =>
    createContext(session, { tokenizer: get(TOKENIZER), calibration: get(CALIBRATION), limitsOf: get(LIMITS) }),
  ),
]);
