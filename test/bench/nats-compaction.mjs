// What a compaction takes longer with its worker in another process than with the same worker in this one: a scripted model
// of 0 ms that reads fifty files and writes a summary. In turn; the median of the differences.
//
//   npm run build && node test/bench/nats-compaction.mjs [--rounds 15] [--json]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { median } from './median.mjs';
import { compactOnce, startKernel } from './nats-agent.mjs';
import { busOn } from './nats-bus.mjs';
import { FILES, fileName, fileReadingModel } from './nats-model.mjs';
import { startServer } from './nats-server.mjs';

const MOST_MS = 60;
const WARM_UPS = 3;

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, json: { type: 'boolean' } },
});
const root = mkdtempSync(join(tmpdir(), 'pith-bench-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));
for (let n = 0; n < FILES; n++)
  writeFileSync(join(root, fileName(n)), `Part ${n}: ${'some words of it '.repeat(50)}\n`);

const server = await startServer();
await startChild(join(dirname(fileURLToPath(import.meta.url)), 'nats-worker.mjs'), ['llm', server]);
const roomy = { compactWorkerMaxInputTokens: 10_000_000 };
const kernels = {
  local: await startKernel({ worker: 'llm', ...roomy }, { model: fileReadingModel(), root }),
  remote: await startKernel({ worker: 'remote', ...roomy }, { bus: await busOn(server), root }),
};
const times = { local: [], remote: [] };
let asks = 0;
kernels.remote.bus.on('hook:pre_tool_call', () => asks++);
for (let round = -WARM_UPS; round < Number(flags.rounds); round++) {
  for (const [where, kernel] of Object.entries(kernels)) {
    const begun = performance.now();
    await compactOnce(kernel, `${where}${round}`);
    if (round >= 0) times[where].push(performance.now() - begun);
  }
}
const asked = asks / (Number(flags.rounds) + WARM_UPS);
if (asked < FILES) throw new Error(`The worker asked ${asked} times per compaction instead of ${FILES}.`);
const rows = [
  {
    name: `compaction with ${asked} asks: remote - local`,
    value: median(times.remote.map((ms, round) => ms - times.local[round])),
    unit: 'ms',
    limit: MOST_MS,
    note: `medians ${median(times.remote).toFixed(1)} and ${median(times.local).toFixed(1)} ms`,
  },
];
console.log(flags.json ? JSON.stringify(rows) : rows);
process.exit();
