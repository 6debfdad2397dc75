import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Calibration,
  CALIBRATION,
  CONTEXT,
  createJsonlStore,
  createKernel,
  createMemoryStore,
  defaultService,
  openSession,
  SESSION_STORE,
} from '../../core';
import type { SessionStore } from '../../core';
import { KeptCalibration } from '../../core/tokens/kept-calibration';
import { commandFile } from '../cli/command';
import { folderWith } from '../files/folder';
import { linesOf, startChild } from '../session/child';
import { assistant, prose, user } from '../support/context';

const MODEL = 'claude-sonnet-4-5';

function kept(store: SessionStore): {
  readonly calibration: Calibration;
  readonly kept: KeptCalibration;
  readonly warnings: string[];
} {
  const calibration = new Calibration();
  const warnings: string[] = [];
  const document = store.document('calibration');
  return {
    calibration,
    kept: new KeptCalibration(calibration, document, (message) => void warnings.push(message)),
    warnings,
  };
}

/** Learns a rate, and the size of a fixed part. */
function learn(calibration: Calibration, model: string, rate: number, part: string): void {
  for (let at = 1; at < 30; at++) calibration.of(model).text.observe([1000 * at, 4, 1], 1000 * at * rate);
  calibration.of(model).keepFixedPart(part, 1234);
}

const rateOf = (calibration: Calibration, model: string): number => calibration.of(model).rates[0];

describe('calibration beside the sessions', () => {
  test('is there for the next process', async () => {
    const store = createJsonlStore({ dir: folderWith() });
    const first = kept(store);
    await first.kept.load();
    learn(first.calibration, MODEL, 1.4, 'prompt');
    await first.kept.save();
    const next = kept(store);
    await next.kept.load();
    expect(rateOf(next.calibration, MODEL)).toBe(rateOf(first.calibration, MODEL));
    expect(next.calibration.of(MODEL).fixedPart('prompt')).toBe(1234);
    expect([first.warnings, next.warnings]).toEqual([[], []]);
  });

  test('is written where something was learnt, and only then', async () => {
    const store = createMemoryStore();
    const { calibration, kept: one } = kept(store);
    await one.load();
    calibration.of(MODEL);
    await one.save();
    expect(await store.document('calibration').read()).toBeUndefined();
    learn(calibration, MODEL, 1.4, 'prompt');
    await one.save();
    await store.document('calibration').update(() => 'taken away');
    await one.save();
    expect(await store.document('calibration').read()).toBe('taken away');
  });

  test('of several processes is brought together: models of each, fixed parts of all', async () => {
    const store = createJsonlStore({ dir: folderWith() });
    const [a, b, c] = [kept(store), kept(store), kept(store)];
    for (const { kept: one } of [a, b]) await one.load();
    learn(a.calibration, MODEL, 1.4, 'of a');
    learn(a.calibration, 'gpt-5', 1.1, 'of a');
    learn(b.calibration, MODEL, 0.9, 'of b');
    await a.kept.save();
    await b.kept.save();
    await c.kept.load();
    expect(rateOf(c.calibration, MODEL)).toBe(rateOf(b.calibration, MODEL));
    expect(rateOf(c.calibration, 'gpt-5')).toBe(rateOf(a.calibration, 'gpt-5'));
    expect(['of a', 'of b'].map((part) => c.calibration.of(MODEL).fixedPart(part))).toEqual([1234, 1234]);
  });

  test.each([
    ['no JSON', '{"schema"', 'is no JSON'],
    ['something else', '[1]', 'it is no "pith.calibration/1"'],
    [
      'figures that cannot be',
      JSON.stringify({ schema: 'pith.calibration/1', models: { x: {} } }),
      'not plausible for x',
    ],
  ])('that is %s is ignored with a warning, and replaced', async (_, content, why) => {
    const dir = folderWith({ 'calibration.json': content });
    const store = createJsonlStore({ dir });
    const one = kept(store);
    await one.kept.load();
    expect(one.warnings).toEqual([expect.stringContaining(why)]);
    learn(one.calibration, MODEL, 1.4, 'prompt');
    await one.kept.save();
    const next = kept(store);
    await next.kept.load();
    expect(next.warnings).toEqual([]);
    expect(rateOf(next.calibration, MODEL)).toBe(rateOf(one.calibration, MODEL));
  });

  test('of a newer version is left alone', async () => {
    const newer = { schema: 'pith.calibration/2', what: 'ever' };
    const dir = folderWith({ 'calibration.json': JSON.stringify(newer) });
    const one = kept(createJsonlStore({ dir }));
    await one.kept.load();
    learn(one.calibration, MODEL, 1.4, 'prompt');
    await one.kept.save();
    expect(await createJsonlStore({ dir }).document('calibration').read()).toEqual(newer);
  });

  test('that cannot be written costs a warning and nothing else', async () => {
    const dir = join(folderWith({ file: '' }), 'file');
    const one = kept(createJsonlStore({ dir }));
    await one.kept.load();
    learn(one.calibration, MODEL, 1.4, 'prompt');
    await one.kept.save();
    expect(one.warnings.at(-1)).toContain('What was learnt about how models count is not kept: ');
  });

  test('loses nothing where processes write at the same time', async () => {
    commandFile();
    const dir = folderWith();
    const children = [0, 1, 2].map((child) =>
      startChild(
        `const document = pith.createJsonlStore({ dir }).document('calibration');
         for (let at = 0; at < 40; at++) await document.update((kept = {}) => ({ ...kept, ['${child}-' + at]: 1 }));`,
        dir,
      ),
    );
    expect(await Promise.all(children.map(linesOf))).toEqual([[], [], []]);
    const document = createJsonlStore({ dir }).document('calibration');
    expect(Object.keys((await document.read()) as object)).toHaveLength(120);
  }, 120_000);
});

describe('the sessions of a kernel', () => {
  test('learn on from what is kept, and keep what they learnt at the end of a turn and of the session', async () => {
    const dir = folderWith();
    const store = createJsonlStore({ dir });
    const start = () => createKernel({ plugins: [], defaults: [defaultService(SESSION_STORE, () => store)] });
    await using one = await start();
    const { session } = await openSession(one);
    session.record({ t: 'settings', system: 'S', model: MODEL });
    const turn = (number: number): void => {
      session.record({ t: 'turn', phase: 'start', turn: number });
      for (let at = 1; at <= 5; at++) {
        session.append([user(prose(2000)), assistant('ok')]);
        session.record({ t: 'usage', usage: { inputTokens: 3000 * (5 * (number - 1) + at), model: MODEL } });
      }
      session.get(CONTEXT).view();
      session.record({ t: 'turn', phase: 'end', turn: number });
    };
    turn(1);
    while ((await store.document('calibration').read()) === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    turn(2);
    await session.close();
    expect(statSync(join(dir, 'calibration.json')).mode & 0o777).toBe(0o600);
    const learnt = rateOf(one.get(CALIBRATION), MODEL);
    expect(learnt).not.toBe(rateOf(new Calibration(), MODEL));
    await using two = await start();
    await openSession(two);
    expect(rateOf(two.get(CALIBRATION), MODEL)).toBe(learnt);
  });

  test('begin without it where it is damaged', async () => {
    const dir = folderWith();
    writeFileSync(join(dir, 'calibration.json'), 'x');
    const said: string[] = [];
    await using kernel = await createKernel({
      plugins: [],
      log: { level: 'warn', write: ({ message }) => void said.push(message) },
      defaults: [defaultService(SESSION_STORE, () => createJsonlStore({ dir }))],
    });
    const { session } = await openSession(kernel);
    session.append([user('hi')]);
    await session.close();
    expect(said).toEqual([expect.stringContaining('The kept calibration is ignored: ')]);
  });
});
