import { z } from 'zod';
import { createLocalBus } from '../../core/bus/local-bus';
import type { Channel } from '../../core';
import { Places } from '../../core/cli/worker-places';
import { gate } from './chats';

const WORK: Channel<string, string> = { subject: 'work', request: z.string(), reply: z.string() };

/** Places on a bus of their own, each of which works until it is told to stop. */
function places(count: number) {
  const bus = createLocalBus();
  const free = new Map<string, () => void>();
  let [working, most] = [0, 0];
  const made = new Places(count, () =>
    bus.serve(
      WORK,
      async (job) => {
        most = Math.max(most, ++working);
        await new Promise<void>((resolve) => free.set(job, resolve));
        working--;
        return job;
      },
      { concurrency: 1, whenFull: 'refuse' },
    ),
  );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    places: made,
    working: () => working,
    most: () => most,
    settle,
    ask: (job: string) => bus.request(WORK, job, { deadlineMs: 10_000 }),
    end: (job: string) => free.get(job)?.(),
  };
}

const NOBODY = { code: 'PITH_BUS_NO_RESPONDER' };

describe('the places of a worker', () => {
  test('take as many jobs at once as there are, and no more', async () => {
    const { places: two, ask, end, settle, most } = places(2);
    await expect(ask('early')).rejects.toMatchObject(NOBODY);
    two.enter();
    const jobs = [ask('a'), ask('b')];
    await settle();
    await expect(ask('c')).rejects.toMatchObject(NOBODY);
    end('a');
    await jobs[0];
    const last = ask('c');
    await settle();
    end('b');
    end('c');
    expect(await Promise.all([jobs[1], last])).toEqual(['b', 'c']);
    expect(most()).toBe(2);
  });

  test('leave together, end what they have, and take nothing meanwhile', async () => {
    const { places: two, ask, end, settle } = places(2);
    two.enter();
    const job = ask('a');
    await settle();
    const left = gate();
    void two.leave().then(left.open);
    await settle();
    expect(two.isIn).toBe(false);
    await expect(ask('b')).rejects.toMatchObject(NOBODY);
    end('a');
    expect(await job).toBe('a');
    await left.opened;
  });

  test('who comes back while a job is still under way has no place for another in its stead', async () => {
    const { places: two, ask, end, settle, most } = places(2);
    two.enter();
    const first = ask('a');
    await settle();
    void two.leave();
    two.enter();
    await settle();
    const second = ask('b');
    await settle();
    await expect(ask('c')).rejects.toMatchObject(NOBODY);
    end('a');
    await first;
    await settle();
    const third = ask('c');
    await settle();
    end('b');
    end('c');
    await Promise.all([second, third]);
    expect(most()).toBe(2);
    await two.leave();
    await two.leave();
  });
});
