import { PithError } from '../../core';
import type { LogEntry } from '../../core';
import { SharedBackoff } from '../../core/cli/worker-backoff';
import { WorkerCounts } from '../../core/cli/worker-counts';
import { watchedWorker } from '../../core/cli/worker-jobs';
import { createWorkerLog } from '../../core/cli/worker-log';
import { createVirtualClock } from '../../core/testing';
import type { CompactJob, CompactWorker, Desk } from '../../plugins/compaction';
import { USED } from '../support/worker';
import { gate } from './chats';

const SECRET = 'what the user said to the agent';
const JOB: CompactJob = {
  id: 'compaction-1',
  sessionId: 'session-1',
  overview: SECRET,
  focus: SECRET,
  range: { from: 0, to: 9 },
  defaultReferences: [],
  format: { name: 'stock', instructions: SECRET },
  tools: [],
  limits: { summaryMaxTokens: 4000, autoReadBudget: 0, maxInputTokens: 50_000, timeoutMs: 10_000 },
};
const DESK: Desk = { call: (tool) => Promise.resolve({ summary: `${tool}: ${SECRET}` }) };

type Run = CompactWorker['run'];

/** A worker that is watched as a process watches it, with all that it logs. */
function watching(run: Run) {
  const lines: LogEntry[] = [];
  const counts = new WorkerCounts();
  const clock = createVirtualClock();
  const backoff = new SharedBackoff({ clock, random: () => 0, changed: () => undefined });
  const handBack = new AbortController();
  const log = createWorkerLog({ level: 'debug', write: (entry) => lines.push(entry) });
  const parts = { counts, backoff, log, handBack: handBack.signal };
  const worker = watchedWorker({ name: 'scripted', run: (...given) => run(...given) }, parts);
  const work = (signal = new AbortController().signal, attempt = 1): ReturnType<Run> =>
    worker.run(JOB, DESK, { signal, attempt, progress: () => undefined });
  return { work, lines, counts, backoff, handBack, log };
}

describe('the jobs of a worker', () => {
  test('are counted with their asks and what they cost, also while they are under way', async () => {
    const [asked, free] = [gate(), gate()];
    const { work, counts } = watching(async (_job, desk, { signal, progress }) => {
      await desk.call('read_history', {}, signal);
      await desk.call('read_file', {}, signal);
      progress({ phase: 'reading', tokens: 60, spent: { usage: { ...USED.usage, inputTokens: 60 } } });
      asked.open();
      await free.opened;
      return USED;
    });
    const done = work();
    await asked.opened;
    expect([counts.started, counts.inflight, counts.asks, counts.usage.inputTokens]).toEqual([1, 1, 2, 60]);
    free.open();
    expect(await done).toBe(USED);
    expect([counts.inflight, counts.outcomes.done, counts.usage]).toEqual([0, 1, USED.usage]);
  });

  test.each([
    ['failed', new PithError('PITH_LLM_AUTH', SECRET), 'PITH_LLM_AUTH'],
    ['failed', new Error(SECRET), undefined],
    ['rate-limited', new PithError('PITH_LLM_RATE_LIMITED', SECRET), 'PITH_LLM_RATE_LIMITED'],
  ] as const)('end as %s by what they end with', async (outcome, error, code) => {
    const { work, counts, lines } = watching(() => Promise.reject(error));
    await expect(work()).rejects.toBe(error);
    expect(counts.outcomes[outcome]).toBe(1);
    expect(lines.find(({ fields }) => 'outcome' in fields)?.fields).toMatchObject({ outcome, ...(code && { code }) });
    expect(counts.lastError).toBe(outcome === 'failed' ? (code ?? 'PITH_RUN_FAILED') : undefined);
  });

  test('every line on behalf of a job names it with its session, whoever writes it; two at once are told apart', async () => {
    const watched = watching(async (_job, _desk, { attempt }) => {
      await Promise.resolve();
      watched.log.log.info(`attempt ${String(attempt)} works`);
      return USED;
    });
    const { work, lines, log } = watched;
    await Promise.all([work(undefined, 1), work(undefined, 2)]);
    log.log.info('between jobs');
    expect(lines.length).toBe(7);
    for (const { message, fields } of lines.slice(0, -1)) {
      expect(fields).toMatchObject({ job: 'compaction-1', session: 'session-1' });
      const [, attempt] = /attempt (\d)/.exec(message) ?? [];
      if (attempt !== undefined) expect(fields['attempt']).toBe(Number(attempt));
    }
    expect(lines.at(-1)?.fields).toEqual({});
  });

  test('no word of a session is in a line above debug', async () => {
    const { work, lines } = watching((_job, desk, { signal, progress }) => {
      progress({ phase: SECRET, tokens: 0 });
      return desk.call('read_file', { path: SECRET }, signal).then(({ summary }) => {
        throw new PithError('PITH_LLM_REQUEST', `The provider did not like "${summary}".`, { details: { SECRET } });
      });
    });
    await expect(work()).rejects.toMatchObject({ code: 'PITH_LLM_REQUEST' });
    const above = lines.filter(({ level }) => level !== 'debug');
    expect(above.length).toBe(2);
    expect(JSON.stringify(above)).not.toContain(SECRET);
    expect(JSON.stringify(lines)).toContain(SECRET);
  });

  test('are refused while the provider limits the rate, with when to come back', async () => {
    const { work, counts, backoff } = watching(() => Promise.resolve(USED));
    backoff.limited(30_000);
    await expect(work()).rejects.toMatchObject({
      code: 'PITH_LLM_RATE_LIMITED',
      details: { reason: 'rate-limited', retryAfterMs: 30_000 },
    });
    expect(counts.started).toBe(0);
  });

  test('are handed back when the process can wait no longer, also by a worker that does not listen', async () => {
    const { work, counts, handBack } = watching(() => new Promise(() => undefined));
    const done = work();
    handBack.abort();
    await expect(done).rejects.toMatchObject({ code: 'PITH_KERNEL_STOPPED', details: { retryable: true } });
    await expect(work()).rejects.toMatchObject({ code: 'PITH_KERNEL_STOPPED' });
    expect([counts.outcomes['handed-back'], counts.started, counts.inflight]).toEqual([1, 1, 0]);
  });

  test('that their agent gave up are cancelled, and the worker is told', async () => {
    const { work, counts } = watching(
      (_job, _desk, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    const over = new AbortController();
    const done = work(over.signal);
    over.abort(new PithError('PITH_BUS_CANCELLED', 'Enough.'));
    await expect(done).rejects.toMatchObject({ code: 'PITH_BUS_CANCELLED' });
    expect(counts.outcomes.cancelled).toBe(1);
  });
});
