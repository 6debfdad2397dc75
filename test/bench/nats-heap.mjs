// How much the heaps of an agent and of a real `pith worker` grow, after garbage collection, between job 200 and job 1,000.
//
//   npm run build && node --expose-gc test/bench/nats-heap.mjs [--json]
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './child.mjs';
import { compactOnce, startKernel } from './nats-agent.mjs';
import { busOn } from './nats-bus.mjs';
import { heapUsed } from './nats-heap-probe.mjs';
import { startServer } from './nats-server.mjs';

const FROM = 200;
const TO = 1000;
const MOST_MB = 5;

const here = dirname(fileURLToPath(import.meta.url));
const server = await startServer();
const worker = await startChild(
  join(here, '../../dist/core/cli/main.js'),
  ['worker', '--worker', 'offline', '--servers', server],
  { execArgv: ['--expose-gc', '--import', join(here, 'nats-heap-probe.mjs')] },
);
const kernel = await startKernel({ worker: 'remote', workerWaitSeconds: 10 }, { bus: await busOn(server) });

let first;
for (let job = 1; job <= TO; job++) {
  await compactOnce(kernel, `s${job}`);
  if (job === FROM) first = await heaps();
}
const last = await heaps();
const rows = ['agent', 'worker'].map((name) => ({
  name: `heap of the ${name}, from job ${FROM} to job ${TO}`,
  value: (last[name] - first[name]) / 1e6,
  unit: 'MB',
  limit: MOST_MB,
  note: `${megabytes(first[name])} to ${megabytes(last[name])}`,
}));
console.log(process.argv.includes('--json') ? JSON.stringify(rows) : rows);
process.exit();

async function heaps() {
  return { agent: await heapUsed(), worker: await worker.ask('heap') };
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
