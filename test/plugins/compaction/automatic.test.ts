import { CONTEXT, defaultService, drive, LIMITS, modelLimits } from '../../../core';
import type { Driver, NewItem, Session } from '../../../core';
import { assistant, call, prose, result, user } from '../../support/context';
import { compact, start, STOCK, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../../support/worker';
import type { ScriptedWorker } from '../../support/worker';

const summary = writing(summaryOf('It was ported in part.'));
const limits = modelLimits('some-model', { contextWindow: 108_000, maxOutput: 8000 });
const pairs = (count: number, tokens: number, name = 'c'): readonly NewItem[] =>
  Array.from({ length: count }, (_, at) => [call(`${name}${at}`), result(`${name}${at}`, prose(tokens))]).flat();
const history = [user('please port it'), ...pairs(30, 1000), assistant('half done')];

async function withConfig(
  config: object,
  use: (host: Host, session: Session, driver: Driver, worker: ScriptedWorker) => Promise<void>,
  items: readonly NewItem[] = history,
  known = true,
): Promise<void> {
  const worker = scriptedWorker(summary);
  await using host = await start({
    plugins: [...STOCK, worker.plugin],
    config: { compaction: config, prune: { protectedTokens: 1_000_000 } },
    services: known ? [defaultService(LIMITS, () => () => limits)] : [],
  });
  const session = host.open(items);
  await use(host, session, drive(host.kernel, session), worker);
}

async function turn(driver: Driver, prompt: string, reply = `As to ${prompt}.`): Promise<void> {
  await driver.prompt(prompt);
  await driver.beforeRequest();
  await driver.afterReply({ items: [assistant(reply)] });
  await driver.end('finished');
  await driver.idle();
}

const warnings = (host: Host): readonly string[] =>
  host.log.flatMap(({ level, message }) => (level === 'warn' ? [message] : []));
/** What compaction hears, but for what one on request needs as well. */
const checksOf = (host: Host): readonly string[] =>
  host.kernel
    .describe()
    .handlers.flatMap(({ plugin, hook }) => (plugin === 'compaction' ? [hook] : []))
    .filter((hook) => hook !== 'session_end' && hook !== 'post_tool_call')
    .sort();

describe('which checks there are (S9.1)', () => {
  test.each([
    ['both absent', {}, []],
    ['mode = "off"', { compactThreshold: 1000, mode: 'off' }, []],
    ['compact_threshold alone', { compactThreshold: 1000 }, ['post_run', 'pre_llm_request', 'prompt_submit']],
    ['compact_request_threshold alone', { compactRequestThreshold: 1000 }, ['pre_llm_request']],
  ])('%s: handlers are registered for what is on, and for nothing else', async (_, config, checks) => {
    await withConfig(config, async (host) => {
      expect(checksOf(host)).toEqual(checks);
    });
  });

  test('both absent is said in a warning; a person can compact all the same', async () => {
    await withConfig({}, async (host, session, driver, worker) => {
      expect(warnings(host)).toEqual([expect.stringContaining('Automatic compaction is off')]);
      session.append(pairs(200, 1000, 'd'));
      await turn(driver, 'go on');
      expect(worker.jobs).toEqual([]);
      expect((await compact(host, session)).outcome).toBe('done');
    });
  });

  test('mode = "off" says nothing, and a person can compact all the same', async () => {
    await withConfig({ mode: 'off', compactThreshold: 1000 }, async (host, session, driver, worker) => {
      await turn(driver, 'go on');
      expect([warnings(host), worker.jobs]).toEqual([[], []]);
      expect((await compact(host, session)).outcome).toBe('done');
    });
  });

  test('shares are of the input window of the session’s model', async () => {
    for (const [share, calls] of [
      ['35%', 0],
      ['30%', 1],
    ] as const) {
      await withConfig({ compactThreshold: share }, async (_host, session, driver, worker) => {
        session.record({ t: 'usage', usage: { inputTokens: 31_000 }, on: { entries: view(session).length } });
        await turn(driver, 'go on');
        expect(worker.jobs).toHaveLength(calls);
      });
    }
  });

  test('an unknown window is said once, where a share needs it', async () => {
    for (const [threshold, times] of [
      ['50%', 1],
      [1_000_000, 0],
    ] as const) {
      await withConfig(
        { compactThreshold: threshold },
        async (host, _session, driver) => {
          for (let nth = 0; nth < 3; nth++) await turn(driver, `${nth}`);
          expect(warnings(host).filter((line) => line.includes('set context_window'))).toHaveLength(times);
        },
        [],
        false,
      );
    }
  });

  test('inverted thresholds are a warning, whatever they are given as, and both still hold', async () => {
    for (const config of [
      { compactThreshold: 35_000, compactRequestThreshold: 20_000 },
      { compactThreshold: '35%', compactRequestThreshold: 20_000 },
      { compactThreshold: 20_000, compactRequestThreshold: '20%' },
    ]) {
      await withConfig(config, async (host, _session, driver, worker) => {
        await turn(driver, 'go on');
        await turn(driver, 'and on');
        expect(warnings(host).filter((line) => line.includes('is not below'))).toHaveLength(1);
        expect(worker.jobs).toHaveLength(1);
        expect(host.events('compaction.done')).toMatchObject([{ trigger: 'request' }]);
      });
    }
  });
});

describe('mode = "observe" (S9.11)', () => {
  test('plans and reports at both checkpoints, and runs nothing', async () => {
    await withConfig({ mode: 'observe', compactThreshold: 10_000 }, async (host, session, driver, worker) => {
      await turn(driver, 'go on');
      const [told, ...more] = host.events('compaction.skipped');
      expect(told).toMatchObject({ trigger: 'post_run', outcome: 'cancelled', before: expect.any(Number) as number });
      expect(told?.plan?.summarised.items).toBeGreaterThan(30);
      expect([more, worker.jobs, session.get(CONTEXT).checkpoint()]).toEqual([[], [], undefined]);
    });
    await withConfig({ mode: 'observe', compactRequestThreshold: 10_000 }, async (host, session, driver) => {
      await turn(driver, 'go on');
      expect(host.events('compaction.skipped')).toMatchObject([{ trigger: 'request' }]);
      expect(session.get(CONTEXT).checkpoint()).toBeUndefined();
    });
  });

  test('reports again only when the context has grown', async () => {
    await withConfig({ mode: 'observe', compactThreshold: 10_000 }, async (host, _session, driver) => {
      for (let nth = 0; nth < 5; nth++) await turn(driver, `${nth}`);
      expect(host.events('compaction.skipped')).toHaveLength(1);
      await turn(driver, 'more', prose(4200));
      expect(host.events('compaction.skipped')).toHaveLength(2);
    });
  });
});

describe('where nothing is to be gained (S9.10, X05)', () => {
  test('no worker is called, and the check rests; once there is something to gain the net makes one compaction', async () => {
    const config = { compactThreshold: 17_000, compactRequestThreshold: 40_000, retainedTokens: 2000 };
    await withConfig(
      config,
      async (host, session, driver, worker) => {
        session.record({ t: 'settings', system: prose(16_500) }, { t: 'pin', text: prose(1000) });
        for (let nth = 0; nth < 20; nth++) await turn(driver, `${nth}`, prose(20));
        expect(worker.jobs).toEqual([]);
        expect(host.events('compaction.skipped')).toMatchObject([{ outcome: 'nothing-to-do' }]);
        session.append(pairs(30, 1000));
        await turn(driver, 'and now?');
        expect(worker.jobs).toHaveLength(1);
        expect(host.events('compaction.done')).toMatchObject([{ trigger: 'request' }]);
      },
      [],
    );
  });

  test('a session that is restored rests as the one that was closed', async () => {
    const config = { compactThreshold: 500 };
    const items = [user('hi'), assistant(prose(700))];
    await withConfig(
      config,
      async (host, session, driver) => {
        await turn(driver, 'one');
        expect(host.events('compaction.skipped')).toHaveLength(1);
        const records = [...session.records()];
        const [skipped] = host.events('compaction.skipped');
        expect(records.filter(({ t }) => t === 'state')).toMatchObject([
          { namespace: 'compaction', value: { withoutGain: skipped?.compaction, outcome: 'nothing-to-do' } },
        ]);
        const again = host.open([]);
        for (const record of records) if (record.t !== 'session') again.record(record as never);
        await turn(drive(host.kernel, again), 'two');
        expect(host.events('compaction.skipped')).toHaveLength(1);
      },
      items,
    );
  });
});

describe('after an undo (S5.5)', () => {
  test('the proactive check rests until a tenth of the window was added', async () => {
    await withConfig({ compactThreshold: 25_000 }, async (host, session, driver, worker) => {
      await turn(driver, 'one');
      expect(worker.jobs).toHaveLength(1);
      expect(session.undoCompaction()).toBe(true);
      await turn(driver, 'two');
      await turn(driver, 'three', prose(9000));
      expect(worker.jobs).toHaveLength(1);
      await turn(driver, 'four', prose(1100));
      expect(worker.jobs).toHaveLength(2);
      expect(host.events('compaction.done')).toHaveLength(2);
    });
  });
});

test('lands clearly below the trigger, so that the next steps do not set it off again (C08)', async () => {
  const config = { compactThreshold: 80_000, retainedTokens: 60_000, autoReadBudget: 15_000 };
  await withConfig(
    config,
    async (host, session, driver, worker) => {
      await turn(driver, 'go on');
      const [end] = host.events('compaction.done');
      expect(end?.after).toBeLessThanOrEqual(60_000);
      for (let nth = 0; nth < 5; nth++) {
        session.append([user(prose(500))]);
        await turn(driver, `${nth}`);
      }
      expect(worker.jobs.length).toBeLessThanOrEqual(2);
      expect(host.events('compaction.done')).toHaveLength(1);
    },
    [user('go'), ...pairs(85, 1000), assistant('so far')],
  );
});
