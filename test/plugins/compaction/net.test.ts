import { CONTEXT, defaultService, definePlugin, drive, LIMITS, modelLimits, PithError } from '../../../core';
import type { Driver, NewItem, Plugin, RecordDraft, Session } from '../../../core';
import { assistant, call, prose, result, user } from '../../support/context';
import { refusals } from '../../support/counter';
import { compact, start, STOCK, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../../support/worker';
import type { Script, ScriptedWorker } from '../../support/worker';

const WINDOW = 40_000;
const THRESHOLD = 30_000;
const limits = modelLimits('some-model', { contextWindow: WINDOW + 8000, maxOutput: 8000 });
const summary = writing(summaryOf('It was ported in part.'));

const pairs = (count: number, tokens: number, name = 'c'): readonly NewItem[] =>
  Array.from({ length: count }, (_, at) => [call(`${name}${at}`), result(`${name}${at}`, prose(tokens))]).flat();

interface Setting {
  readonly worker?: ScriptedWorker;
  readonly config?: object;
  readonly plugins?: readonly Plugin[];
  readonly items?: readonly NewItem[];
  readonly records?: readonly RecordDraft[];
  readonly prune?: object;
  readonly stock?: readonly Plugin[];
}

/** A session in the middle of a turn, whose next request is about to be prepared. */
async function inTurn(
  {
    worker = scriptedWorker(summary),
    config = {},
    plugins = [],
    items = [],
    records = [],
    prune,
    stock = STOCK,
  }: Setting,
  use: (host: Host, session: Session, driver: Driver, worker: ScriptedWorker) => Promise<void>,
): Promise<void> {
  await using host = await start({
    plugins: [...stock, worker.plugin, ...plugins],
    config: {
      compaction: { compactRequestThreshold: THRESHOLD, ...config },
      ...(stock === STOCK && { prune: prune ?? { protectedTokens: 1_000_000 } }),
    },
    services: [defaultService(LIMITS, () => () => limits)],
  });
  const session = host.open([], { t: 'settings', model: 'some-model' });
  const driver = drive(host.kernel, session);
  await driver.prompt('please port it');
  session.append(items);
  session.record(...records);
  await use(host, session, driver, worker);
}

const parked = (session: Session): number =>
  [...session.records()].filter((record) => record.t === 'run' && record.outcome === 'yielded').length;
/** Whether results were cut down where they stand. */
const cutDown = (session: Session): boolean =>
  [...session.records()].some((record) => record.t === 'edits' && record.by === 'compaction');
const tokens = (session: Session): number => view(session).occupancy().tokens;
const overflow = (): PithError => new PithError('PITH_LLM_OVERFLOW', 'prompt is too long');
const failing: Script = () => Promise.reject(new Error('no luck'));
const closed = (text: string, isVeto = true): Plugin =>
  definePlugin({
    name: 'lawyer',
    api: 1,
    setup: ({ hooks }) => hooks.on('pre_compact', () => (isVeto ? { do: 'cancel', reason: text } : undefined)),
  });

describe('the safety net (S9.1, S9.2)', () => {
  test('parks the run above the threshold, compacts, and goes on with the same turn', async () => {
    await inTurn({ items: pairs(40, 1000) }, async (host, session, driver, worker) => {
      const { context } = await driver.beforeRequest();
      expect(context.occupancy().tokens).toBeLessThanOrEqual(0.75 * THRESHOLD);
      expect([worker.jobs.length, parked(session), session.turnOpen]).toEqual([1, 1, true]);
      expect(host.events('compaction.done')).toMatchObject([{ trigger: 'request' }]);
      const reason = /^The next request would have about \d+ tokens; the context is compacted first\.$/;
      expect(host.events('run.parked')).toMatchObject([{ reason: expect.stringMatching(reason) as string }]);
      expect(host.hooks('pre_llm_request').map(({ yields, rebuilt }) => [yields, rebuilt])).toEqual([
        [0, false],
        [1, true],
      ]);
      expect(refusals(context)).toEqual([]);
    });
  });

  test('where it only observes, says what it would do, and sends the request as it is', async () => {
    await inTurn({ items: pairs(34, 1000), config: { mode: 'observe' } }, async (host, session, driver, worker) => {
      const { context } = await driver.beforeRequest();
      expect([context.length, worker.jobs.length, parked(session)]).toEqual([69, 0, 0]);
      expect(host.events('compaction.skipped')).toMatchObject([{ trigger: 'request', outcome: 'cancelled' }]);
    });
  });

  test('true only when occupancy is greater: exactly the threshold is sent as it is', async () => {
    const used = (inputTokens: number): readonly RecordDraft[] => [{ t: 'usage', usage: { inputTokens } }];
    for (const [inputTokens, calls] of [
      [THRESHOLD, 0],
      [THRESHOLD + 1, 1],
    ] as const) {
      await inTurn(
        { items: [...pairs(26, 1000)], records: used(inputTokens) },
        async (_host, session, driver, worker) => {
          session.record({ t: 'usage', usage: { inputTokens }, on: { entries: view(session).length } });
          await driver.beforeRequest();
          expect(worker.jobs).toHaveLength(calls);
        },
      );
    }
  });

  test('sees tool output that arrived since the last report, and the prompt that comes', async () => {
    await inTurn({ items: pairs(20, 1000) }, async (_host, session, driver, worker) => {
      session.record({ t: 'usage', usage: { inputTokens: 21_000 }, on: { entries: view(session).length } });
      await driver.beforeRequest();
      expect(worker.jobs).toHaveLength(0);
      session.append([user(prose(11_000))]);
      await driver.beforeRequest();
      expect(worker.jobs).toHaveLength(1);
    });
  });

  test('decides after pruning, in whatever order the plugins stand (X45)', async () => {
    for (const plugins of [STOCK, [...STOCK].reverse()]) {
      const worker = scriptedWorker(summary);
      await using host = await start({
        plugins: [...plugins, worker.plugin],
        config: { compaction: { compactRequestThreshold: 90_000 } },
      });
      const session = host.open([]);
      const driver = drive(host.kernel, session);
      await driver.prompt('go');
      session.append(pairs(80, 1100));
      expect(tokens(session)).toBeGreaterThan(85_000);
      const { context } = await driver.beforeRequest();
      expect(context.occupancy().tokens).toBeLessThan(45_000);
      expect([worker.jobs.length, parked(session)]).toEqual([0, 0]);
    }
  });
});

describe('what still does not fit', () => {
  test('a first compaction that is not enough is followed by one smaller plan', async () => {
    let fits = false;
    await inTurn({ items: pairs(40, 1000) }, async (_host, session, driver, worker) => {
      await driver.beforeRequest();
      const retained = view(session).length;
      const again = await driver.beforeRequest(overflow());
      fits = again.context.length < retained;
      expect(worker.jobs).toHaveLength(2);
      expect(refusals(again.context)).toEqual([]);
      expect(cutDown(session)).toBe(false);
    });
    expect(fits).toBe(true);
  });

  test('after a second compaction that is done, results that wait for their reply stay whole', async () => {
    const items = [...pairs(40, 1000), call('last'), result('last', prose(6000))];
    await inTurn({ items }, async (host, session, driver) => {
      const { context } = await driver.beforeRequest();
      const again = await driver.beforeRequest(overflow());
      expect(again.context.length).toBeLessThan(context.length);
      expect(again.context.occupancy().tokens).toBeGreaterThan(6000);
      expect([host.events('compaction.done').length, cutDown(session)]).toEqual([2, false]);
    });
  });

  test('the second compaction is content with what clearly fits the window, whatever the threshold', async () => {
    const records: readonly RecordDraft[] = [{ t: 'settings', system: prose(25_000) }];
    const settings = [
      // Nothing could be below the threshold, so nobody is asked at first.
      [[summary], {}],
      [[failing, summary], { compactRequestThreshold: undefined, compactThreshold: 1_000_000 }],
    ] as const;
    for (const [scripts, config] of settings) {
      const left = [...scripts];
      const worker = scriptedWorker((...given) => (left.shift() ?? failing)(...given));
      const setting = { worker, items: pairs(14, 1000), records, config: { fallback: 'none', ...config } };
      await inTurn(setting, async (host, session, driver) => {
        const { context } = await driver.beforeRequest(overflow());
        const { tokens } = context.occupancy();
        expect([tokens > 0.75 * THRESHOLD, tokens < 0.75 * WINDOW]).toEqual([true, true]);
        expect([parked(session), host.events('compaction.done').length, cutDown(session)]).toEqual([2, 1, false]);
      });
    }
  });

  test('where both compactions fail, results are cut down at the second one, not before', async () => {
    const setting = { worker: scriptedWorker(failing), config: { fallback: 'none' }, items: pairs(44, 1000) };
    await inTurn(setting, async (host, session, driver, worker) => {
      const { context } = await driver.beforeRequest();
      expect(context.occupancy().tokens).toBeLessThanOrEqual(0.75 * THRESHOLD);
      expect([parked(session), worker.jobs.length, host.events('compaction.failed').length]).toEqual([2, 2, 2]);
      expect(cutDown(session)).toBe(true);
    });
  });

  test('what changes under each compaction is sent as it is after two of them, if it fits the window', async () => {
    let session: Session | undefined;
    let changes = 0;
    const worker = scriptedWorker(async (...given) => {
      const item = [...(session?.items() ?? [])][2 + 2 * changes++];
      session?.get(CONTEXT).keep([{ edit: 'content', item: item?.id ?? '', text: null }], 'somebody');
      await summary(...given);
    });
    await inTurn({ worker, items: pairs(33, 1000) }, async (host, opened, driver) => {
      session = opened;
      const { context } = await driver.beforeRequest();
      expect(context.occupancy().tokens).toBeGreaterThan(THRESHOLD);
      expect(host.events('compaction.failed').map(({ outcome }) => outcome)).toEqual(['stale', 'stale']);
      expect([parked(session), changes, context.length]).toEqual([2, 2, 67]);
      expect([...session.records()].filter(({ t }) => t === 'edits')).toHaveLength(2);
    });
  });

  test('to the last token of the window it is sent where no compaction succeeds; one more ends the run', async () => {
    for (const more of [0, 1]) {
      const items = Array.from({ length: 20 }, () => [user(prose(900)), assistant(prose(900))]).flat();
      const setting = { worker: scriptedWorker(failing), config: { fallback: 'none' }, items };
      await inTurn(setting, async (_host, session, driver) => {
        const usage = { inputTokens: WINDOW + more };
        session.record({ t: 'usage', usage, on: { entries: view(session).length } });
        const prepared = driver.beforeRequest();
        if (more === 0) expect((await prepared).context.occupancy().tokens).toBe(WINDOW);
        else await expect(prepared).rejects.toMatchObject({ code: 'PITH_UNRECOVERABLE_OVERFLOW' });
      });
    }
  });

  test('then the run ends with a typed error that says tokens, window and what to do; never a loop (C07)', async () => {
    await inTurn({ items: pairs(40, 1000) }, async (_host, session, driver, worker) => {
      const refused = overflow();
      let error: unknown;
      for (let attempt = 0; attempt < 50 && error === undefined; attempt++)
        await driver.beforeRequest(attempt === 0 ? undefined : refused).catch((thrown: unknown) => (error = thrown));
      expect(error).toMatchObject({
        code: 'PITH_UNRECOVERABLE_OVERFLOW',
        cause: refused,
        details: { window: WINDOW, tokens: expect.any(Number) as number },
        message: expect.stringMatching(/the model takes 40000.*shorten the prompt/s) as string,
      });
      expect(worker.jobs.length).toBeLessThanOrEqual(2);
      expect(parked(session)).toBe(2);
    });
  });

  test('a later request may be compacted again', async () => {
    await inTurn({ items: pairs(40, 1000) }, async (_host, session, driver, worker) => {
      await driver.beforeRequest();
      await driver.afterReply({ items: [assistant('done')] });
      await driver.end('finished');
      await driver.prompt('and now?');
      session.append(pairs(40, 1000, 'd'));
      await driver.beforeRequest();
      expect(worker.jobs).toHaveLength(2);
      const { context } = await driver.beforeRequest(overflow());
      expect(refusals(context)).toEqual([]);
    });
  });

  test('a fixed part that is larger than the window ends the run without asking any worker', async () => {
    const records: readonly RecordDraft[] = [{ t: 'settings', system: prose(45_000) }];
    await inTurn({ items: pairs(3, 100), records }, async (_host, session, driver, worker) => {
      const { digest } = view(session);
      await expect(driver.beforeRequest()).rejects.toMatchObject({ code: 'PITH_UNRECOVERABLE_OVERFLOW' });
      expect([worker.jobs.length, view(session).digest]).toEqual([0, digest]);
    });
  });

  test('what is above the threshold and fits the window is sent where nothing can be gained, and not tried again at each request', async () => {
    const records: readonly RecordDraft[] = [{ t: 'settings', system: prose(32_000) }];
    await inTurn({ items: pairs(3, 300), records }, async (host, session, driver, worker) => {
      for (let request = 0; request < 5; request++) {
        await driver.beforeRequest();
        await driver.afterReply({ items: [call(`x${request}`)] });
        session.append([result(`x${request}`, prose(100))]);
      }
      expect([worker.jobs.length, parked(session)]).toEqual([0, 1]);
      const [skipped, ...more] = host.events('compaction.skipped');
      expect(more).toEqual([]);
      const noted = [...session.records()].filter(({ t }) => t === 'state');
      const value = { withoutGain: skipped?.compaction, outcome: skipped?.outcome };
      expect(noted).toMatchObject([{ namespace: 'compaction', value }]);
    });
  });

  test('a worker that fails stops no turn that fits the window', async () => {
    await inTurn(
      { worker: scriptedWorker(failing), config: { fallback: 'none' }, items: pairs(34, 1000) },
      async (host, session, driver) => {
        expect(tokens(session)).toBeLessThan(WINDOW);
        const { context } = await driver.beforeRequest();
        expect([context.length, cutDown(session)]).toEqual([69, false]);
        expect([parked(session), host.events('compaction.failed').length]).toEqual([1, 1]);
      },
    );
  });
});

describe('results that are too large by themselves (S9.3)', () => {
  test('a turn of one huge result: its middle is left out where it stands, for good, and nobody is asked', async () => {
    const items = [call('all'), result('all', `START ${prose(60_000)} END`)];
    await inTurn({ items }, async (_host, session, driver, worker) => {
      const { context } = await driver.beforeRequest();
      expect(context.occupancy().tokens).toBeLessThanOrEqual(0.75 * THRESHOLD);
      expect(context.occupancy().tokens).toBeGreaterThan(0.5 * THRESHOLD);
      const text = JSON.stringify(context.at(2));
      expect(text).toMatch(/START .* characters left out here .* END/s);
      expect([worker.jobs.length, context.length, parked(session)]).toEqual([0, 3, 1]);
      expect([...session.records()].at(-1)).toMatchObject({ t: 'edits', by: 'compaction' });
      expect(refusals(context)).toEqual([]);
    });
  });

  test('of several parallel ones the largest lose most', async () => {
    const items = [
      call('a'),
      call('b'),
      call('c'),
      result('a', prose(300)),
      result('b', prose(50_000)),
      result('c', prose(20_000)),
    ];
    await inTurn({ items }, async (_host, _session, driver) => {
      const { context } = await driver.beforeRequest();
      expect(context.tokens(4, 5)).toBeGreaterThan(290);
      expect(context.tokens(4 + 1, 4 + 2)).toBeGreaterThan(5000);
      expect(context.occupancy().tokens).toBeLessThanOrEqual(0.75 * THRESHOLD);
    });
  });

  test('a prompt that is larger than the window stays what it is, and the error says so', async () => {
    await inTurn({ items: [user(prose(60_000))] }, async (_host, session, driver) => {
      const { digest } = view(session);
      await expect(driver.beforeRequest()).rejects.toMatchObject({ code: 'PITH_UNRECOVERABLE_OVERFLOW' });
      expect(view(session).digest).toBe(digest);
    });
  });
});

describe("a provider's own overflow error", () => {
  test('is treated likewise while either threshold is set, and ends as it is without one', async () => {
    const settings = [
      [{ compactRequestThreshold: 1_000_000 }, 1],
      [{ compactRequestThreshold: undefined, compactThreshold: 1_000_000 }, 1],
      [{ compactRequestThreshold: undefined }, 0],
      [{ mode: 'off' }, 0],
      [{ mode: 'observe' }, 0],
    ] as const;
    for (const [config, calls] of settings) {
      await inTurn({ items: pairs(20, 1000), config }, async (host, _session, driver, worker) => {
        const refused = overflow();
        await driver.beforeRequest();
        const prepared = await driver.beforeRequest(refused).catch((thrown: unknown) => thrown);
        expect(worker.jobs).toHaveLength(calls);
        if (calls === 0) expect(prepared).toBe(refused);
        else expect(host.events('compaction.done')).toMatchObject([{ trigger: 'overflow' }]);
        const observed = 'mode' in config && config.mode === 'observe' ? [{ trigger: 'overflow' }] : [];
        expect(host.events('compaction.skipped')).toMatchObject(observed);
      });
    }
  });
});

describe('a veto at the safety net (X46)', () => {
  test('prunes first, and sends the request where that is enough', async () => {
    const prune = { protectedTokens: 2000, minSavings: 25_000 };
    await inTurn({ items: pairs(30, 1000), prune, plugins: [closed('no')] }, async (_host, session, driver) => {
      session.append(pairs(5, 600, 'd'));
      await driver.beforeRequest();
      expect(tokens(session)).toBeLessThan(THRESHOLD);
    });
  });

  test('else ends the run with an error that names plugin and reason; nothing was asked of a worker', async () => {
    const plugins = [closed('the audit is not over')];
    await inTurn({ items: pairs(40, 1000), plugins }, async (host, session, driver, worker) => {
      const { digest } = view(session);
      await expect(driver.beforeRequest()).rejects.toMatchObject({
        code: 'PITH_UNRECOVERABLE_OVERFLOW',
        plugin: 'lawyer',
        message: expect.stringContaining('the audit is not over') as string,
      });
      expect([worker.jobs.length, parked(session), view(session).digest]).toEqual([0, 1, digest]);
      expect(host.events('compaction.skipped')).toMatchObject([{ outcome: 'cancelled', trigger: 'request' }]);
      expect(host.hooks('pre_compact')).toHaveLength(1);
    });
  });

  test('holds for that request alone: the next turn asks again', async () => {
    const answers = [{ do: 'cancel', reason: 'not now' } as const];
    const lawyer = definePlugin({
      name: 'lawyer',
      api: 1,
      setup: ({ hooks }) => hooks.on('pre_compact', () => answers.pop()),
    });
    await inTurn({ items: pairs(40, 1000), plugins: [lawyer] }, async (host, _session, driver) => {
      await expect(driver.beforeRequest()).rejects.toMatchObject({ plugin: 'lawyer' });
      await driver.end('failed');
      await driver.prompt('and now?');
      const { context } = await driver.beforeRequest();
      expect(context.occupancy().tokens).toBeLessThan(THRESHOLD);
      expect(host.events('compaction.done')).toHaveLength(1);
    });
  });

  test('does so too where nobody prunes', async () => {
    const stock = STOCK.filter(({ name }) => name !== 'prune');
    const setting = { stock, items: pairs(40, 1000), plugins: [closed('no')] };
    await inTurn(setting, async (host, _session, driver) => {
      await expect(driver.beforeRequest()).rejects.toMatchObject({ plugin: 'lawyer' });
      expect(host.events('plugin.error')).toEqual([]);
    });
  });
});

describe('a compaction that is under way when the net asks (S9.11)', () => {
  const config = { compactThreshold: 20_000, netWaitSeconds: 20 };

  /** A turn that left a compaction under way, and the next turn with more than the net lets through. */
  async function underWay(
    script: Script,
    more: object,
    use: (host: Host, session: Session, driver: Driver, worker: ScriptedWorker, go: () => void) => Promise<void>,
  ): Promise<void> {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const worker = scriptedWorker(async (desk, job, signal) => {
      await gate;
      await script(desk, job, signal);
    });
    await inTurn({ worker, config: { ...config, ...more }, items: pairs(20, 1000) }, async (host, session, driver) => {
      await driver.beforeRequest();
      await driver.afterReply({ items: [assistant('done')] });
      await driver.end('finished');
      await host.clock.settle();
      expect(worker.jobs).toHaveLength(1);
      await driver.prompt('go on');
      session.append(pairs(10, 1000, 'd'));
      await use(host, session, driver, worker, go);
    });
  }

  test('is awaited, not doubled, and applied inside of the turn', async () => {
    await underWay(summary, {}, async (host, session, driver, worker, go) => {
      const prepared = driver.beforeRequest();
      await host.clock.advance(19_000);
      go();
      const { context } = await prepared;
      expect([worker.jobs.length, session.turnOpen]).toEqual([1, true]);
      expect(host.events('compaction.done')).toMatchObject([{ trigger: 'post_run', worker: 'scripted' }]);
      expect(context.occupancy().tokens).toBeLessThan(THRESHOLD);
      expect(host.events('compaction.skipped')).toEqual([]);
      expect(host.clock.pending).toBe(0);
    });
  });

  test('is awaited for the time of both its plans where nobody could serve in its place', async () => {
    const config = { fallback: 'none', workerTimeoutSeconds: 30 };
    await underWay(summary, config, async (host, _session, driver, worker, go) => {
      const prepared = driver.beforeRequest();
      await host.clock.advance(25_000);
      go();
      await prepared;
      expect(host.events('compaction.failed')).toEqual([]);
      expect([worker.jobs.length, host.events('compaction.done').length]).toEqual([1, 1]);
    });
  });

  test('a result that waits for the turn to end is applied at once', async () => {
    await underWay(summary, {}, async (host, session, driver, worker, go) => {
      go();
      await host.clock.settle();
      expect(session.get(CONTEXT).checkpoint()).toBeUndefined();
      await driver.beforeRequest();
      expect(session.get(CONTEXT).checkpoint()).toBeDefined();
      expect(worker.jobs).toHaveLength(1);
    });
  });

  test('takes too long: it is cancelled, and the offline worker serves', async () => {
    await underWay(summary, {}, async (host, _session, driver, worker, go) => {
      const prepared = driver.beforeRequest();
      await host.clock.advance(20_000);
      await prepared;
      expect(host.events('compaction.failed')).toMatchObject([
        {
          outcome: 'cancelled',
          trigger: 'post_run',
          reason: 'It was cancelled. The next request could not wait any longer.',
        },
      ]);
      expect(host.events('compaction.done')).toMatchObject([{ worker: 'offline', trigger: 'request' }]);
      expect(worker.jobs).toHaveLength(1);
      go();
      await host.clock.settle();
      expect(host.events('compaction.started')).toHaveLength(2);
    });
  });

  test('fails: the net has one of its own', async () => {
    await underWay(failing, { fallback: 'none', breakerFailures: 9 }, async (host, _session, driver, worker, go) => {
      go();
      await driver.beforeRequest();
      expect(worker.jobs).toHaveLength(2);
      expect(host.events('compaction.failed').map(({ trigger }) => trigger)).toEqual(['post_run', 'request']);
    });
  });

  test('the turn is aborted meanwhile: nobody waits any longer, and the compaction goes on', async () => {
    await underWay(summary, {}, async (host, session, driver, worker, go) => {
      const prepared = driver.beforeRequest();
      await host.clock.settle();
      driver.abort();
      await expect(prepared).rejects.toMatchObject({ code: 'PITH_CANCELLED' });
      await driver.end('aborted');
      go();
      await driver.idle();
      expect([worker.jobs.length, session.get(CONTEXT).checkpoint() !== undefined]).toEqual([1, true]);
    });
  });
});

test('an abort of the turn cancels the compaction that the net began, and leaves all as it was', async () => {
  const worker = scriptedWorker(() => new Promise(() => undefined));
  await inTurn({ worker, items: pairs(40, 1000) }, async (host, session, driver) => {
    const { digest } = view(session);
    const prepared = driver.beforeRequest();
    await host.clock.settle();
    driver.abort('enough');
    await expect(prepared).rejects.toMatchObject({ code: 'PITH_CANCELLED' });
    await host.clock.settle();
    expect(view(session).digest).toBe(digest);
    expect(host.events('compaction.failed')).toMatchObject([{ outcome: 'cancelled' }]);
    await driver.end('aborted');
    expect((await compact(host, session, { signal: AbortSignal.abort() })).outcome).toBe('cancelled');
  });
});
