// A pool of compact workers: four agents have their sessions compacted, and one of two workers dies in the middle of it.
import { startAgent } from './agents.mjs';
import { startServer, startWorker } from './pool.mjs';

const agentNames = ['agent-1', 'agent-2', 'agent-3', 'agent-4'];
const workerNames = ['worker-1', 'worker-2'];

const server = await startServer([...agentNames, ...workerNames, 'monitor']);
console.log(`nats-server on ${server.url}, with the rights of user-password.conf`);

let begun = 0;
/** @type {() => void} */
let allBegun = () => undefined;
const underWay = new Promise((resolve) => (allBegun = () => resolve(undefined)));
const jobBegan = () => ++begun === agentNames.length && allBegun();
const workers = await Promise.all(workerNames.map((name) => startWorker(name, server, jobBegan)));
for (const { name, pid } of workers) console.log(`${name} serves as process ${pid}`);

const agents = await Promise.all(agentNames.map((name) => startAgent(name, server)));
for (const { name, conversation } of agents)
  console.log(`${name} has talked for ${[...conversation.session.items()].length} items`);

console.log('all four compact at once');
const compactions = agents.map(({ conversation }) => conversation.compact());
await underWay;
const [victim] = workers;
victim?.kill();
console.log(`${victim?.name} is killed in the middle of ${victim?.running.size} jobs`);

let compacted = 0;
for (const [at, compaction] of compactions.entries()) {
  const { id, outcome, before, after, reason } = await compaction;
  const servedBy = workers.find(({ done }) => done.has(id))?.name ?? 'nobody';
  if (outcome === 'done') compacted++;
  console.log(
    outcome === 'done'
      ? `${agentNames[at]}: ${id} by ${servedBy}, ${before.tokens} → ${after?.tokens} tokens`
      : `${agentNames[at]}: ${id} ${outcome}, ${reason}`,
  );
}

for (const { close } of agents) await close();
for (const worker of workers) if (worker !== victim) console.log(`${worker.name} ends with ${await worker.end()}`);
console.log(`${compacted} of ${agents.length} sessions are compacted`);
process.exit(compacted === agents.length ? 0 : 1);
