import { PithError } from '../../core';
import type { AgentEvent } from '../../core';
import { OpenRun } from '../../core/agent/run';

const FINISHED = { outcome: 'finished', text: 'Done.' } as const;
const REFUSED = { outcome: 'aborted', text: '', reason: 'no' } as const;

async function eventsOf(run: OpenRun): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe('a run', () => {
  it('ends once, whatever comes after it', async () => {
    const aborts: string[] = [];
    const run = new OpenRun((_run, reason) => aborts.push(reason));
    run.emit({ type: 'turn', turn: 1 });
    run.abort('enough');
    run.emit({ type: 'end', end: FINISHED });
    run.emit({ type: 'turn', turn: 2 });
    run.refuse(new PithError('PITH_RUN_ABORTED', 'no'), REFUSED);
    run.abort('too late');
    expect([run.ended, await run.outcome, aborts]).toEqual([true, FINISHED, ['enough']]);
    expect(await eventsOf(run)).toEqual([
      { type: 'turn', turn: 1 },
      { type: 'end', end: FINISHED },
    ]);
    expect(await eventsOf(run)).toEqual([]);
  });

  it('tells each event as it comes', async () => {
    const run = new OpenRun(() => undefined);
    const events = run[Symbol.asyncIterator]();
    for (const turn of [1, 2]) {
      const next = events.next();
      run.emit({ type: 'turn', turn });
      expect(await next).toEqual({ done: false, value: { type: 'turn', turn } });
    }
    run.emit({ type: 'turn', turn: 3 });
    run.emit({ type: 'end', end: FINISHED });
    expect((await events.next()).value).toEqual({ type: 'turn', turn: 3 });
    expect((await events.next()).value).toEqual({ type: 'end', end: FINISHED });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('whose prompt is refused was never accepted; nobody has to ask', async () => {
    const run = new OpenRun(() => undefined);
    run.refuse(new PithError('PITH_RUN_ABORTED', 'no'), REFUSED);
    expect(await run.outcome).toEqual(REFUSED);
    run.accept();
    await expect(run.accepted).rejects.toMatchObject({ code: 'PITH_RUN_ABORTED', message: 'no' });
  });
});
