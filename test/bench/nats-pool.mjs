// How long 32 compactions take on four workers of capacity one, against what four workers that are never idle would take.
//
//   npm run build && node test/bench/nats-pool.mjs [--rounds 5] [--json]
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { median } from './median.mjs';
import { compactOnce, startKernel } from './nats-agent.mjs';
import { busOn } from './nats-bus.mjs';
import { startServer } from './nats-server.mjs';

const JOBS = 32;
const WORKERS = 4;
const JOB_MS = 250;
const IDEAL_MS = (JOBS / WORKERS) * JOB_MS;
const MOST_TIMES = 1.15;

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, json: { type: 'boolean' } },
});
const server = await startServer();
const worker = join(dirname(fileURLToPath(import.meta.url)), 'nats-worker.mjs');
await Promise.all(Array.from({ length: WORKERS }, () => startChild(worker, [String(JOB_MS), server])));
const kernel = await startKernel({ worker: 'remote', workerWaitSeconds: 60 }, { bus: await busOn(server) });

const times = [];
for (let round = -1; round < Number(flags.rounds); round++) {
  const begun = performance.now();
  await Promise.all(Array.from({ length: JOBS }, (_, n) => compactOnce(kernel, `s${round}-${n}`)));
  if (round >= 0) times.push(performance.now() - begun); // the first round warms up
}
const rows = [
  {
    name: `${JOBS} jobs of ${JOB_MS} ms on ${WORKERS} workers / ideal`,
    value: median(times) / IDEAL_MS,
    unit: 'times',
    limit: MOST_TIMES,
    note: `${times.map((ms) => ms.toFixed(0)).join(', ')} / ${IDEAL_MS} ms`,
  },
];
console.log(flags.json ? JSON.stringify(rows) : rows);
process.exit();
