import type { OfferAction, OfferInput, Outcome, Timings } from '../../../core/bus/nats/job-machine';
import { OfferMachine } from '../../../core/bus/nats/offer-machine';
import { PithError } from '../../../core/errors';

const timings: Timings = { acceptMs: 500, heartbeatMs: 1000, missed: 3, probeMs: 200, resendMs: 300 };
const accepted: OfferInput = { type: 'accepted', worker: 'w1', heartbeatMs: 1000 };
const heartbeat: OfferInput = { type: 'heartbeat', to: 'beat' };
const tick: OfferInput = { type: 'tick' };
const result: OfferInput = { type: 'result', reply: 'summary', to: 'end' };
const probe: OfferAction = { type: 'probe', worker: 'w1' };
const cancel: OfferAction = { type: 'cancel', worker: 'w1' };
const error = new PithError('PITH_BUS_CANCELLED', 'no more');
const ask = (seq: number, to = `to ${String(seq)}`): OfferInput => ({
  type: 'ask',
  seq,
  ask: `ask ${String(seq)}`,
  to,
});
const answered = (seq: number): OfferInput => ({ type: 'answered', seq, answer: `answer ${String(seq)}` });
const settle = (outcome: Outcome): OfferAction => ({ type: 'settle', outcome });
const deny = (code: 410 | 422 | 429, to: string): OfferAction => ({ type: 'deny', code, to });

function offered(deadlineMs = 60_000): OfferMachine {
  return new OfferMachine(deadlineMs, timings, 0);
}

/** A job that a worker accepted at once. */
function taken(deadlineMs = 60_000): OfferMachine {
  const machine = offered(deadlineMs);
  expect(machine.step(accepted, 0)).toEqual([]);
  return machine;
}

describe('an offer that nobody has taken', () => {
  it('is lost when no worker is heard of in time', () => {
    const machine = offered();
    expect(machine.step(tick, 499)).toEqual([]);
    expect(machine.isOver).toBe(false);
    expect(machine.step(tick, 500)).toEqual([settle({ type: 'lost', stage: 'offered', sign: 'silent' })]);
    expect(machine.isOver).toBe(true);
  });

  it.each(['nobody', 'busy'] as const)('ends at once when the answer is: %s', (type) => {
    expect(offered().step({ type }, 1)).toEqual([settle({ type: 'nobody', busy: type === 'busy' })]);
  });

  it.each<OfferInput>([accepted, heartbeat, ask(1), { type: 'progress', seq: 1, progress: 'half' }])(
    'is taken by whoever sends $type',
    (frame) => {
      const machine = offered();
      machine.step(frame, 400);
      expect(machine.step(tick, 600)).toEqual([]);
      expect(machine.step({ type: 'nobody' }, 600)).toEqual([]);
      expect(machine.step({ type: 'busy' }, 600)).toEqual([]);
      expect(machine.step({ type: 'end', error }, 600)).toContainEqual(settle({ type: 'ended', error }));
    },
  );

  it('may be answered by the result alone', () => {
    expect(offered().step(result, 1)).toEqual([
      { type: 'acknowledge', to: 'end' },
      settle({ type: 'done', reply: 'summary' }),
    ]);
  });

  it('ends at a deadline that comes first', () => {
    expect(offered(100).step(tick, 99)).toEqual([]);
    expect(offered(100).step(tick, 100)).toEqual([settle({ type: 'timeout' })]);
  });
});

describe('an offer that a worker has taken', () => {
  it('acknowledges its heartbeats, its result and its error', () => {
    const machine = taken();
    expect(machine.step(heartbeat, 1)).toEqual([{ type: 'acknowledge', to: 'beat' }]);
    expect(machine.step({ type: 'error', error: 'no model', to: 'end' }, 1)).toEqual([
      { type: 'acknowledge', to: 'end' },
      settle({ type: 'failed', error: 'no model' }),
    ]);
    expect(taken().step(result, 1)).toEqual([
      { type: 'acknowledge', to: 'end' },
      settle({ type: 'done', reply: 'summary' }),
    ]);
  });

  it('ends at its deadline and has the worker told', () => {
    const machine = taken(1400);
    expect(machine.step(tick, 1399)).toEqual([]);
    expect(machine.step(tick, 1400)).toEqual([cancel, settle({ type: 'timeout' })]);
  });

  it('ends when this side wants it to and has the worker told', () => {
    expect(taken().step({ type: 'end', error }, 1)).toEqual([cancel, settle({ type: 'ended', error })]);
  });

  it('tells a second worker to stop and keeps to the first', () => {
    const machine = taken();
    expect(machine.step({ ...accepted, worker: 'w2' }, 0)).toEqual([{ type: 'cancel', worker: 'w2' }]);
    expect(machine.step(accepted, 0)).toEqual([]);
    expect(machine.step(tick, 1501)).toEqual([probe]);
  });

  it('tells of progress in rising order and of none twice', () => {
    const machine = taken();
    const told = [2, 1, 2, 5, 4, 6].flatMap((seq) => machine.step({ type: 'progress', seq, progress: seq }, 0));
    expect(told).toEqual([2, 5, 6].map((progress) => ({ type: 'progress', progress })));
  });

  it('denies the asks that still wait when it ends', () => {
    const machine = taken();
    machine.step(ask(1), 0);
    machine.step(answered(1), 0);
    expect(machine.step(ask(2), 0)).toEqual([{ type: 'execute', seq: 2, ask: 'ask 2' }]);
    expect(machine.step(result, 0).slice(2)).toEqual([deny(410, 'to 2')]);
    expect(machine.step(answered(2), 0)).toEqual([]);
  });

  it('answers with 410 when it is over, and says nothing else', () => {
    const machine = taken();
    machine.step(result, 1);
    expect(machine.step(result, 2)).toEqual([deny(410, 'end')]);
    expect(machine.step(heartbeat, 2)).toEqual([deny(410, 'beat')]);
    expect(machine.step(ask(1), 2)).toEqual([deny(410, 'to 1')]);
    const silent: OfferInput[] = [accepted, tick, { type: 'end', error }, { type: 'nobody' }, answered(1)];
    for (const input of silent) expect(machine.step(input, 90_000)).toEqual([]);
  });
});

describe('the silence of a worker', () => {
  it('has it probed after one and a half heartbeats, and again while the probes stay unanswered', () => {
    const machine = taken();
    expect(machine.step(tick, 1500)).toEqual([]);
    expect(machine.step(tick, 1501)).toEqual([probe]);
    expect(machine.step(tick, 1700)).toEqual([]);
    expect(machine.step(tick, 1701)).toEqual([probe]);
  });

  it('loses it after so many heartbeats', () => {
    const machine = taken();
    expect(machine.step(tick, 2999)).toEqual([probe]);
    expect(machine.step(tick, 3000)).toEqual([cancel, settle({ type: 'lost', stage: 'accepted', sign: 'silent' })]);
  });

  it.each<OfferInput>([
    accepted,
    heartbeat,
    ask(1),
    { type: 'progress', seq: 1, progress: 'half' },
    { type: 'probed', found: 'known' },
  ])('is broken by $type', (sign) => {
    const machine = taken();
    machine.step(sign, 1400);
    expect(machine.step(tick, 2900)).toEqual([]);
    expect(machine.step(tick, 2901)).toEqual([probe]);
    expect(machine.step(tick, 4399)).toEqual([probe]);
    expect(machine.step(tick, 4400)).toContainEqual(settle({ type: 'lost', stage: 'accepted', sign: 'silent' }));
  });

  it.each(['unknown', 'nobody'] as const)('loses it at once where a probe finds: %s', (found) => {
    const machine = taken();
    machine.step(tick, 1600);
    expect(machine.step({ type: 'probed', found }, 1601)).toEqual([
      cancel,
      settle({ type: 'lost', stage: 'accepted', sign: found }),
    ]);
  });

  it('is counted at the pace of the worker, but no slower than expected', () => {
    const quick = offered();
    quick.step({ ...accepted, heartbeatMs: 100 }, 0);
    expect(quick.step(tick, 150)).toEqual([]);
    expect(quick.step(tick, 151)).toEqual([probe]);
    expect(quick.step(tick, 300)).toContainEqual(settle({ type: 'lost', stage: 'accepted', sign: 'silent' }));
    const slow = offered();
    slow.step({ ...accepted, heartbeatMs: 100_000 }, 0);
    expect(slow.step(tick, 1501)).toEqual([probe]);
  });

  it('loses also a worker whose name never came, without a word to it', () => {
    const machine = offered();
    machine.step(heartbeat, 0);
    expect(machine.step(tick, 2999)).toEqual([]);
    expect(machine.step(tick, 3000)).toEqual([settle({ type: 'lost', stage: 'accepted', sign: 'silent' })]);
  });

  it('is not held against it by a server that has just come back', () => {
    const machine = taken();
    expect(machine.step({ type: 'reconnected' }, 1600)).toEqual([]);
    expect(machine.step({ type: 'probed', found: 'nobody' }, 2099)).toEqual([]);
    expect(machine.step({ type: 'probed', found: 'nobody' }, 2100)).toContainEqual(
      settle({ type: 'lost', stage: 'accepted', sign: 'nobody' }),
    );
    const restarted = taken();
    restarted.step({ type: 'reconnected' }, 1600);
    expect(restarted.step({ type: 'probed', found: 'unknown' }, 1601)).toContainEqual(
      settle({ type: 'lost', stage: 'accepted', sign: 'unknown' }),
    );
  });
});
