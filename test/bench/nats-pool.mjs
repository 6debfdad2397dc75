// How long 32 compaction jobs take on four workers of capacity one, against four workers that are never idle. The jobs are
// offered by one agent, which waits for workers; what it takes to prepare a job is not part of it.
//
//   npm run build && node test/bench/nats-pool.mjs [--rounds 5] [--json]
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { median } from './median.mjs';
import { busOn } from './nats-bus.mjs';
import { startServer } from './nats-server.mjs';

const require = createRequire(import.meta.url);
const { systemClock } = require('../../dist/core/index.js');
const { remoteWorker } = require('../../dist/plugins/compaction/index.js');

const JOBS = 32;
const WORKERS = 4;
const JOB_MS = 250;
const IDEAL_MS = (JOBS / WORKERS) * JOB_MS;
const MOST_TIMES = 1.15;

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, json: { type: 'boolean' } },
});
const server = await startServer();
const script = join(dirname(fileURLToPath(import.meta.url)), 'nats-worker.mjs');
await Promise.all(Array.from({ length: WORKERS }, () => startChild(script, [String(JOB_MS), server])));
const worker = remoteWorker({ bus: await busOn(server), clock: systemClock, waitMs: 60_000 });

const times = [];
for (let round = -1; round < Number(flags.rounds); round++) {
  const begun = performance.now();
  await Promise.all(Array.from({ length: JOBS }, (_, n) => runJob(`job-${round + 1}-${n}`)));
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

function runJob(id) {
  const job = {
    id,
    sessionId: id,
    overview: 'A word of the history. '.repeat(1000),
    range: { from: 0, to: 100 },
    defaultReferences: [],
    format: { name: 'plain', instructions: 'Write.' },
    tools: [{ name: 'write_summary' }],
    limits: { summaryMaxTokens: 4_000, autoReadBudget: 8_000, maxInputTokens: 50_000, timeoutMs: 180_000 },
  };
  const desk = { call: async () => ({ summary: 'Summary taken.' }) };
  return worker.run(job, desk, { signal: new AbortController().signal, progress() {} });
}
