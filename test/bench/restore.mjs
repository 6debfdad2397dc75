// Restoring a session of 20,000 items (S5.5): how long it takes, and the longest stretch that it blocks.
//
//   npm run build && node test/bench/restore.mjs [--json]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './median.mjs';

const require = createRequire(import.meta.url);
const {
  CONTEXT,
  createJsonlStore,
  createKernel,
  defaultService,
  openSession,
  SESSION_STORE,
} = require('../../dist/core/index.js');
const { stockPlugins } = require('../../dist/plugins/index.js');

const RUNS = 7;
const ITEMS = 20_000;
const NAMES = ['tracker', 'prune', 'compaction', 'auto-read-budget', 'guard'];

const dir = mkdtempSync(join(tmpdir(), 'pith-restore-'));
const store = createJsonlStore({ dir });

const startKernel = async () =>
  createKernel({
    plugins: await Promise.all(NAMES.map((name) => stockPlugins[name]())),
    config: { compaction: { compactThreshold: 1e9 } },
    log: { level: 'error', write: (entry) => console.error(entry.message) },
    defaults: [defaultService(SESSION_STORE, () => store)],
  });

const write = async () => {
  const kernel = await startKernel();
  const { session } = await openSession(kernel, { id: 'long' });
  for (let n = 0; n < ITEMS / 4; n++) {
    session.append([
      { kind: 'message', role: 'user', parts: [{ type: 'text', text: `Look at part ${n} once more, please.` }] },
      { kind: 'tool_call', callId: `c${n}`, name: 'read_file', arguments: { path: `src/part-${n % 50}.ts` } },
      {
        kind: 'tool_result',
        callId: `c${n}`,
        summary: `Part ${n} is as it was.`,
        content: [{ type: 'text', text: 'x = 1;\n'.repeat(20) }],
      },
      { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: `Part ${n} is fine.` }] },
    ]);
  }
  await session.close();
  await kernel.stop();
};

const restore = async () => {
  const kernel = await startKernel();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(20);
  const begun = performance.now();
  const { session } = await openSession(kernel, { id: 'long' });
  session.get(CONTEXT).view().occupancy();
  const took = performance.now() - begun;
  await sleep(5);
  delay.disable();
  if (session.itemCount !== ITEMS) throw new Error(`There are ${session.itemCount} items.`);
  await session.close();
  await kernel.stop();
  return { took, stall: delay.max / 1e6 };
};

await write();
const results = [];
for (let run = 0; run <= RUNS; run++) {
  const result = await restore();
  if (run > 0) results.push(result);
}
rmSync(dir, { recursive: true });
const note = `${median(results.map(({ took }) => took)).toFixed(0)} ms in all`;
const rows = [
  {
    name: 'longest stretch of restoring 20,000 items',
    value: median(results.map(({ stall }) => stall)),
    unit: 'ms',
    limit: 50,
    note,
  },
];
console.log(process.argv.includes('--json') ? JSON.stringify(rows) : rows);
