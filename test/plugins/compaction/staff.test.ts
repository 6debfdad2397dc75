import { definePlugin, PithError } from '../../../core';
import type { CompactionReport, ErrorCode, NewItem } from '../../../core';
import type { CompactWorker } from '../../../plugins/compaction/worker';
import { COMPACT_WORKER } from '../../../plugins/compaction/tokens';
import { assistant, call, prose, result, user } from '../../support/context';
import { compact, start, STOCK, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { scriptedWorker, summaryOf, USED, writing } from '../../support/worker';
import type { Script } from '../../support/worker';

const history: readonly NewItem[] = [
  user('please port it'),
  ...Array.from({ length: 30 }, (_, at) => [call(`c${at}`), result(`c${at}`, prose(1000))]).flat(),
  assistant('half done'),
  user('go on'),
];
const summary = writing(summaryOf('It was ported in part.'));
const throwing =
  (code: ErrorCode, details?: Readonly<Record<string, unknown>>): Script =>
  () =>
    Promise.reject(new PithError(code, 'no luck', details === undefined ? {} : { details }));
const fails: Script = () => Promise.reject(new Error('no luck'));

/** Compacts with workers that do one thing after the other, the last one again and again. */
async function withScripts(
  scripts: readonly Script[],
  config: object,
  use: (
    host: Host,
    run: (trigger?: 'manual' | 'post_run') => Promise<CompactionReport>,
    calls: () => number,
  ) => Promise<void>,
): Promise<void> {
  let nth = 0;
  const worker = scriptedWorker((...given) => (scripts[Math.min(nth++, scripts.length - 1)] as Script)(...given));
  await using host = await start({ plugins: [...STOCK, worker.plugin], config: { compaction: config } });
  await use(
    host,
    (trigger = 'post_run') => compact(host, host.open(history), { trigger }),
    () => worker.jobs.length,
  );
}

describe('a worker that fails, without a fallback', () => {
  const kinds: readonly (readonly [string, Script])[] = [
    ['refused', throwing('PITH_LLM_REFUSED')],
    ['truncated-summary', throwing('PITH_LLM_OUTPUT_LIMIT')],
    ['worker-unavailable', throwing('PITH_BUS_NO_RESPONDER')],
    ['worker-failed', throwing('PITH_LLM_TRANSPORT')],
    ['empty-summary', () => Promise.resolve()],
    ['inflated', writing(summaryOf(prose(6000)))],
  ];

  test.each(kinds)('ends as %s, with a reason, and changes nothing', async (outcome, script) => {
    await withScripts([script], { fallback: 'none' }, async (host) => {
      const session = host.open(history);
      const { digest } = view(session);
      expect(await compact(host, session)).toMatchObject({ outcome, reason: expect.any(String) as string });
      expect(view(session).digest).toBe(digest);
      expect(host.events('compaction.failed')).toMatchObject([{ outcome, worker: 'scripted' }]);
    });
  });

  test('costs what it has told so far (S9.13)', async () => {
    const spent = { model: 'small', usage: { ...USED.usage, inputTokens: 777 } };
    const worker: CompactWorker = {
      name: 'costly',
      run(_job, _desk, { progress }) {
        progress({ phase: 'reading', tokens: 777, spent });
        return Promise.reject(new Error('no luck'));
      },
    };
    const plugin = definePlugin({
      name: 'costly',
      api: 1,
      provides: [COMPACT_WORKER],
      setup: ({ provide }) => provide(COMPACT_WORKER, () => worker),
    });
    for (const fallback of ['none', 'offline']) {
      await using host = await start({ plugins: [...STOCK, plugin], config: { compaction: { fallback } } });
      const report = await compact(host, host.open(history));
      expect(report).toMatchObject({ usage: spent.usage, model: 'small' });
      expect([report.outcome, report.worker]).toEqual(
        fallback === 'none' ? ['worker-failed', 'costly'] : ['done', 'offline'],
      );
    }
  });
});

describe('the fallback (S9.12)', () => {
  test('serves where the configured worker fails; the event says which one did, and why', async () => {
    await withScripts([fails], {}, async (host, run) => {
      expect(await run()).toMatchObject({ outcome: 'done', worker: 'offline' });
      expect(host.events('compaction.started')).toMatchObject([{ worker: 'scripted' }]);
      expect(host.events('compaction.done')).toMatchObject([
        { worker: 'offline', reason: expect.stringContaining('no luck') as string },
      ]);
      expect(host.events('compaction.failed')).toEqual([]);
    });
  });

  test('begins at a desk of its own: marks of the one that failed are gone', async () => {
    const marking: Script = async (desk, _job, signal) => {
      await desk.call('add_reference', { path: 'of/the/first.ts' }, signal);
      throw new Error('no luck');
    };
    await withScripts([marking], {}, async (_host, run) => {
      expect(JSON.stringify((await run()).references)).not.toContain('of/the/first.ts');
    });
  });

  test('a cancellation is nobody’s failure, so nobody else serves', async () => {
    const controller = new AbortController();
    await withScripts([() => (controller.abort(), new Promise(() => undefined))], {}, async (host) => {
      const report = await compact(host, host.open(history), { signal: controller.signal });
      expect(report).toMatchObject({ outcome: 'cancelled', worker: 'scripted' });
    });
  });

  test('a worker that was given up reaches the desk no more', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const slow: Script = (desk, _job, signal) => {
      late = new Promise((resolve) => signal.addEventListener('abort', () => setImmediate(resolve)))
        .then(() => desk.call('write_summary', { text: summaryOf('LATE') }, new AbortController().signal))
        .then(
          () => 'reached',
          () => 'refused',
        );
      return new Promise(() => undefined);
    };
    await withScripts([slow], { fallback: 'none', workerTimeoutSeconds: 5 }, async (host, run) => {
      const ending = run();
      while (host.clock.pending === 0) await host.clock.settle();
      await host.clock.advance(5000);
      expect(await ending).toMatchObject({ outcome: 'timeout' });
      expect(await late).toBe('refused');
    });
  });
});

describe('the breaker of the configured worker (S9.7)', () => {
  const config = { fallback: 'none', breakerFailures: 3, breakerCooldownSeconds: 300 };

  test('after three failures in a row automatic use of it stops; told once, as an event and a line', async () => {
    await withScripts([fails], config, async (host, run, calls) => {
      const outcomes = [];
      for (let pass = 0; pass < 5; pass++) outcomes.push((await run()).outcome);
      expect(outcomes).toEqual(['worker-failed', 'worker-failed', 'worker-failed', 'breaker-open', 'breaker-open']);
      expect(calls()).toBe(3);
      expect(host.events('breaker.opened')).toEqual([{ worker: 'scripted', failures: 3, cooldownMs: 300_000 }]);
      expect(host.log.filter(({ message }) => message.includes('left alone'))).toHaveLength(1);
      expect(host.events('compaction.skipped')).toHaveLength(2);
    });
  });

  test('failures count also where the fallback served, and then the fallback serves alone', async () => {
    await withScripts([fails], { ...config, fallback: 'offline' }, async (host, run, calls) => {
      for (let pass = 0; pass < 5; pass++) expect(await run()).toMatchObject({ outcome: 'done', worker: 'offline' });
      expect(calls()).toBe(3);
      expect(host.events('compaction.started').map(({ worker }) => worker)).toEqual([
        'scripted',
        'scripted',
        'scripted',
        'offline',
        'offline',
      ]);
    });
  });

  test('after the cooldown one attempt is let through; its success closes the breaker', async () => {
    await withScripts([fails, fails, fails, summary], config, async (host, run, calls) => {
      for (let pass = 0; pass < 3; pass++) await run();
      await host.clock.advance(299_999);
      expect((await run()).outcome).toBe('breaker-open');
      await host.clock.advance(1);
      expect((await run()).outcome).toBe('done');
      expect((await run()).outcome).toBe('done');
      expect(calls()).toBe(5);
    });
  });

  test('its failure opens it for another while', async () => {
    await withScripts([fails], config, async (host, run, calls) => {
      for (let pass = 0; pass < 3; pass++) await run();
      await host.clock.advance(300_000);
      expect([(await run()).outcome, (await run()).outcome]).toEqual(['worker-failed', 'breaker-open']);
      expect([calls(), host.events('breaker.opened').length]).toEqual([4, 2]);
    });
  });

  test('a person may try it at any time', async () => {
    await withScripts([fails, fails, fails, fails, summary], config, async (_host, run) => {
      for (let pass = 0; pass < 3; pass++) await run();
      expect((await run('manual')).outcome).toBe('worker-failed');
      expect((await run()).outcome).toBe('breaker-open');
      expect((await run('manual')).outcome).toBe('done');
      expect((await run()).outcome).toBe('done');
    });
  });

  test('a rate limit does not count', async () => {
    await withScripts([throwing('PITH_LLM_RATE_LIMITED')], config, async (host, run, calls) => {
      for (let pass = 0; pass < 5; pass++) expect((await run()).outcome).toBe('worker-failed');
      expect([calls(), host.events('breaker.opened')]).toEqual([5, []]);
    });
  });

  test('cancelled, stale and nothing-to-do do not count', async () => {
    await withScripts([summary], config, async (host) => {
      for (let pass = 0; pass < 4; pass++) {
        expect((await compact(host, host.open([user('hi')]), { trigger: 'post_run' })).outcome).toBe('nothing-to-do');
        const options = { trigger: 'post_run', signal: AbortSignal.abort() } as const;
        expect((await compact(host, host.open(history), options)).outcome).toBe('cancelled');
      }
      expect((await compact(host, host.open(history), { trigger: 'post_run' })).outcome).toBe('done');
    });
  });

  test('a summary that would make things worse counts, and so does a worker that is late', async () => {
    const hangs: Script = () => new Promise(() => undefined);
    await withScripts([() => Promise.resolve(), writing(summaryOf(prose(6000))), hangs], config, async (host, run) => {
      await run();
      await run();
      const last = run();
      while (host.clock.pending === 0) await host.clock.settle();
      await host.clock.idle();
      expect([(await last).outcome, (await run()).outcome]).toEqual(['timeout', 'breaker-open']);
    });
  });
});
