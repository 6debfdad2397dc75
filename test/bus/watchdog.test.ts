import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { NO_DEADLINE, TICK_MS, ticksOf, watchdog, within } from '../../core/bus/watchdog';
import type { Watched } from '../../core/bus/watchdog';
import { PithError } from '../../core/errors';

const late = () => new PithError('PITH_BUS_TIMEOUT', 'too late');
const never = () => new Promise<never>(() => undefined);

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.advanceTimersByTime(TICK_MS);
  jest.useRealTimers();
});

function entry(ticks: number, expired: string[], name: string): Watched {
  return { due: watchdog.after(ticks), slot: -1, owner: expired, expire: () => void expired.push(name) };
}

describe('the watchdog', () => {
  it('expires what is due, once, and nothing before', () => {
    const expired: string[] = [];
    const [soon, later] = [entry(1, expired, 'soon'), entry(3, expired, 'later')];
    watchdog.watch(soon);
    watchdog.watch(later);
    jest.advanceTimersByTime(TICK_MS - 1);
    expect(expired).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(expired).toEqual(['soon']);
    jest.advanceTimersByTime(2 * TICK_MS);
    expect(expired).toEqual(['soon', 'later']);
    jest.advanceTimersByTime(10 * TICK_MS);
    expect(expired).toEqual(['soon', 'later']);
  });

  it('needs one timer for all, and none when nothing is watched', () => {
    const expired: string[] = [];
    const entries = Array.from({ length: 100 }, (_, at) => entry(1000, expired, String(at)));
    for (const one of entries) watchdog.watch(one);
    expect(jest.getTimerCount()).toBe(1);
    for (const one of entries) watchdog.unwatch(one);
    jest.advanceTimersByTime(TICK_MS);
    expect(jest.getTimerCount()).toBe(0);
    expect(expired).toEqual([]);
  });

  it('forgets what is taken off, in any order, and does not mind taking it off twice', () => {
    const expired: string[] = [];
    const entries = ['a', 'b', 'c', 'd'].map((name) => entry(1, expired, name));
    for (const one of entries) watchdog.watch(one);
    for (const at of [1, 1, 0, 3, 3]) watchdog.unwatch(entries[at]!);
    expect(watchdog.watchedOf(expired)).toEqual([entries[2]]);
    expect(watchdog.watchedOf({})).toEqual([]);
    jest.advanceTimersByTime(TICK_MS);
    expect(expired).toEqual(['c']);
  });

  it('does not expire what an earlier expiry has ended', () => {
    const expired: string[] = [];
    const second = entry(1, expired, 'second');
    const first: Watched = { ...entry(1, expired, 'first'), expire: () => watchdog.unwatch(second) };
    watchdog.watch(first);
    watchdog.watch(second);
    jest.advanceTimersByTime(2 * TICK_MS);
    expect(expired).toEqual([]);
  });

  it('leaves alone what has no deadline', () => {
    const expired: string[] = [];
    const human = entry(NO_DEADLINE, expired, 'human');
    watchdog.watch(human);
    jest.advanceTimersByTime(1000 * TICK_MS);
    expect(expired).toEqual([]);
    watchdog.unwatch(human);
  });
});

describe('ticksOf', () => {
  it('is never early, and due at the next tick for what is no time', () => {
    expect([1, TICK_MS, TICK_MS + 1, 5000].map(ticksOf)).toEqual([2, 2, 3, 101]);
    expect([0, -5, NaN].map(ticksOf)).toEqual([1, 1, 1]);
    expect([null, Infinity].map(ticksOf)).toEqual([NO_DEADLINE, NO_DEADLINE]);
  });
});

describe('within', () => {
  it('gives what comes in time, returned or promised', async () => {
    expect(await within(1000, () => 1, late)).toBe(1);
    expect(await within(1000, async () => 2, late)).toBe(2);
    await expect(within(1000, () => Promise.reject(new Error('no')), late)).rejects.toThrow('no');
    await expect(
      within(
        1000,
        () => {
          throw new Error('at once');
        },
        late,
      ),
    ).rejects.toThrow('at once');
    jest.advanceTimersByTime(TICK_MS);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('rejects when time is up, aborts the signal with that error and ignores the rest', async () => {
    let signal: AbortSignal | undefined;
    const outcome = within(
      10,
      (own) => {
        signal = own;
        return never();
      },
      late,
    ).catch((error: unknown) => error);
    jest.advanceTimersByTime(2 * TICK_MS);
    const error = await outcome;
    expect(error).toMatchObject({ code: 'PITH_BUS_TIMEOUT' });
    expect(signal?.reason).toBe(error);
  });

  it('waits for ever where there is no deadline', async () => {
    let settled = false;
    let end: () => void = () => undefined;
    const outcome = within(Infinity, () => new Promise<void>((resolve) => (end = resolve)), late).then(
      () => (settled = true),
    );
    jest.advanceTimersByTime(1e6);
    expect(settled).toBe(false);
    end();
    await outcome;
    expect(settled).toBe(true);
  });
});

describe('a process that has nothing left to do', () => {
  const run = (body: string) =>
    spawnSync(process.execPath, ['-r', 'ts-node/register/transpile-only', '-e', body], {
      cwd: resolve(__dirname, '../..'),
      encoding: 'utf8',
    });
  const load = `const { within, watchdog, NO_DEADLINE } = require('./core/bus/watchdog');`;

  it('waits for a deadline instead of ending without a word', () => {
    const { stdout, status } = run(
      `${load} within(60, () => new Promise(() => {}), () => new Error('late')).catch(({ message }) => console.log(message));`,
    );
    expect([stdout, status]).toEqual(['late\n', 0]);
  });

  it('does not wait for what has no deadline, nor for what has ended', () => {
    const { stdout, status } = run(`${load}
      watchdog.watch({ due: NO_DEADLINE, slot: -1, owner: {}, expire() {} });
      within(60, () => new Promise(() => {}), () => new Error('late')).catch(() => console.log('late'));
      within(600000, () => 1, () => new Error()).then(() => console.log('done'));`);
    expect([stdout, status]).toEqual(['done\nlate\n', 0]);
  });
});
