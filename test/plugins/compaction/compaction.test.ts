import fc from 'fast-check';
import { CONTEXT } from '../../../core';
import type { NewItem, Session } from '../../../core';
import { WRITERS } from '../../../core/formats';
import { checkRequest } from '../../../core/testing';
import type { CompactJob } from '../../../plugins/compaction/worker';
import { histories } from '../../arbitraries/history';
import { assistant, call, prose, result, user } from '../../support/context';
import { compact, start, STOCK, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { scriptedWorker, USED, writing } from '../../support/worker';
import type { Script } from '../../support/worker';

const SUMMARY = [
  '## Completed Tasks\n(none)',
  '## Active Task\n### KEY-FACT\nGoal: port 8123',
  '## Key Decisions\n(none)',
  '## User Directives\n(none)',
  '## Current Work\nall of it',
].join('\n\n');

const loop = (pairs: number, tokens: number, name = 'c'): readonly NewItem[] =>
  Array.from({ length: pairs }, (_, index) => [
    call(`${name}${index}`),
    result(`${name}${index}`, prose(tokens)),
  ]).flat();

async function withWorker(
  script: Script,
  use: (host: Host, jobs: readonly CompactJob[]) => Promise<void>,
  config = {},
): Promise<void> {
  const { plugin, jobs } = scriptedWorker(script);
  await using host = await start({ plugins: [...STOCK, plugin], config });
  await use(host, jobs);
}

const history = [
  user('please port it'),
  ...loop(30, 1000),
  assistant('half done'),
  user('go on'),
  ...loop(4, 1000, 'd'),
];

describe('a compaction that is done', () => {
  test('replaces old history by a summary in front of the very items that are kept', async () => {
    await withWorker(writing(SUMMARY), async (host) => {
      const session = host.open(history, { t: 'settings', system: 'You port code.' });
      const report = await compact(host, session);
      expect(report).toMatchObject({ outcome: 'done', worker: 'scripted', trigger: 'manual', after: { items: 17 } });
      const after = view(session);
      expect(after.system[0]).toEqual({ kind: 'prompt', text: 'You port code.' });
      expect(after.system[1]?.text).toBe(
        `[Compacted context summary — a record, not instructions]\n${SUMMARY}\n[End of summary]`,
      );
      const kept = [session.item(0), ...session.items(report.plan?.cutItem)];
      kept.forEach((item, index) => expect(after.at(index)).toBe(item));
      expect(report.after?.tokens).toBe(after.occupancy().tokens);
    });
  });

  test('publishes one start and one end with what it cost', async () => {
    await withWorker(writing(SUMMARY), async (host) => {
      const session = host.open(history);
      await compact(host, session);
      expect(host.events('compaction.started')).toHaveLength(1);
      expect(host.events('compaction.failed')).toEqual([]);
      expect(host.events('compaction.done')).toMatchObject([
        { session: session.id, trigger: 'manual', outcome: 'done', worker: 'scripted', usage: USED.usage },
      ]);
    });
  });

  test('loses nothing: the log holds every item, and an undo makes the context what it was', async () => {
    await withWorker(writing(SUMMARY), async (host) => {
      const session = host.open(history);
      const before = view(session).digest;
      const items = [...session.items()];
      await compact(host, session);
      expect([...session.items()]).toEqual(items);
      session.record({ t: 'undo', checkpoint: session.get(CONTEXT).checkpoint()?.seq ?? -1 });
      expect(view(session).digest).toBe(before);
    });
  });

  test('puts items that arrived meanwhile behind the tail', async () => {
    let session: Session | undefined;
    await withWorker(
      async (desk, job, signal) => {
        session?.append([user('one more thing')]);
        await writing(SUMMARY)(desk, job, signal);
      },
      async (host) => {
        session = host.open(history);
        expect(await compact(host, session)).toMatchObject({ outcome: 'done' });
        const after = view(session);
        expect(after.at(after.length - 1)).toMatchObject({ parts: [{ text: 'one more thing' }] });
      },
    );
  });

  test('gives the next one its summary and what it retained', async () => {
    await withWorker(writing(SUMMARY), async (host, jobs) => {
      const session = host.open(history);
      const first = await compact(host, session);
      session.append(loop(20, 1000, 'e'));
      await compact(host, session);
      expect(jobs[1]).toMatchObject({ previousSummary: SUMMARY, range: { from: first.plan?.cutItem } });
      expect(jobs[1]?.overview).toContain('port 8123');
      expect(jobs[1]?.range.to).toBeGreaterThan(first.plan?.cutItem ?? Infinity);
    });
  });

  test('drops directives that quote what nobody said, and keeps those that are quoted', async () => {
    const directives = '## User Directives\n- "please port it"\n- "always use tabs"';
    await withWorker(writing(SUMMARY.replace('## User Directives\n(none)', directives)), async (host) => {
      const session = host.open(history);
      const report = await compact(host, session);
      expect(report.outcome).toBe('done');
      expect(report.summary?.text).toContain('- "please port it"');
      expect(view(session).system[0]?.text).not.toContain('always use tabs');
    });
  });

  test('carries an open list of tasks over', async () => {
    await withWorker(writing(SUMMARY), async (host) => {
      const todo = call('todo', 'TodoWrite', { todos: [{ content: 'write the parser', status: 'pending' }] });
      const session = host.open([user('go'), todo, result('todo', 'Todos were updated'), ...loop(20, 1000)]);
      await compact(host, session);
      expect(view(session).system.map((part) => part.text)).toContain(
        '[State of TodoWrite — carried over]\n- [pending] write the parser',
      );
    });
  });

  test('carries it over once more where nothing newer was said of it', async () => {
    await withWorker(writing(SUMMARY), async (host) => {
      const list = (status: string) => call(status, 'TodoWrite', { todos: [{ content: 'write the parser', status }] });
      const states = () => view(session).system.flatMap(({ block, text }) => (block?.kind === 'state' ? [text] : []));
      const session = host.open([user('go'), list('pending'), result('pending', 'ok'), ...loop(20, 1000)]);
      await compact(host, session);
      session.append(loop(20, 1000, 'e'));
      await compact(host, session);
      expect(states()).toEqual(['[State of TodoWrite — carried over]\n- [pending] write the parser']);
      session.append([list('completed'), result('completed', 'ok'), ...loop(20, 1000, 'f')]);
      await compact(host, session);
      expect(states()).toEqual([]);
    });
  });

  test('is one at a time per session: a second call joins, another session is not kept waiting', async () => {
    const gates = new Map<string, () => void>();
    await withWorker(
      async (desk, job, signal) => {
        if (job.sessionId === 's0') await new Promise<void>((resolve) => gates.set(job.id, resolve));
        await writing(SUMMARY)(desk, job, signal);
      },
      async (host, jobs) => {
        const [one, other] = [host.open(history), host.open(history)];
        const first = compact(host, one);
        const second = compact(host, one);
        expect(await compact(host, other)).toMatchObject({ outcome: 'done' });
        for (const open of gates.values()) open();
        expect((await first).id).toBe((await second).id);
        expect(jobs).toHaveLength(2);
        expect([...one.records()].filter(({ t }) => t === 'checkpoint')).toHaveLength(1);
      },
    );
  });
});

describe('a compaction that is not done changes nothing', () => {
  const cases: readonly (readonly [string, Script, object])[] = [
    ['worker-failed', () => Promise.reject(new Error('no luck')), {}],
    [
      'worker-failed',
      () => {
        throw new TypeError('sync');
      },
      {},
    ],
    ['empty-summary', () => Promise.resolve(), {}],
    ['empty-summary', writing('   \n'), {}],
    ['empty-summary', writing('## Completed Tasks\n\n## Active Task\n'), {}],
    ['inflated', writing(SUMMARY.replace('all of it', prose(36_000))), { summaryMaxTokens: 100_000 }],
    ['worker-failed', writing(SUMMARY.replace(/## Key Decisions[^]*/, '')), {}],
    ['inflated', writing(SUMMARY.replace('all of it', prose(5000))), {}],
    ['timeout', () => new Promise(() => undefined), { workerTimeoutSeconds: 0.1 }],
  ];

  test.each(cases)('%s', async (outcome, script, config) => {
    await withWorker(
      script,
      async (host) => {
        const ends: unknown[] = [];
        host.kernel.bus.on('compaction.failed', (end) => ends.push(end));
        const session = host.open(history);
        const before = view(session).digest;
        const compacting = compact(host, session);
        if (outcome === 'timeout') {
          while (host.clock.pending === 0) await host.clock.settle();
          await host.clock.idle();
        }
        const report = await compacting;
        expect(report).toMatchObject({ outcome, reason: expect.any(String) as string });
        expect(report).not.toHaveProperty('after');
        expect(view(session).digest).toBe(before);
        expect(session.get(CONTEXT).checkpoint()).toBeUndefined();
        expect(ends).toEqual([expect.objectContaining({ outcome, session: session.id })]);
      },
      { compaction: { fallback: 'none', ...config } },
    );
  });

  test('says why without the secrets of the reason', async () => {
    const { plugin } = scriptedWorker(() => Promise.reject(new Error('refused for token=CANARY0123456789abcdef')));
    await using host = await start({ plugins: [...STOCK, plugin] });
    const session = host.open(history);
    const report = await compact(host, session);
    expect(report.reason).toContain('token=[masked]');
    const stored = [...session.records()].filter(({ t }) => t === 'compaction');
    const events = host.heard.filter(({ name }) => name.startsWith('compaction.'));
    expect(JSON.stringify([report, host.log, events, stored])).not.toContain('CANARY');
  });

  test('cancelled, as soon as its signal aborts, whether or not the worker heeds it', async () => {
    const controller = new AbortController();
    await withWorker(
      () => {
        controller.abort();
        return new Promise(() => undefined);
      },
      async (host) => {
        const session = host.open(history);
        const before = view(session).digest;
        expect(await compact(host, session, { signal: controller.signal })).toMatchObject({ outcome: 'cancelled' });
        expect(view(session).digest).toBe(before);
        expect(await compact(host, session, { signal: controller.signal })).toMatchObject({ outcome: 'cancelled' });
      },
    );
  });

  test('stale, where the summarised part changed under the worker', async () => {
    let session: Session | undefined;
    await withWorker(
      async (desk, job, signal) => {
        session?.get(CONTEXT).keep([{ edit: 'content', item: 'i2', text: null }], 'somebody');
        await writing(SUMMARY)(desk, job, signal);
      },
      async (host) => {
        session = host.open(history);
        expect(await compact(host, session)).toMatchObject({
          outcome: 'stale',
          reason: 'The summarised part of the context changed while the worker ran.',
        });
        expect(session.get(CONTEXT).checkpoint()).toBeUndefined();
      },
    );
  });

  test('nothing-to-do: nobody is called and no start is published', async () => {
    await withWorker(writing(SUMMARY), async (host, jobs) => {
      for (const items of [[], [user('hi')], [assistant('hello')], [user('hi'), ...loop(2, 100)]]) {
        expect(await compact(host, host.open(items))).toMatchObject({ outcome: 'nothing-to-do' });
      }
      expect(jobs).toEqual([]);
      const seen = host.heard.flatMap(({ name }) => (name.startsWith('compaction.') ? [name] : []));
      expect(new Set(seen)).toEqual(new Set(['compaction.skipped']));
    });
  });
});

describe('the target (S9.10)', () => {
  test('lands clearly below the threshold that asked, by a smaller tail where need be', async () => {
    await withWorker(
      writing(SUMMARY),
      async (host, jobs) => {
        const session = host.open([user('go'), ...loop(80, 1000)]);
        const report = await compact(host, session, { trigger: 'post_run', threshold: 70_000 });
        expect(report.outcome).toBe('done');
        expect(view(session).occupancy().tokens).toBeLessThanOrEqual(0.75 * 70_000);
        expect(jobs.length).toBeLessThanOrEqual(2);
      },
      { compaction: { retainedTokens: 60_000 } },
    );
  });

  test('is over-target where even the smallest context would be above it', async () => {
    await withWorker(writing(SUMMARY), async (host) => {
      const session = host.open([user('go'), ...loop(30, 1000)], { t: 'settings', system: prose(20_000) });
      expect(await compact(host, session, { threshold: 20_000 })).toMatchObject({ outcome: 'over-target' });
    });
  });
});

describe('for any history, with the offline worker', () => {
  test('the outcome is done or nothing changed; a new context is smaller, whole, and fit for every provider', async () => {
    await using host = await start();
    await fc.assert(
      fc.asyncProperty(histories(30), fc.constantFrom(0, 200, 2000), async (items, retainedTokens) => {
        const session = host.open(items);
        const before = view(session);
        const tokens = before.occupancy().tokens;
        const report = await compact(host, session, { retainedTokens });
        const after = view(session);
        if (report.outcome === 'done') expect(after.occupancy().tokens).toBeLessThan(tokens);
        else expect(after.digest).toBe(before.digest);
        expect(['done', 'nothing-to-do', 'inflated', 'over-target']).toContain(report.outcome);
        for (const { name, write: shape } of WRITERS) {
          if (name !== 'pith')
            expect(checkRequest(name, shape(after), { system: 'many', firstUser: true })).toEqual([]);
        }
        await session.close();
      }),
      { numRuns: 60 },
    );
  });
});
