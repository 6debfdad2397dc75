/** Whole jobs on a simulated network, and what may befall them. */
import fc from 'fast-check';
import type { Timings } from '../../../core/bus/nats/job-machine';
import { SimulatedAgent, TICK_MS } from './simulated-agent';
import { SimulatedNetwork } from './simulated-network';
import type { Fate } from './simulated-network';
import { SimulatedWorker } from './simulated-worker';
import type { Work, WorkScript, WorkStep } from './simulated-worker';

export const timings: Timings = { acceptMs: 400, heartbeatMs: 300, missed: 4, probeMs: 100, resendMs: 150 };
/** Longer than all that a script does on a calm network. */
export const DEADLINE_MS = 20_000;

/** Something that befalls the processes or the server, so many milliseconds after the beginning. */
export interface Mishap {
  readonly at: number;
  readonly what: 'kill' | 'freeze' | 'cut' | 'restart' | 'cancel';
  readonly whom: number;
  readonly forMs: number;
}

export interface Scenario {
  readonly fates: readonly Fate[];
  readonly script: WorkScript;
  readonly workers: number;
  readonly deadlineMs: number;
  readonly mishaps: readonly Mishap[];
}

export interface Played {
  readonly network: SimulatedNetwork;
  readonly agent: SimulatedAgent;
  readonly workers: readonly SimulatedWorker[];
  readonly works: readonly Work[];
}

/** Plays a scenario until long after every deadline. */
export function play({ fates, script, workers, deadlineMs, mishaps }: Scenario): Played {
  const network = new SimulatedNetwork(fates);
  const agent = new SimulatedAgent(network, timings, deadlineMs);
  for (const mishap of mishaps) network.after(mishap.at, () => befall(network, agent, mishap));
  network.run(TICK_MS / 2); // the ticks of the processes do not come together
  for (let n = 0; n < workers; n++) {
    agent.workers.push(new SimulatedWorker(network, timings, script, `worker-${String(n)}`));
  }
  agent.offer();
  network.run(3 * deadlineMs + 10_000);
  return { network, agent, workers: agent.workers, works: agent.workers.flatMap(({ works }) => works) };
}

function befall(network: SimulatedNetwork, agent: SimulatedAgent, { what, whom, forMs }: Mishap): void {
  const station = network.stations[whom % network.stations.length]!;
  if (what === 'cancel') agent.cancel();
  else if (what === 'kill') network.kill(station);
  else if (what === 'restart') network.restart(({ name }) => forMs + (name === station.name ? 200 : 0));
  else network[what](station, forMs);
}

export const fast: fc.Arbitrary<Fate> = fc.tuple(fc.integer({ min: 1, max: 40 }));
const slow: fc.Arbitrary<Fate> = fc.tuple(fc.integer({ min: 1, max: 1500 }));
const lost: fc.Arbitrary<Fate> = fc.constant([]);
const doubled: fc.Arbitrary<Fate> = fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 800 }));
const anyFate = fc.oneof({ weight: 6, arbitrary: fast }, { weight: 1, arbitrary: slow }, lost, doubled);

const step: fc.Arbitrary<WorkStep> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<WorkStep>({ do: 'ask' }) },
  { weight: 2, arbitrary: fc.constant<WorkStep>({ do: 'progress' }) },
  { weight: 1, arbitrary: fc.constant<WorkStep>({ do: 'await' }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 900 }).map((ms): WorkStep => ({ do: 'pause', ms })) },
);
const script = fc.record({ steps: fc.array(step, { maxLength: 60, size: 'max' }), fails: fc.boolean() });
const mishap: fc.Arbitrary<Mishap> = fc.record({
  at: fc.integer({ min: 0, max: 3000 }),
  what: fc.constantFrom('kill', 'freeze', 'cut', 'restart', 'cancel'),
  whom: fc.nat(2),
  forMs: fc.integer({ min: 1, max: 2500 }),
});
export const calm = { workers: fc.constant(2), deadlineMs: fc.constant(DEADLINE_MS), mishaps: fc.constant([]), script };
export const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  fates: fc.array(anyFate, { maxLength: 300, size: 'max' }),
  script,
  workers: fc.constantFrom(0, 1, 1, 2, 2),
  deadlineMs: fc.oneof(fc.constant(DEADLINE_MS), fc.integer({ min: 0, max: 3000 })),
  mishaps: fc.array(mishap, { maxLength: 4 }),
});
