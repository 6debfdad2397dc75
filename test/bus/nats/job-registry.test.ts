import fc from 'fast-check';
import { JobRegistry } from '../../../core/bus/nats/job-registry';

const job = (id: string, attempt = 1) => ({ id, attempt });

describe('the jobs of a worker process', () => {
  it('are found by their very attempt while they run', () => {
    const jobs = new JobRegistry<string>();
    expect(jobs.find(job('a'))).toBeUndefined();
    expect(jobs.begin(job('a', 2), 'work')).toBeUndefined();
    expect(jobs.find(job('a', 2))).toBe('work');
    expect(jobs.find(job('a', 1))).toBeUndefined();
    expect(jobs.find(job('a', 3))).toBeUndefined();
    expect([jobs.size, jobs.all()]).toEqual([1, ['work']]);
    jobs.end(job('a', 2));
    expect(jobs.find(job('a', 2))).toBeUndefined();
    expect([jobs.size, jobs.all()]).toEqual([0, []]);
  });

  it('are begun once, also when they have ended', () => {
    const jobs = new JobRegistry<string>();
    expect(jobs.admits(job('a', 2))).toBe(true);
    jobs.begin(job('a', 2), 'work');
    expect([1, 2, 3].map((attempt) => jobs.admits(job('a', attempt)))).toEqual([false, false, true]);
    jobs.end(job('a', 2));
    expect([1, 2, 3].map((attempt) => jobs.admits(job('a', attempt)))).toEqual([false, false, true]);
    expect(jobs.admits(job('b'))).toBe(true);
  });

  it('give way to a later attempt, whose end alone counts', () => {
    const jobs = new JobRegistry<string>();
    jobs.begin(job('a', 1), 'first');
    expect(jobs.begin(job('a', 2), 'second')).toBe('first');
    jobs.end(job('a', 1));
    expect(jobs.all()).toEqual(['second']);
    jobs.end(job('a', 2));
    expect([2, 3].map((attempt) => jobs.admits(job('a', attempt)))).toEqual([false, true]);
  });

  it('are remembered, the last 256 that ended', () => {
    const jobs = new JobRegistry<string>();
    const run = (id: string, attempt = 1): void => {
      jobs.begin(job(id, attempt), 'work');
      jobs.end(job(id, attempt));
    };
    for (let n = 0; n < 256; n++) run(String(n));
    expect(jobs.admits(job('0'))).toBe(false);
    run('0', 2);
    expect(jobs.admits(job('1'))).toBe(false);
    run('256');
    expect(jobs.admits(job('1'))).toBe(true);
    expect(jobs.admits(job('0', 2))).toBe(false);
    expect(jobs.admits(job('2'))).toBe(false);
  });

  it('never run twice at once, whatever is offered and ends', () => {
    const move = fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 4 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(move), (moves) => {
        const jobs = new JobRegistry<string>();
        const running = new Map<string, number>();
        const begun = new Set<string>();
        for (const [id, attempt, isOffer] of moves) {
          const name = `${id}${String(attempt)}`;
          if (!isOffer) {
            jobs.end(job(id, attempt));
            if (running.get(id) === attempt) running.delete(id);
          } else if (jobs.admits(job(id, attempt))) {
            expect(begun.has(name)).toBe(false);
            begun.add(name);
            const earlier = running.get(id);
            expect(jobs.begin(job(id, attempt), name)).toBe(
              earlier === undefined ? undefined : `${id}${String(earlier)}`,
            );
            running.set(id, attempt);
          }
          expect([...jobs.all()].sort()).toEqual([...running].map(([key, n]) => `${key}${String(n)}`).sort());
        }
      }),
    );
  });
});
