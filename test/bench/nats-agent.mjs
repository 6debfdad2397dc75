// The agent's side of the benchmarks of remote compaction: a kernel with the stock plugins, and sessions to compact.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const {
  COMPACT_POOL,
  COMPACTION,
  createDiskFiles,
  createKernel,
  createSession,
  defaultService,
  FILE_SOURCE,
  LLM,
} = require('../../dist/core/index.js');
const { agentHistory } = require('../../dist/core/testing/index.js');
const { stockPlugins } = require('../../dist/plugins/index.js');

const POOL = { tenant: 'default', pool: 'default', readsFiles: true };
const NAMES = ['tracker', 'prune', 'compaction', 'auto-read-budget', 'guard'];

/** A kernel with these keys of `[compaction]`, over this bus; its files lie in `root`. */
export async function startKernel(keys, { bus, model, root = process.cwd() } = {}) {
  return createKernel({
    plugins: await Promise.all(NAMES.map((name) => stockPlugins[name]())),
    config: { compaction: { compactThreshold: 1e9, fallback: 'none', retainedTokens: 2_000, ...keys } },
    log: { level: 'error', write: (entry) => console.error(entry.message) },
    bus,
    defaults: [
      defaultService(FILE_SOURCE, () => createDiskFiles({ root })),
      ...(bus === undefined ? [] : [defaultService(COMPACT_POOL, () => POOL)]),
      ...(model === undefined ? [] : [defaultService(LLM, () => model)]),
    ],
  });
}

/** Compacts a new session of some 10,000 tokens and resolves to the report; throws where no checkpoint came of it. */
export async function compactOnce(kernel, id) {
  const session = createSession({ id, services: (one) => kernel.scope(one) });
  session.append(agentHistory({ turns: 12, resultTokens: 250 }));
  const report = await kernel.get(COMPACTION).compact(session, { trigger: 'manual' });
  await session.close();
  if (report.outcome !== 'done') throw new Error(`The compaction ended as ${report.outcome}: ${report.reason}`);
  return report;
}
