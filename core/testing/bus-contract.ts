/**
 * What every bus must do, whatever carries it (S4.1): the same checks with the same outcomes for each transport. They need
 * no test runner: each is a name and a function that rejects where the bus is not as it must be.
 */
import type { Bus } from '../bus/bus';
import { askChecks, askEndChecks } from './bus-asks';
import { eventChecks } from './bus-events';
import { jobChecks } from './bus-jobs';
import { requestChecks } from './bus-requests';
import { closingChecks, responderChecks } from './bus-responders';
import type { ContractCheck } from './contract-check';

/** Both ends of a transport; the same bus where all of it is in one process. */
export interface BusPair {
  readonly requester: Bus;
  readonly responder: Bus;
  /** Resolves when all that either end has sent so far has arrived; missing where that is at once. */
  settled?(): Promise<void>;
}

/** A bus as the contract of buses tests it. */
export interface BusUnderTest {
  /** Makes two open ends; the checks close both. */
  create(): BusPair | Promise<BusPair>;
}

/** A check on a pair that it gets and need not close. */
export interface PairCheck {
  readonly name: string;
  check(pair: Required<BusPair>): Promise<void>;
}

/** The checks of the bus contract; `test.each` of any runner takes them. */
export function busContract(bus: BusUnderTest): readonly ContractCheck[] {
  return [
    ...eventChecks,
    ...requestChecks,
    ...responderChecks,
    ...jobChecks,
    ...askChecks,
    ...askEndChecks,
    ...closingChecks,
  ].map(({ name, check }) => ({
    name,
    async run() {
      const pair = await bus.create();
      try {
        await check({ settled: turn, ...pair });
      } finally {
        await Promise.all([pair.requester.close(), pair.responder.close()]);
      }
    },
  }));
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
