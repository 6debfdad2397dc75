import { OPEN_ASKS } from '../../../core/bus/nats/job-machine';
import type { Timings, WorkAction, WorkEnd, WorkInput } from '../../../core/bus/nats/job-machine';
import { WorkMachine } from '../../../core/bus/nats/work-machine';
import type { Terms } from '../../../core/bus/nats/work-machine';
import { PithError } from '../../../core/errors';

const timings: Timings = { acceptMs: 500, heartbeatMs: 1000, missed: 3, probeMs: 200, resendMs: 300 };
const tick: WorkInput = { type: 'tick' };
const heard: WorkInput = { type: 'heard' };
const beat: WorkAction = { type: 'heartbeat' };
const finished: WorkInput = { type: 'finished', reply: 'summary' };
const result: WorkAction = { type: 'result', reply: 'summary' };
const asks = (ask: string): WorkInput => ({ type: 'ask', ask });
const sent = (seq: number, ask: string): WorkAction => ({ type: 'ask', seq, ask });
const over = (end: WorkEnd): WorkAction => ({ type: 'over', end });

function working(terms: Partial<Terms> = {}): WorkMachine {
  return new WorkMachine({ heartbeatMs: 1000, missed: Infinity, deadlineMs: 60_000, ...terms }, timings, 0);
}

/** A job whose first heartbeat was sent and answered. */
function beating(deadlineMs = 60_000): WorkMachine {
  const machine = working({ deadlineMs });
  expect(machine.step(tick, 0)).toEqual([beat]);
  expect(machine.step(heard, 0)).toEqual([]);
  return machine;
}

describe('the heartbeat of a worker', () => {
  it('goes out at the first tick and then at its pace', () => {
    const machine = beating();
    expect(machine.step(tick, 999)).toEqual([]);
    expect(machine.step(tick, 1000)).toEqual([beat]);
    expect(machine.step(tick, 1999)).toEqual([]);
    expect(machine.step(tick, 2000)).toEqual([beat]);
  });

  it('is as fast as the agent expects, or faster', () => {
    expect(working({ heartbeatMs: 400 }).heartbeatMs).toBe(400);
    expect(working({ heartbeatMs: 4000 }).heartbeatMs).toBe(1000);
    const machine = working({ heartbeatMs: 400 });
    machine.step(tick, 0);
    expect(machine.step(tick, 399)).toEqual([]);
    expect(machine.step(tick, 400)).toEqual([beat]);
  });

  it('goes on until the reply is acknowledged', () => {
    const machine = beating();
    machine.step(finished, 900);
    expect(machine.step(tick, 1000)).toEqual([beat]);
  });
});

describe('a worker without an answer', () => {
  it('gives up after so many heartbeats', () => {
    const machine = beating();
    expect(machine.step(tick, 2999)).toEqual([beat]);
    expect(machine.isOver).toBe(false);
    expect(machine.step(tick, 3000)).toEqual([over({ type: 'silent' })]);
    expect(machine.isOver).toBe(true);
  });

  it.each<WorkInput>([heard, { type: 'answer', seq: 1, answer: 'yes' }])('goes on when it gets one: $type', (sign) => {
    const machine = beating();
    machine.step(sign, 500);
    expect(machine.step(tick, 3499)).toEqual([beat]);
    expect(machine.step(tick, 3500)).toEqual([over({ type: 'silent' })]);
  });

  it('has as much patience with an agent that is not heard as that has with it', () => {
    const machine = working({ missed: 5 });
    expect(machine.step(tick, 4999)).not.toContainEqual(over({ type: 'silent' }));
    expect(machine.step(tick, 5000)).toEqual([over({ type: 'silent' })]);
  });

  it('keeps a finished reply until the deadline', () => {
    const machine = beating(10_000);
    machine.step(finished, 100);
    expect(machine.step(tick, 9999)).toEqual([beat, result]);
    expect(machine.step(tick, 10_000)).toEqual([over({ type: 'timeout' })]);
  });
});

describe('a worker', () => {
  it('gives up at the deadline', () => {
    const machine = beating(100);
    expect(machine.step(tick, 99)).toEqual([]);
    expect(machine.step(tick, 100)).toEqual([over({ type: 'timeout' })]);
  });

  it.each(['gone', 'nobody'] as const)('gives up at once when a request of it is answered: %s', (type) => {
    expect(beating().step({ type }, 1)).toEqual([over({ type })]);
  });

  it('gives up when its side wants it to', () => {
    const error = new PithError('PITH_BUS_CANCELLED', 'no more');
    expect(beating().step({ type: 'end', error }, 1)).toEqual([over({ type: 'ended', error })]);
  });

  it('does not believe that nobody is there when it has just reconnected', () => {
    const machine = beating();
    expect(machine.step({ type: 'reconnected' }, 100)).toEqual([]);
    expect(machine.step({ type: 'nobody' }, 599)).toEqual([]);
    expect(machine.step({ type: 'nobody' }, 600)).toEqual([over({ type: 'nobody' })]);
    const denied = beating();
    denied.step({ type: 'reconnected' }, 100);
    expect(denied.step({ type: 'gone' }, 101)).toEqual([over({ type: 'gone' })]);
  });

  it('numbers its progress', () => {
    const machine = beating();
    const told = ['a', 'b'].flatMap((progress) => machine.step({ type: 'progress', progress }, 0));
    expect(told).toEqual([
      { type: 'progress', seq: 1, progress: 'a' },
      { type: 'progress', seq: 2, progress: 'b' },
    ]);
  });

  it('says nothing when it is over', () => {
    const machine = beating();
    machine.step(asks('one'), 0);
    machine.step({ type: 'gone' }, 1);
    const inputs: WorkInput[] = [
      tick,
      asks('two'),
      { type: 'progress', progress: 'a' },
      finished,
      { type: 'failed', error: 'broken' },
      { type: 'answer', seq: 1, answer: 'yes' },
      { type: 'nobody' },
    ];
    for (const input of inputs) expect(machine.step(input, 90_000)).toEqual([]);
  });
});

describe('the reply of a worker', () => {
  it.each<[WorkInput, WorkAction]>([
    [finished, result],
    [
      { type: 'failed', error: 'broken' },
      { type: 'error', error: 'broken' },
    ],
  ])('is sent again until it is acknowledged', (input, reply) => {
    const machine = beating();
    expect(machine.step(input, 10)).toEqual([reply]);
    expect(machine.step(tick, 309)).toEqual([]);
    expect(machine.step(tick, 310)).toEqual([reply]);
    expect(machine.step(tick, 609)).toEqual([]);
    expect(machine.step(tick, 610)).toEqual([reply]);
    expect(machine.step({ type: 'acknowledged' }, 700)).toEqual([over({ type: 'acknowledged' })]);
  });

  it('is the last that is sent of its work, and the only one', () => {
    const machine = beating();
    machine.step(asks('one'), 0);
    machine.step(finished, 10);
    expect(machine.step({ type: 'failed', error: 'broken' }, 11)).toEqual([]);
    expect(machine.step(asks('two'), 11)).toEqual([]);
    expect(machine.step({ type: 'progress', progress: 'a' }, 11)).toEqual([]);
    expect(machine.step({ type: 'answer', seq: 1, answer: 'yes' }, 11)).toEqual([]);
    expect(machine.step(tick, 310)).toEqual([result]);
  });
});

describe('the asks of a worker', () => {
  it('are numbered, sent again until they are answered, and each answered to whoever asked', () => {
    const machine = beating();
    expect(machine.step(asks('one'), 10)).toEqual([sent(1, 'one')]);
    expect(machine.step(asks('two'), 20)).toEqual([sent(2, 'two')]);
    expect(machine.step(tick, 309)).toEqual([]);
    expect(machine.step(tick, 310)).toEqual([sent(1, 'one')]);
    expect(machine.step(tick, 320)).toEqual([sent(2, 'two')]);
    expect(machine.step({ type: 'answer', seq: 2, answer: 'yes' }, 330)).toEqual([
      { type: 'answer', ask: 'two', answer: 'yes' },
    ]);
    expect(machine.step({ type: 'answer', seq: 2, answer: 'no' }, 340)).toEqual([]);
    expect(machine.step(tick, 620)).toEqual([sent(1, 'one')]);
  });

  it('wait while the lowest that is open is too far behind', () => {
    const machine = beating();
    const first = Array.from({ length: OPEN_ASKS }, (_, at) => machine.step(asks(`ask ${String(at + 1)}`), 0));
    expect(first.flat()).toHaveLength(OPEN_ASKS);
    expect(machine.step(asks('ask 17'), 0)).toEqual([]);
    expect(machine.step(asks('ask 18'), 0)).toEqual([]);
    expect(machine.step({ type: 'answer', seq: 2, answer: 'yes' }, 0)).toHaveLength(1);
    expect(machine.step({ type: 'answer', seq: 1, answer: 'yes' }, 0)).toEqual([
      { type: 'answer', ask: 'ask 1', answer: 'yes' },
      sent(17, 'ask 17'),
      sent(18, 'ask 18'),
    ]);
    expect(machine.step(asks('ask 19'), 0)).toEqual([]);
    expect(machine.step({ type: 'answer', seq: 3, answer: 'yes' }, 0)).toContainEqual(sent(19, 'ask 19'));
  });

  it('are sent at once again where all before were answered', () => {
    const machine = beating();
    for (let seq = 1; seq <= 40; seq++) {
      expect(machine.step(asks('more'), 0)).toEqual([sent(seq, 'more')]);
      machine.step({ type: 'answer', seq, answer: 'yes' }, 0);
    }
  });
});
