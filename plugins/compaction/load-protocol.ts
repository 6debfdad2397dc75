/** Loads the messages of remote compaction, and with them zod, when jobs are about to cross a process. */
import type * as Protocol from './protocol';

/** What `protocol.ts` exports. */
export function loadProtocol(): typeof Protocol {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- import() would start the ESM loader for what is CommonJS
  return require('./protocol') as typeof Protocol;
}
