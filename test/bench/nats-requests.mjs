// How many requests a second the bus has answered over NATS beside the plain client with JSON, NestJS and Moleculer:
// requester and responder in processes of their own, the candidates in turn round by round; of a round the best of ten
// samples, of the rounds the median.
//
//   npm run build && node test/bench/nats-requests.mjs [--rounds 9] [--json]
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { median } from './median.mjs';
import { startServer } from './nats-server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const frameworks = join(here, '../consumers/nats-frameworks');

const PLAIN = 'client with JSON';
const BUS = 'bus';
const CANDIDATES = {
  [PLAIN]: join(here, 'nats-plain.mjs'),
  [BUS]: join(here, 'nats-pith.mjs'),
  'NestJS microservices': join(frameworks, 'nest.mjs'),
  Moleculer: join(frameworks, 'moleculer.mjs'),
};
/** Size in KB, requests in flight, milliseconds of one measurement, and at least how many times the plain rate. */
const CELLS = [
  { size: 1, inFlight: 32, ms: 600, least: 1.3 },
  { size: 100, inFlight: 32, ms: 1200, least: 1 },
  { size: 1, inFlight: 1, ms: 300 },
  { size: 100, inFlight: 1, ms: 300 },
];

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, json: { type: 'boolean' } },
});
if (!isInstalled()) install();
const server = await startServer();
const requesters = new Map();
for (const [name, path] of Object.entries(CANDIDATES)) requesters.set(name, await startPair(path));

const results = CELLS.map(() => new Map(Object.keys(CANDIDATES).map((name) => [name, []])));
for (let round = -1; round < Number(flags.rounds); round++) {
  for (const [at, { size, inFlight, ms }] of CELLS.entries()) {
    for (const [name, requester] of requesters) {
      const result = await requester.ask({ body: bodyOf(size), inFlight, ms });
      if (round >= 0) results[at].get(name).push(result); // the first round warms up
    }
  }
}
const rows = CELLS.flatMap((cell, at) => rowsOf(cell, results[at]));
console.log(flags.json ? JSON.stringify(rows) : rows);
process.exit();

/** Whether what is there is what the lockfile says, or newer. */
function isInstalled() {
  const installed = statSync(join(frameworks, 'node_modules/.package-lock.json'), { throwIfNoEntry: false });
  return installed !== undefined && installed.mtimeMs >= statSync(join(frameworks, 'package-lock.json')).mtimeMs;
}

function install() {
  const { status, stderr } = spawnSync('npm', ['ci', '--no-fund', '--no-audit'], { cwd: frameworks, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ci in test/consumers/nats-frameworks ended with ${status}: ${stderr}`);
}

async function startPair(path) {
  await startChild(join(here, 'nats-peer.mjs'), ['serve', path, server]);
  return startChild(join(here, 'nats-peer.mjs'), ['connect', path, server]);
}

/** A body of that many KB as JSON: a page of a conversation. */
function bodyOf(size) {
  const text = 'The importer skips a "line" when its columns differ; look at src/read.ts first.\n'
    .repeat(11)
    .slice(0, 940);
  const items = Array.from({ length: size }, (_, number) => ({
    number,
    role: number % 2 ? 'assistant' : 'user',
    text,
  }));
  return { id: 'a1b2c3', items };
}

/** How the candidates do in one cell, against the plain client in the same round. */
function rowsOf({ size, inFlight, least }, byName) {
  const plain = byName.get(PLAIN);
  return [...byName].map(([name, all]) => {
    const value = median(all.map(({ rate }, round) => rate / plain[round].rate));
    const [rate, latency] = [median(all.map((one) => one.rate)), median(all.map((one) => one.latency))];
    const note = `${rate.toFixed(0)}/s, p50 ${latency.toFixed(3)} ms`;
    const what = `${size} KB, ${inFlight} in flight: ${name} / plain`;
    return { name: what, value, unit: 'times', ...(name === BUS && least !== undefined && { least }), note };
  });
}
