/** Faults of what is kept that users of similar tools reported, by the ids of `cases.json`. */
import { COMPACTION } from '../../core/index';
import { CONTEXT, createJsonlStore, defaultService, openSession, restoreSession, SESSION_STORE } from '../../core';
import type { ContextView, NewItem, Session } from '../../core';
import { folderWith } from '../files/folder';
import { assistant, call, prose, result, user } from '../support/context';
import { written } from '../support/counter';
import { start, STOCK } from '../support/kernel';
import type { Host } from '../support/kernel';
import { scriptedWorker, summaryOf } from '../support/worker';

const view = (session: Session): ContextView => session.get(CONTEXT).view();
const requests = (session: Session): string => JSON.stringify(written(view(session)));

const turn = (number: number): readonly NewItem[] => [
  user(`task ${String(number)}`),
  ...Array.from({ length: 6 }, (_, at) => [
    call(`t${String(number)}-${String(at)}`),
    result(`t${String(number)}-${String(at)}`, prose(400)),
  ]).flat(),
  assistant(`done ${String(number)}`),
];

const worker = () =>
  scriptedWorker((desk, job, signal) =>
    desk.call('write_summary', { text: summaryOf(`Items up to ${String(job.range.to)}.`) }, signal),
  );

async function compact({ kernel }: Host, session: Session): Promise<void> {
  expect((await kernel.get(COMPACTION).compact(session, { trigger: 'manual', retainedTokens: 1500 })).outcome).toBe(
    'done',
  );
}

/** What a new process makes of the log. */
function reopened(host: Host, session: Session, upTo = session.position): Session {
  const log = JSON.parse(JSON.stringify([...session.records(0, upTo + 1)])) as [];
  return restoreSession(log, { services: (one) => host.kernel.scope(one) });
}

describe('C39: a session after a restart', () => {
  const ways: readonly (readonly [string, (host: Host, session: Session) => Promise<void> | void])[] = [
    ['the compaction plugin', compact],
    [
      'edits of a third party',
      (_, session) => {
        const context = session.get(CONTEXT);
        const groups = context.view().groups();
        const old = [...context.view().items(0, groups.at(-4))].map(({ id }) => id);
        context.keep(
          [
            {
              edit: 'insert',
              before: [...context.view().items(groups.at(-4))][0]?.id ?? '',
              item: user('What was done: all of it.'),
            },
            { edit: 'drop', items: old },
          ],
          'homemade',
        );
      },
    ],
    [
      'a checkpoint of a third party',
      (_, session) =>
        session.record({
          t: 'checkpoint',
          compaction: 'homemade-1',
          blocks: [{ kind: 'notes', text: 'What was done: all of it.' }],
          cut: 20,
          lead: 'i14',
          edits: [],
          before: 0,
          after: 0,
        }),
    ],
  ];

  test.each(ways)(
    'C39: sends what it sent before, byte for byte, without a compaction of its own (%s)',
    async (_, shrink) => {
      const scripted = worker();
      await using host = await start({ plugins: [...STOCK, scripted.plugin] });
      const session = host.open([...turn(0), ...turn(1), ...turn(2)], { t: 'settings', system: 'You are terse.' });
      const whole = requests(session).length;
      await shrink(host, session);
      session.append([user('and then?')]);
      const jobs = scripted.jobs.length;
      expect(requests(session).length).toBeLessThan(whole / 1.5);
      await using other = await start({ plugins: [...STOCK, scripted.plugin] });
      const again = reopened(other, session);
      expect(requests(again)).toBe(requests(session));
      expect(view(again).occupancy().tokens).toBeCloseTo(view(session).occupancy().tokens, 3);
      expect(scripted.jobs).toHaveLength(jobs);
    },
  );
});

/** A process with sessions in this folder. */
const process = (dir: string) =>
  start({
    plugins: [...STOCK, worker().plugin],
    services: [defaultService(SESSION_STORE, () => createJsonlStore({ dir }))],
  });

describe('a session in a file', () => {
  test('C39: comes back compacted in a new process, and undone where it was undone', async () => {
    const dir = folderWith();
    await using host = await process(dir);
    const { session } = await openSession(host.kernel, { id: 's' });
    session.record({ t: 'settings', system: 'You are terse.' });
    session.append([...turn(0), ...turn(1), ...turn(2)]);
    for (const change of [() => compact(host, session), () => session.undoCompaction()]) {
      await change();
      const sent = requests(session);
      await using other = await process(dir);
      // Another process that looks on, as a fork of the newest record would.
      const { records } = await createJsonlStore({ dir }).read('s');
      const again = restoreSession(records, { services: (one) => other.kernel.scope(one) });
      expect(requests(again)).toBe(sent);
      expect([...again.records()].filter(({ t }) => t === 'compaction')).toHaveLength(2);
    }
    const before = requests(session);
    await session.close();
    await using last = await process(dir);
    expect(requests((await openSession(last.kernel, { id: 's', create: false })).session)).toBe(before);
  });

  test('X25: is forked before and between its compactions; the fork is compacted, the other branch is unaffected', async () => {
    const dir = folderWith();
    await using host = await process(dir);
    const { session } = await openSession(host.kernel, { id: 's' });
    const snapshots: { readonly at: number; readonly sent: string }[] = [];
    for (let number = 0; number < 3; number++) {
      session.append([...turn(2 * number), ...turn(2 * number + 1)]);
      snapshots.push({ at: session.position, sent: requests(session) });
      if (number < 2) await compact(host, session);
    }
    const now = requests(session);
    for (const { at, sent } of snapshots.slice(0, 2)) {
      const fork = (await openSession(host.kernel, { id: 's', at })).session;
      expect([requests(fork), fork.forkedFrom]).toEqual([sent, { id: 's', position: at }]);
      expect([...fork.items()]).toEqual([...session.items(0, fork.itemCount)]);
      await compact(host, fork);
      expect(requests(fork)).not.toBe(sent);
      await fork.close();
    }
    expect(requests(session)).toBe(now);
    await session.close();
    expect(requests((await openSession(host.kernel, { id: 's' })).session)).toBe(now);
  });
});

describe('X25: going back behind a compaction', () => {
  test('X25: each context is again what it was, the originals are there, and another branch is unaffected', async () => {
    await using host = await start({ plugins: [...STOCK, worker().plugin] });
    const session = host.open(turn(0));
    const snapshots: { readonly position: number; readonly sent: string }[] = [];
    const snapshot = (): void => void snapshots.push({ position: session.position, sent: requests(session) });
    snapshot();
    for (let number = 1; number < 4; number++) {
      session.append(turn(number));
      snapshot();
      await compact(host, session);
      snapshot();
    }
    const items = [...session.items()];
    const checkpoints = [...session.records()].filter(({ t }) => t === 'checkpoint');
    expect(checkpoints).toHaveLength(3);

    // Any earlier position, as a branch of its own.
    for (const { position, sent } of snapshots) expect(requests(reopened(host, session, position))).toBe(sent);
    const branch = reopened(host, session, snapshots[1]?.position);
    const unaffected = requests(session);
    branch.append(turn(9));
    await compact(host, branch);
    expect(requests(session)).toBe(unaffected);

    // Back over the compactions, the newest first; what each replaced is current again.
    for (const [back, { seq }] of checkpoints.toReversed().entries()) {
      session.record({ t: 'undo', checkpoint: seq });
      expect([...session.items()]).toEqual(items);
      expect([...view(session).items()].at(-1)).toBe(items.at(-1));
      const { sent } = snapshots[5 - 2 * back] ?? {};
      if (back === 0) expect(requests(session)).toBe(sent);
    }
    expect([...view(session).items()]).toEqual(items);
    expect(view(session).system).toEqual([]);
    await compact(host, session);
  });
});
