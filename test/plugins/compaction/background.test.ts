import { CONTEXT, drive } from '../../../core';
import type { Driver, NewItem, Session } from '../../../core';
import { assistant, call, prose, result, user } from '../../support/context';
import { refusals } from '../../support/counter';
import { compact, start, STOCK, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../../support/worker';
import type { Script, ScriptedWorker } from '../../support/worker';

const THRESHOLD = 20_000;
const summary = writing(summaryOf('It was ported in part.'));

const history = (pairs = 30): readonly NewItem[] => [
  user('please port it'),
  ...Array.from({ length: pairs }, (_, at) => [call(`c${at}`), result(`c${at}`, prose(1000))]).flat(),
  assistant('half done'),
];

/** A worker that works until it is let go. */
function gatedWorker(then: Script = summary): ScriptedWorker & { go(): void } {
  const gates: (() => void)[] = [];
  const worker = scriptedWorker(async (desk, job, signal) => {
    await new Promise<void>((resolve) => gates.push(resolve));
    await then(desk, job, signal);
  });
  return { ...worker, go: () => gates.splice(0).forEach((open) => open()) };
}

async function withSession(
  worker: ScriptedWorker,
  config: object,
  use: (host: Host, session: Session, driver: Driver) => Promise<void>,
  items = history(),
): Promise<void> {
  await using host = await start({
    plugins: [...STOCK, worker.plugin],
    config: { compaction: { compactThreshold: THRESHOLD, ...config }, prune: { protectedTokens: 1_000_000 } },
  });
  const session = host.open(items);
  await use(host, session, drive(host.kernel, session, { tools: [] }));
}

/** One turn of one request. */
async function turn(driver: Driver, prompt: string): Promise<void> {
  await driver.prompt(prompt);
  await driver.beforeRequest();
  await driver.afterReply({ items: [assistant(`As to ${prompt}.`)] });
  await driver.end('finished');
}

const checkpoints = (session: Session): number => [...session.records()].filter(({ t }) => t === 'checkpoint').length;
const lastText = (session: Session): string => JSON.stringify(view(session).at(view(session).length - 1));
const ends = (host: Host): readonly string[] =>
  host.heard.flatMap(({ name }) => (/^compaction\.(?:started|done|failed|skipped)$/.test(name) ? [name] : []));

describe('between turns nobody waits (S9.11)', () => {
  test('the job begins when the turn is over, and its result is applied while no turn is open', async () => {
    const worker = gatedWorker();
    await withSession(worker, {}, async (host, session, driver) => {
      await turn(driver, 'go on');
      await host.clock.settle();
      expect([worker.jobs.length, checkpoints(session), session.turnOpen]).toEqual([1, 0, false]);
      worker.go();
      await driver.idle();
      expect(checkpoints(session)).toBe(1);
      expect(view(session).occupancy().tokens).toBeLessThanOrEqual(0.75 * THRESHOLD);
      expect(host.events('compaction.done')).toMatchObject([{ trigger: 'post_run', worker: 'scripted' }]);
    });
  });

  test('a prompt is accepted while the worker works; the result waits for the end of that turn', async () => {
    const worker = gatedWorker();
    await withSession(worker, {}, async (host, session, driver) => {
      await turn(driver, 'go on');
      await host.clock.settle();
      await driver.prompt('PROMPT-2');
      const { context } = await driver.beforeRequest();
      expect(JSON.stringify([...context.items()])).toContain('PROMPT-2');
      worker.go();
      await host.clock.settle();
      expect([checkpoints(session), ends(host)]).toEqual([0, ['compaction.started']]);
      await driver.afterReply({ items: [assistant('ANSWER-2')] });
      await driver.end('finished');
      await driver.idle();
      expect([checkpoints(session), ends(host)]).toEqual([1, ['compaction.started', 'compaction.done']]);
      expect(lastText(session)).toContain('ANSWER-2');
      expect(JSON.stringify([...view(session).items()])).toContain('PROMPT-2');
      expect(refusals(view(session))).toEqual([]);
    });
  });

  test('what is being applied comes before the prompt that opens the next turn', async () => {
    const worker = gatedWorker();
    await withSession(worker, {}, async (host, session, driver) => {
      await turn(driver, 'go on');
      await host.clock.settle();
      worker.go();
      while (!host.heard.some(({ name }) => name === 'hook:pre_tool_call')) await new Promise(setImmediate);
      for (let turns = 0; checkpoints(session) === 0 && turns < 3; turns++) await turn(driver, `PROMPT-${turns}`);
      await driver.idle();
      expect(checkpoints(session)).toBe(1);
      expect(refusals(view(session))).toEqual([]);
    });
  });

  test('contents of files are those of the moment in which it is applied', async () => {
    const reads: string[] = [];
    let text = 'as it was';
    const worker = gatedWorker(async (desk, job, signal) => {
      await desk.call('mark_read_required', { path: 'a.ts' }, signal);
      await summary(desk, job, signal);
    });
    await using host = await start({
      plugins: [...STOCK, worker.plugin],
      config: { compaction: { compactThreshold: THRESHOLD }, prune: { protectedTokens: 1_000_000 } },
      files: {
        canonical: (path) => path,
        display: (path) => path,
        read: (path) => (reads.push(path), Promise.resolve({ ok: true, path, text, source: 'disk' })),
      },
    });
    const session = host.open(history());
    const driver = drive(host.kernel, session);
    await turn(driver, 'go on');
    await host.clock.settle();
    await driver.prompt('edit it');
    worker.go();
    await host.clock.settle();
    text = 'as it is now';
    await driver.beforeRequest();
    await driver.afterReply({ items: [assistant('edited')] });
    await driver.end('finished');
    await driver.idle();
    expect(view(session).system.map((part) => part.text)).toContain('[Auto-read file: a.ts]\nas it is now');
  });

  test('a change of the summarised part while it waits makes it stale, and nothing else', async () => {
    const worker = gatedWorker();
    await withSession(worker, {}, async (host, session, driver) => {
      await turn(driver, 'go on');
      await host.clock.settle();
      await driver.prompt('PROMPT-2');
      worker.go();
      await host.clock.settle();
      session.get(CONTEXT).keep([{ edit: 'content', item: 'i2', text: null }], 'somebody');
      const { digest } = view(session);
      await driver.end('aborted');
      await driver.idle();
      expect([view(session).digest, checkpoints(session)]).toEqual([digest, 0]);
      expect(host.events('compaction.failed')).toMatchObject([{ outcome: 'stale' }]);
    });
  });

  test('nothing is pruned meanwhile, which would make it stale; afterwards it is', async () => {
    const worker = gatedWorker();
    await using host = await start({
      plugins: [...STOCK, worker.plugin],
      config: { compaction: { compactThreshold: THRESHOLD }, prune: { protectedTokens: 1000, minSavings: 30_000 } },
    });
    const session = host.open(history(25));
    const driver = drive(host.kernel, session);
    await turn(driver, 'go on');
    await host.clock.settle();
    session.append(history(10));
    await turn(driver, 'and on');
    expect(host.events('prune.skipped').at(-1)).toMatchObject({ reason: 'compacting', candidates: 34 });
    worker.go();
    await driver.idle();
    expect(host.events('compaction.done')).toHaveLength(1);
    session.append(history(33));
    await turn(driver, 'and now?');
    expect(host.events('prune.fired')).toHaveLength(1);
  });

  test('a person who asks for a compaction meanwhile joins it, and has it applied at once', async () => {
    const worker = gatedWorker();
    await withSession(worker, {}, async (host, session, driver) => {
      await turn(driver, 'go on');
      await host.clock.settle();
      await driver.prompt('PROMPT-2');
      const joined = compact(host, session);
      await host.clock.settle();
      worker.go();
      expect(await joined).toMatchObject({ outcome: 'done', trigger: 'post_run' });
      expect([session.turnOpen, checkpoints(session), worker.jobs.length]).toEqual([true, 1, 1]);
    });
  });

  test('nothing begins below the threshold, and nothing twice', async () => {
    const worker = gatedWorker();
    await withSession(
      worker,
      {},
      async (host, session, driver) => {
        await turn(driver, 'go on');
        await host.clock.settle();
        expect(worker.jobs).toEqual([]);
        session.append(history(20));
        await turn(driver, 'and on');
        await turn(driver, 'and on and on');
        await host.clock.settle();
        expect(worker.jobs).toHaveLength(1);
        worker.go();
        await driver.idle();
        expect(checkpoints(session)).toBe(1);
      },
      history(3),
    );
  });

  test('with background = false the turn ends when it is done', async () => {
    await withSession(scriptedWorker(summary), { background: false }, async (host, session, driver) => {
      await turn(driver, 'go on');
      expect(checkpoints(session)).toBe(1);
      expect(host.heard.findIndex(({ name }) => name === 'compaction.done')).toBeLessThan(
        host.heard.findIndex(({ name }) => name === 'turn.ended'),
      );
    });
  });
});

describe('the session ends while a compaction is under way', () => {
  test.each([
    ['while the worker works', false],
    ['while its result waits for the end of a turn', true],
  ])('%s: it is cancelled, which is recorded, and told once', async (_, waits) => {
    const worker = gatedWorker();
    await withSession(worker, {}, async (host, session, driver) => {
      await turn(driver, 'go on');
      await host.clock.settle();
      await driver.prompt('PROMPT-2');
      if (waits) worker.go();
      await host.clock.settle();
      await driver.close();
      const records = [...session.records()].filter(({ t }) => t === 'compaction');
      expect(records.at(-1)).toMatchObject({ phase: 'failed', data: { outcome: 'cancelled' } });
      worker.go();
      await host.clock.settle();
      expect([checkpoints(session), ends(host)]).toEqual([0, ['compaction.started', 'compaction.failed']]);
    });
  });

  test('a session that is closed without a word cancels it too', async () => {
    const worker = gatedWorker();
    await withSession(worker, {}, async (host, session, driver) => {
      await turn(driver, 'go on');
      await host.clock.settle();
      await session.close();
      expect(host.events('compaction.failed')).toMatchObject([{ outcome: 'cancelled' }]);
      worker.go();
      await host.clock.settle();
      expect(ends(host)).toEqual(['compaction.started', 'compaction.failed']);
    });
  });

  test('so does a kernel that stops', async () => {
    const worker = gatedWorker();
    await withSession(worker, {}, async (host, session, driver) => {
      await turn(driver, 'go on');
      await host.clock.settle();
      await host.kernel.stop();
      expect(ends(host)).toEqual(['compaction.started', 'compaction.failed']);
      expect(host.events('compaction.failed')).toMatchObject([{ outcome: 'cancelled', session: session.id }]);
    });
  });
});
