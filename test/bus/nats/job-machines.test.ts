import fc from 'fast-check';
import { KEPT_ANSWERS, OPEN_ASKS } from '../../../core/bus/nats/job-machine';
import { anyScenario, calm, DEADLINE_MS, fast, play, timings } from './job-scenarios';
import type { Mishap, Played } from './job-scenarios';
import { answerTo, TICK_MS } from './simulated-agent';
import type { Offer } from './simulated-agent';
import type { Fate } from './simulated-network';
import type { Work } from './simulated-worker';

/** Runs a property of whatever the network, the processes and the server do. */
function whateverHappens(check: (played: Played) => void): void {
  fc.assert(fc.property(anyScenario, (scenario) => check(play(scenario))));
}

const offersOf = ({ agent }: Played): readonly Offer[] => (agent.station.isKilled ? [] : agent.offers);
const livingWorksOf = ({ works }: Played): readonly Work[] => works.filter(({ worker }) => !worker.station.isKilled);
const isRising = (numbers: readonly number[]): boolean => numbers.every((n, at) => at === 0 || n > numbers[at - 1]!);

describe('a job, whatever the network loses, doubles, delays and reorders and whoever dies', () => {
  it('is settled once, at its deadline at the latest', () => {
    whateverHappens((played) => {
      for (const { agent, at, settled } of offersOf(played)) {
        expect(settled).toHaveLength(1);
        const thawed = Math.max(at + agent.deadlineMs, agent.station.frozenUntil);
        expect(settled[0]!.at).toBeLessThanOrEqual(thawed + TICK_MS);
      }
    });
  });

  it('is done at most once, with what the work on that very attempt returned', () => {
    whateverHappens(({ agent, works }) => {
      const ends = agent.offers.flatMap((offer) => offer.settled.map(({ outcome }) => ({ offer, outcome })));
      expect(ends.filter(({ outcome }) => outcome.type === 'done' || outcome.type === 'failed').length).toBeLessThan(2);
      for (const { offer, outcome } of ends) {
        if (outcome.type !== 'done' && outcome.type !== 'failed') continue;
        const work = works.find((one) => one.offer === offer)!;
        expect(work.finishedAt).toBeDefined();
        expect(outcome).toEqual(
          work.worker.script.fails ? { type: 'failed', error: work.reply } : { type: 'done', reply: work.reply },
        );
      }
    });
  });

  it('has each of its asks done once and answered by what was asked', () => {
    whateverHappens(({ agent, works }) => {
      for (const { executed } of agent.offers) expect(new Set(executed).size).toBe(executed.length);
      for (const { answers } of works) {
        expect(new Set(answers.map(({ ask }) => ask)).size).toBe(answers.length);
        for (const { ask, answer } of answers) expect(answer).toBe(answerTo(ask));
      }
    });
  });

  it('has its progress told in order, without doubles', () => {
    whateverHappens(({ agent }) => {
      for (const { progress } of agent.offers) expect(isRising(progress)).toBe(true);
    });
  });

  it('leaves machines that are over silent but for 410', () => {
    whateverHappens(({ agent, works }) => {
      for (const { late } of works) expect(late).toEqual([]);
      for (const { late } of agent.offers) {
        for (const action of late) expect(action).toMatchObject({ type: 'deny', code: 410 });
      }
    });
  });

  it('is over for every worker too, at its deadline at the latest', () => {
    whateverHappens((played) => {
      for (const { overs, startedAt, offer, worker } of livingWorksOf(played)) {
        expect(overs).toHaveLength(1);
        const deadline = Math.max(startedAt + offer.agent.deadlineMs, worker.station.frozenUntil);
        expect(overs[0]!.at).toBeLessThanOrEqual(deadline + TICK_MS);
      }
    });
  });

  it('never has a worker work on two attempts at once', () => {
    whateverHappens(({ workers }) => {
      for (const { busiest } of workers) expect(busiest).toBeLessThan(2);
    });
  });

  it('never has an ask refused that keeps to the rules', () => {
    whateverHappens(({ agent }) => {
      for (const { denials } of agent.offers) expect(denials).not.toContain(429);
    });
  });
});

describe('a job on a network without faults', () => {
  const orderly = fc.record({ ...calm, fates: fc.array(fast, { maxLength: 400, size: 'max' }) });

  it('is done at the first attempt, however its messages interleave', () => {
    fc.assert(
      fc.property(orderly, (scenario) => {
        const { agent, works } = play(scenario);
        expect(agent.offers).toHaveLength(1);
        expect(agent.offers[0]!.settled[0]!.outcome.type).toBe(scenario.script.fails ? 'failed' : 'done');
        expect(agent.offers[0]!.executed).toHaveLength(scenario.script.steps.filter((one) => one.do === 'ask').length);
        // a heartbeat that the reply overtook is told that the job is over
        expect(['acknowledged', 'gone']).toContain(works[0]!.overs[0]!.end.type);
      }),
    );
  });

  it('is done at the first attempt also where messages come twice and two of them never', () => {
    const twice = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 200 }));
    const rough = fc.record({
      ...calm,
      fates: fc.array(fc.oneof(fast, twice), { minLength: 2, maxLength: 200, size: 'max' }),
      lost: fc.tuple(fc.nat(199), fc.nat(199)),
    });
    fc.assert(
      fc.property(rough, ({ lost: places, ...scenario }) => {
        const fates = scenario.fates.map((fate, at) => (places.includes(at) ? [] : fate));
        const { agent } = play({ ...scenario, fates: [[1], [1], ...fates] });
        expect(agent.offers).toHaveLength(1);
        expect(agent.offers[0]!.settled[0]!.outcome.type).toBe(scenario.script.fails ? 'failed' : 'done');
      }),
    );
  });
});

describe('a job whose server restarts', () => {
  it('goes on where the server is back within the patience of both sides', () => {
    const restart = fc.record({
      at: fc.integer({ min: 60, max: 3000 }),
      what: fc.constant<Mishap['what']>('restart'),
      whom: fc.nat(2),
      forMs: fc.integer({ min: 1, max: 300 }),
    });
    const scenarios = fc.record({
      ...calm,
      fates: fc.array(fast, { maxLength: 200, size: 'max' }),
      mishaps: fc.tuple(restart),
    });
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const { agent } = play({ ...scenario, fates: [[1], [1], [1], ...scenario.fates] });
        expect(agent.offers).toHaveLength(1);
        expect(agent.offers[0]!.settled[0]!.outcome.type).toBe(scenario.script.fails ? 'failed' : 'done');
      }),
    );
  });
});

describe('a worker whose agent is gone', () => {
  /** Works for longer than anybody waits. */
  const busy = { steps: [{ do: 'ask' }, { do: 'pause', ms: 8000 }, { do: 'ask' }], fails: false } as const;

  function worksAfter(what: 'kill' | 'cancel' | 'freeze', at: number, fates: readonly Fate[]): readonly Work[] {
    const mishaps = [{ at, what, whom: 0, forMs: 60_000 }];
    return play({ fates: [[1], [1], ...fates], script: busy, workers: 1, deadlineMs: DEADLINE_MS, mishaps }).works;
  }

  it('stops within a heartbeat of its death, as the server says at the next exchange', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 5000 }), fc.array(fast), (at, fates) => {
        const { overs } = worksAfter('kill', at, fates)[0]!;
        expect(overs[0]!.end.type).toBe('nobody');
        expect(overs[0]!.at).toBeLessThanOrEqual(at + timings.heartbeatMs + 2 * TICK_MS + 4 * 40);
      }),
    );
  });

  it('stops within a heartbeat of its denial, also where its cancel is lost', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 5000 }), fc.array(fast), fc.boolean(), (at, fates, noCancel) => {
        const { overs } = worksAfter('cancel', at, noCancel ? [...fates, []] : fates)[0]!;
        expect(overs[0]!.at).toBeLessThanOrEqual(at + 2 * timings.heartbeatMs + 2 * TICK_MS + 4 * 40);
      }),
    );
  });

  it('stops after so many heartbeats without an answer where it is only silent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 5000 }), fc.array(fast), (at, fates) => {
        const { overs } = worksAfter('freeze', at, fates)[0]!;
        expect(overs[0]!.end.type).toBe('silent');
        expect(overs[0]!.at).toBeLessThanOrEqual(at + timings.missed * timings.heartbeatMs + TICK_MS + 40);
      }),
    );
  });
});

describe('an agent whose worker is gone', () => {
  const busy = { steps: [{ do: 'ask' }, { do: 'pause', ms: 8000 }], fails: false } as const;

  it('offers the job again, to a worker that does it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 5000 }), fc.array(fast), fc.boolean(), (at, fates, isKilled) => {
        const mishaps = [{ at, what: isKilled ? 'kill' : 'freeze', whom: 1, forMs: 60_000 } as const];
        const { agent } = play({
          fates: [[1], [1], ...fates],
          script: busy,
          workers: 2,
          deadlineMs: DEADLINE_MS,
          mishaps,
        });
        const [first, second] = agent.offers;
        const sign = isKilled ? 'nobody' : 'silent';
        expect(first!.settled[0]!.outcome).toEqual({ type: 'lost', stage: 'accepted', sign });
        const patience = (isKilled ? 1.5 : timings.missed) * timings.heartbeatMs;
        expect(first!.settled[0]!.at).toBeLessThanOrEqual(at + patience + 3 * TICK_MS + 3 * 40);
        expect(second!.settled[0]!.outcome).toEqual({ type: 'done', reply: 'worker-1 2' });
      }),
    );
  });
});

it('has fewer asks open than answers kept', () => {
  expect(OPEN_ASKS).toBeLessThanOrEqual(KEPT_ANSWERS);
});
