/** Faults of things that happen at once that users of similar tools reported, by the ids of `cases.json`. */
import { CONTEXT, createContext, createMemoryStore, createSession, restoreSession } from '../../core';
import type { ContextView, LogWriter, NewItem, RecordDraft, Session, SessionRecord } from '../../core';
import { assistant, call, prose, result, tokenizer, user } from '../support/context';
import { refusals } from '../support/counter';
import { compact, start, STOCK, view } from '../support/kernel';
import type { Host } from '../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../support/worker';
import type { Script, ScriptedWorker } from '../support/worker';

const pairs = (count: number, tokens: number, name: string): readonly NewItem[] =>
  Array.from({ length: count }, (_, at) => [
    call(`${name}${String(at)}`),
    result(`${name}${String(at)}`, prose(tokens)),
  ]).flat();

const history: readonly NewItem[] = [
  user('please port it'),
  ...pairs(20, 1000, 'c'),
  assistant('half done'),
  user('go on'),
  ...pairs(3, 500, 'd'),
];
const summary = writing(summaryOf('It was ported in part.'));

/** Runs with a worker that first does something to the session it works for. */
async function meanwhile(
  script: (session: Session) => unknown,
  use: (host: Host, session: Session, worker: ScriptedWorker) => Promise<void>,
  items = history,
): Promise<void> {
  const opened: Session[] = [];
  const worker = scriptedWorker(async (desk, job, signal) => {
    for (const session of opened) await script(session);
    await summary(desk, job, signal);
  });
  await using host = await start({ plugins: [...STOCK, worker.plugin] });
  const session = host.open(items);
  opened.push(session);
  await use(host, session, worker);
}

/** The context that a new process would restore from the log. */
const restored = (records: Iterable<SessionRecord>): ContextView =>
  createContext(restoreSession(JSON.parse(JSON.stringify([...records])) as [], {}), { tokenizer }).view();

describe('C30: the session grows while it is compacted', () => {
  test('C30: what was appended meanwhile stands behind the tail, and who reads the old context goes on reading it', async () => {
    const waiting = [...history, { ...call('slow'), reply: 'r' }, { ...call('slower'), reply: 'r' }];
    let before: ContextView | undefined;
    let seen: readonly string[] = [];
    const appended = [
      result('slow', 'SLOW-RESULT'),
      result('slower', 'SLOWER-RESULT'),
      assistant('REPLY-1'),
      user('PROMPT-2'),
    ];
    await meanwhile(
      (session) => {
        before = view(session);
        seen = [...before.items()].map((item) => JSON.stringify(item));
        session.append(appended.slice(0, 3), 'somebody');
        session.append(appended.slice(3));
        session.record({ t: 'usage', usage: { inputTokens: 26_000 } });
      },
      async (host, session) => {
        expect((await compact(host, session)).outcome).toBe('done');
        const after = [...view(session).items()];
        expect(after.slice(-4)).toEqual([...session.items()].slice(-4));
        for (const text of ['SLOW-RESULT', 'SLOWER-RESULT', 'REPLY-1', 'PROMPT-2'])
          expect(JSON.stringify(after)).toContain(text);
        expect([...(before?.items() ?? [])].map((item) => JSON.stringify(item))).toEqual(seen);
        expect(refusals(view(session))).toEqual([]);
        expect(restored(session.records()).digest).toBe(view(session).digest);
      },
      waiting,
    );
  });

  const changes: readonly (readonly [string, (session: Session) => void])[] = [
    [
      'an item of the summarised part loses its content',
      (session) => session.get(CONTEXT).keep([{ edit: 'content', item: 'i2', text: null }], 'x'),
    ],
    ['a pair of it is dropped', (session) => session.get(CONTEXT).keep([{ edit: 'drop', items: ['i1', 'i2'] }], 'x')],
    [
      'something is put into it',
      (session) => session.get(CONTEXT).keep([{ edit: 'insert', before: 'i3', item: user('mind this') }], 'x'),
    ],
    ['an item of it is pinned', (session) => session.get(CONTEXT).pin('i0')],
    ['the system prompt changes', (session) => session.record({ t: 'settings', system: 'You are someone else.' })],
    [
      'somebody else compacts',
      (session) =>
        session.record({
          t: 'checkpoint',
          compaction: 'other',
          blocks: [{ kind: 'summary', text: 'other' }],
          cut: 30,
          edits: [],
          before: 1,
          after: 1,
        }),
    ],
  ];

  test.each(changes)('C30: a result is discarded where %s', async (_, change) => {
    let expected = '';
    await meanwhile(
      (session) => {
        change(session);
        expected = view(session).digest;
      },
      async (host, session) => {
        expect((await compact(host, session)).outcome).toBe('stale');
        expect(view(session).digest).toBe(expected);
      },
    );
  });

  test('C30: a change of the tail alone is kept, and the result with it', async () => {
    await meanwhile(
      (session) => session.get(CONTEXT).keep([{ edit: 'content', item: 'i44', text: 'pruned meanwhile' }], 'x'),
      async (host, session) => {
        expect((await compact(host, session)).outcome).toBe('done');
        expect(JSON.stringify([...view(session).items()])).toContain('pruned meanwhile');
      },
    );
  });
});

describe('C31: several triggers in one tick', () => {
  test('C31: make one compaction per session, and no session waits for another', async () => {
    const gates: (() => void)[] = [];
    const worker = scriptedWorker(async (desk, job, signal) => {
      if (job.sessionId === 's0') await new Promise<void>((resolve) => gates.push(resolve));
      await summary(desk, job, signal);
    });
    await using host = await start({ plugins: [...STOCK, worker.plugin] });
    const [one, other] = [host.open(history), host.open(history)];
    const ended: string[] = [];
    host.kernel.bus.on('compaction.done', ({ session }) => void ended.push(session));
    const triggers = ['post_run', 'manual', 'request', 'overflow'] as const;
    const all = triggers.map((trigger) => compact(host, one, { trigger }));
    expect((await compact(host, other)).outcome).toBe('done');
    expect(ended).toEqual([other.id]);
    const late = compact(host, one, { trigger: 'manual' });
    for (const open of gates) open();
    const reports = await Promise.all([...all, late]);
    expect(new Set(reports.map(({ id }) => id)).size).toBe(1);
    expect(reports[0]?.outcome).toBe('done');
    expect(worker.jobs.map(({ sessionId }) => sessionId).sort()).toEqual([one.id, other.id]);
    expect([...one.records()].filter(({ t }) => t === 'checkpoint')).toHaveLength(1);
    expect(ended).toEqual([other.id, one.id]);
  });
});

describe('C33: a compaction is interrupted at an awkward moment', () => {
  const moments: readonly (readonly [string, (abort: () => void, session: () => Session) => Script])[] = [
    ['before it begins', (abort) => (abort(), summary)],
    [
      'before the summary',
      (abort) =>
        async (...call_) => (abort(), summary(...call_)),
    ],
    [
      'after the summary',
      (abort) =>
        async (...call_) => (await summary(...call_), abort()),
    ],
    ['while the worker hangs', (abort) => () => (abort(), new Promise(() => undefined))],
    [
      'by closing the session',
      (_abort, session) =>
        async (...call_) => (await session().close(), summary(...call_)),
    ],
  ];

  test.each(moments)('C33: %s: memory and store agree, all is as it was, and the next one works', async (_, at) => {
    const controller = new AbortController();
    const sessions: Session[] = [];
    const worker = scriptedWorker(
      at(
        () => controller.abort(),
        () => sessions[0] as Session,
      ),
    );
    await using host = await start({ plugins: [...STOCK, worker.plugin] });
    const store = createMemoryStore();
    const open = (records: Iterable<SessionRecord> | undefined, writer: LogWriter): Session => {
      const options = { writer, services: (one: Session) => host.kernel.scope(one) };
      return records === undefined ? createSession({ id: 's', ...options }) : restoreSession([...records], options);
    };
    const session = open(undefined, await store.create('s'));
    sessions.push(session);
    session.append(history);
    const before = view(session).digest;
    expect((await compact(host, session, { signal: controller.signal })).outcome).toBe('cancelled');
    const log = await store.read('s');
    expect([...session.records()]).toEqual(log.records);
    expect(restored(log.records).digest).toBe(before);

    await using healthy = await start({ plugins: [...STOCK, scriptedWorker(summary).plugin] });
    const again = restoreSession(log.records, { services: (one) => healthy.kernel.scope(one) });
    expect((await compact(healthy, again)).outcome).toBe('done');
    expect([...again.items()]).toHaveLength(history.length);
  });

  test.each(['compaction', 'checkpoint', 'item'] as const)(
    'C33: a store that cannot take a record of kind %s leaves the session as it was',
    async (kind) => {
      const worker = scriptedWorker(summary);
      await using host = await start({ plugins: [...STOCK, worker.plugin] });
      const written: SessionRecord[] = [];
      let full = false;
      const writer: LogWriter = {
        append(record) {
          if (full && record.t === kind) throw new Error('no space left');
          written.push(record);
        },
        flush: () => Promise.resolve(),
        close: () => Promise.resolve(),
      };
      const session = createSession({ id: 's', writer, services: (one) => host.kernel.scope(one) });
      session.append(history);
      const before = view(session).digest;
      full = true;
      const outcome = await compact(host, session).then(
        (report) => report.outcome,
        () => 'rejected',
      );
      full = false;
      expect([...session.records()]).toEqual(written);
      if (kind === 'checkpoint') expect([outcome, view(session).digest]).toEqual(['worker-failed', before]);
      expect(restored(written).digest).toBe(view(session).digest);
      if (kind !== 'item') expect((await compact(host, session)).outcome).toBe('done');
      session.append([user('still here')]);
      expect(restored(session.records()).digest).toBe(view(session).digest);
    },
  );

  test('C33: an abort after the result was applied turns nothing into a failure', async () => {
    const controller = new AbortController();
    await using host = await start({ plugins: [...STOCK, scriptedWorker(summary).plugin] });
    const session = host.open(history);
    session.observe((record: RecordDraft | SessionRecord) => void (record.t === 'checkpoint' && controller.abort()));
    expect((await compact(host, session, { signal: controller.signal })).outcome).toBe('done');
    expect(session.get(CONTEXT).checkpoint()).toBeDefined();
  });
});
