import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  CLOCK,
  CONTEXT,
  createJsonlStore,
  createKernel,
  createMemoryStore,
  defaultService,
  forkSession,
  IDS,
  openSession,
  PithError,
  SESSION_STORE,
  TOKENIZER,
} from '../../core';
import type { ContextView, Item, ItemCount, Kernel, NewItem, Session, SessionStore, Tokenizer } from '../../core';
import { createVirtualClock } from '../../core/testing';
import tracker from '../../plugins/tracker';
import { TRACKER } from '../../plugins/tracker/token';
import { play, sessionSteps } from '../arbitraries/session';
import { folderWith } from '../files/folder';
import { assistant, call, prose, result, tokenizer, user } from '../support/context';
import { refusals, written } from '../support/counter';

interface Host extends AsyncDisposable {
  readonly kernel: Kernel;
  readonly store: SessionStore;
  readonly warnings: readonly string[];
}

async function host(store: SessionStore = createMemoryStore(), counter: Tokenizer = tokenizer): Promise<Host> {
  const warnings: string[] = [];
  let ids = 0;
  const kernel = await createKernel({
    plugins: [tracker],
    log: { level: 'warn', write: ({ message }) => void warnings.push(message) },
    defaults: [
      defaultService(SESSION_STORE, () => store),
      defaultService(CLOCK, () => createVirtualClock(5000)),
      defaultService(IDS, () => ({ next: (kind) => `${kind}-${++ids}` })),
      defaultService(TOKENIZER, () => counter),
    ],
  });
  return { kernel, store, warnings, [Symbol.asyncDispose]: () => kernel.stop() };
}

const view = (session: Session): ContextView => session.get(CONTEXT).view();
const request = (session: Session): string => JSON.stringify(written(view(session)));

async function open(kernel: Kernel, id?: string, at?: number): Promise<Session> {
  return (await openSession(kernel, { id, at })).session;
}

async function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => (PithError.is(error) ? error.code : error),
  );
}

describe('a session that begins', () => {
  test('is kept with a new id, or with the one that is asked for', async () => {
    await using one = await host();
    const { session, restored } = await openSession(one.kernel, { root: '/w' });
    expect([session.id, session.root, restored, session.forkedFrom]).toEqual(['session-1', '/w', false, undefined]);
    const named = await openSession(one.kernel, { id: 'ticket/42' });
    expect([named.session.id, named.restored]).toEqual(['ticket/42', false]);
    expect((await one.store.list()).map(({ id }) => id).sort()).toEqual(['session-1', 'ticket/42']);
    expect((await one.store.read('session-1')).records).toEqual([
      { seq: 0, at: 5000, t: 'session', schema: 'pith.session/1', id: 'session-1', root: '/w' },
    ]);
  });

  test('does not where it is to be there already', async () => {
    await using one = await host();
    expect(await refusal(openSession(one.kernel, { id: 'x', create: false }))).toBe('PITH_SESSION_NOT_FOUND');
    expect(await refusal(openSession(one.kernel, { id: 'x', at: 3 }))).toBe('PITH_SESSION_NOT_FOUND');
    expect(await one.store.list()).toEqual([]);
  });

  test('carries the count of each item, which is counted once', async () => {
    const counted: Item[] = [];
    await using one = await host(createMemoryStore(), countingTokenizer(counted));
    const session = await open(one.kernel);
    session.append([user('a'), call('c')]);
    session.record({ t: 'item', item: result('c', 'ok') });
    view(session).occupancy();
    expect(counted.map(({ id }) => id)).toEqual(['i0', 'i1', 'i2']);
    for (const record of session.records(1))
      expect(record).toMatchObject({ count: { text: 1, images: 0, opaque: 0 }, enc: 'one@1' });
  });
});

describe('a session that is restored', () => {
  test('goes on in its own log, with the same context, and nothing is counted again', async () => {
    const counted: Item[] = [];
    const store = createMemoryStore();
    await using one = await host(store, countingTokenizer(counted));
    const session = await open(one.kernel, 's');
    session.append([user('a'), call('c'), result('c', prose(50)), assistant('b')]);
    const { digest } = view(session);
    const occupancy = view(session).occupancy();
    await session.close();
    counted.length = 0;
    await using two = await host(store, countingTokenizer(counted));
    const { session: again, restored } = await openSession(two.kernel, { id: 's' });
    expect([restored, again.id, view(again).digest, view(again).occupancy()]).toEqual([true, 's', digest, occupancy]);
    expect(counted).toEqual([]);
    again.append([user('c')]);
    expect(counted).toHaveLength(1);
    expect((await store.read('s')).records).toHaveLength(6);
  });

  test('is counted anew where another encoder counted it', async () => {
    const counted: Item[] = [];
    const store = createMemoryStore();
    await using one = await host(store, { ...countingTokenizer([]), id: 'other@1' });
    const session = await open(one.kernel, 's');
    session.append([user('a'), assistant('b')]);
    await session.close();
    await using two = await host(store, countingTokenizer(counted));
    await open(two.kernel, 's');
    expect(counted).toHaveLength(2);
  });

  test('is refused while somebody else has it, and let go where it cannot be restored', async () => {
    const dir = folderWith();
    await using one = await host(createJsonlStore({ dir }));
    await using two = await host(createJsonlStore({ dir }));
    const session = await open(one.kernel, 's');
    expect(await refusal(open(two.kernel, 's'))).toBe('PITH_SESSION_LOCKED');
    await session.close();
    appendFileSync(join(dir, 's.jsonl'), '{}\n{}\n');
    expect(await refusal(open(two.kernel, 's'))).toBe('PITH_SESSION_CORRUPT');
    truncateSync(join(dir, 's.jsonl'), readFileSync(join(dir, 's.jsonl')).indexOf('\n') + 1);
    await (await open(two.kernel, 's')).close();
  });

  test('warns of a torn line', async () => {
    const dir = folderWith();
    await using one = await host(createJsonlStore({ dir }));
    await (await open(one.kernel, 's')).close();
    appendFileSync(join(dir, 's.jsonl'), '{"seq":1,');
    await open(one.kernel, 's');
    expect(one.warnings).toEqual([expect.stringContaining('the last line (2) is torn')]);
  });

  test.each([
    ['in the middle of a run', [{ t: 'turn', phase: 'start', turn: 1 }]],
    [
      'while the run was parked',
      [
        { t: 'turn', phase: 'start', turn: 1 },
        { t: 'run', outcome: 'yielded' },
      ],
    ],
    ['parked by a host without turns', [{ t: 'run', outcome: 'yielded' }]],
  ] as const)('after it ended %s says so, until a turn has ended; its calls are closed', async (_, records) => {
    const store = createMemoryStore();
    await using one = await host(store);
    const session = await open(one.kernel, 's');
    session.record(...records);
    session.append([user('go'), call('a'), call('b', 'Bash'), call('c'), result('b', 'done')]);
    const before = request(session);
    await session.close();
    const again = await open(one.kernel, 's');
    expect(again.lastRunInterrupted).toBe(true);
    expect([...again.items(5)]).toEqual(
      ['a', 'c'].map((callId, at) => ({
        kind: 'tool_result',
        id: `i${5 + at}`,
        callId,
        summary: 'read_file: interrupted: the call was not completed and has no result',
        isError: true,
        by: 'pith',
      })),
    );
    expect(request(again)).toBe(before);
    again.record({ t: 'turn', phase: 'end', turn: 1 });
    expect(again.lastRunInterrupted).toBe(false);
  });

  test('closes the call that a result of its id would answer', async () => {
    await using one = await host();
    const session = await open(one.kernel, 's');
    session.append([user('go'), call('x', 'first'), call('x', 'twice'), assistant('on'), call('y')]);
    const before = request(session);
    await session.close();
    const again = await open(one.kernel, 's');
    expect([...again.items(5)]).toMatchObject([
      { callId: 'x', summary: expect.stringContaining('first: ') as string },
      { callId: 'y' },
    ]);
    expect(request(again)).toBe(before);
  });

  test('whose turn had ended was not interrupted, and nothing is added to it', async () => {
    await using one = await host();
    const session = await open(one.kernel, 's');
    session.record({ t: 'turn', phase: 'start', turn: 1 });
    session.append([user('go'), call('a')]);
    session.record({ t: 'run', outcome: 'aborted' }, { t: 'turn', phase: 'end', turn: 1 });
    await session.close();
    const again = await open(one.kernel, 's');
    expect([again.lastRunInterrupted, again.position]).toEqual([false, session.position]);
  });

  test.each([
    ['nothing of it was applied', false, { phase: 'failed', data: { worker: 'w', outcome: 'cancelled' } }],
    ['it was applied', true, { phase: 'done', data: { worker: 'w', outcome: 'done', before: 9, after: 3 } }],
  ])('gets the end of a compaction that was cut off, once: %s', async (_, applied, end) => {
    await using one = await host();
    const session = await open(one.kernel, 's');
    session.append([user('hello'), assistant('yes')]);
    session.record({ t: 'compaction', phase: 'start', compaction: 'c', data: { worker: 'w' } });
    const checkpoint = { compaction: 'c', blocks: [{ kind: 'summary', text: 'Hello.' }], cut: 2, edits: [] };
    if (applied) session.record({ t: 'checkpoint', ...checkpoint, before: 9, after: 3 });
    await session.close();
    for (let restart = 0; restart < 2; restart++) {
      const again = await open(one.kernel, 's');
      const ends = [...again.records()].filter((record) => record.t === 'compaction' && record.phase !== 'start');
      expect(ends).toMatchObject([{ compaction: 'c', ...end }]);
      await again.close();
    }
  });

  test('has a new tracker: recency replayed, no hashes', async () => {
    await using one = await host();
    const session = await open(one.kernel, 's');
    const reading = (id: string, path: string): readonly NewItem[] => [
      call(id, 'read_file', { path }),
      result(id, 'x'),
    ];
    session.append([user('go'), ...reading('a', 'a.ts'), ...reading('b', 'b.ts'), ...reading('c', 'a.ts')]);
    session.get(TRACKER).record('a.ts', 'bytes');
    await session.close();
    const again = (await open(one.kernel, 's')).get(TRACKER);
    expect(again.recentFiles(9)).toEqual([expect.stringMatching(/a\.ts$/), expect.stringMatching(/b\.ts$/)]);
    expect(again.observed('a.ts')).toBeUndefined();
  });

  test('lets others run while it catches up', async () => {
    await using one = await host();
    const session = await open(one.kernel, 's');
    for (let turn = 1; turn <= 1000; turn++)
      session.append([user(`${turn}`), call(`c${turn}`), result(`c${turn}`, prose(100))]);
    await session.close();
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await open(one.kernel, 's');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('an older position', () => {
  test('goes on as a fork with an id and a log of its own; the other session is unaffected', async () => {
    const store = createMemoryStore();
    await using one = await host(store);
    const session = await open(one.kernel, 's');
    session.append([user('a'), assistant('b'), user('c'), assistant('d')]);
    const log = [...session.records()];
    // The session is open all the while: a fork needs no lock.
    const fork = await open(one.kernel, 's', 2);
    expect([fork.id, fork.forkedFrom, fork.itemCount]).toEqual(['session-1', { id: 's', position: 2 }, 2]);
    fork.append([user('e')]);
    expect((await store.read('s')).records).toEqual(log);
    expect((await store.read('session-1')).records).toEqual([
      { ...log[0], at: 5000, id: 'session-1', forkedFrom: { id: 's', position: 2 } },
      ...log.slice(1, 3),
      expect.objectContaining({ seq: 3, t: 'item' }),
    ]);
    await fork.close();
    expect((await open(one.kernel, 'session-1')).forkedFrom).toEqual({ id: 's', position: 2 });
  });

  test('that is the newest is the session itself', async () => {
    await using one = await host();
    const session = await open(one.kernel, 's');
    session.append([user('a')]);
    await session.close();
    expect((await open(one.kernel, 's', 1)).id).toBe('s');
  });

  test.each([-1, 2, 0.5, Number.NaN, Infinity])('%d is not in the log, and said by its code', async (at) => {
    await using one = await host();
    const session = await open(one.kernel, 's');
    session.append([user('a')]);
    expect(await refusal(open(one.kernel, 's', at))).toBe('PITH_SESSION_POSITION');
    expect(await refusal(forkSession(one.kernel, session, at))).toBe('PITH_SESSION_POSITION');
    expect(await one.store.list()).toHaveLength(1);
  });

  test('a live session can be forked, where it is or earlier', async () => {
    await using one = await host();
    const session = await open(one.kernel, 's');
    session.append([user('a'), assistant('b')]);
    const now = await forkSession(one.kernel, session);
    expect([view(now).digest, now.forkedFrom]).toEqual([view(session).digest, { id: 's', position: 2 }]);
    const earlier = await forkSession(one.kernel, now, 1);
    expect([[...earlier.items()], earlier.forkedFrom]).toEqual([[...session.items(0, 1)], { id: now.id, position: 1 }]);
  });

  test('before a compaction leads back to what it replaced', async () => {
    await using one = await host();
    const session = await open(one.kernel, 's');
    session.append([user('a'), assistant(prose(100)), user('b')]);
    const { digest } = view(session);
    session.record({
      t: 'checkpoint',
      compaction: 'c',
      blocks: [{ kind: 'summary', text: 'S' }],
      cut: 2,
      edits: [],
      before: 0,
      after: 0,
    });
    const back = await open(one.kernel, 's', session.compactedFrom);
    expect(view(back).digest).toBe(digest);
    expect(view(session).digest).not.toBe(digest);
  });
});

test('from every record, and torn anywhere within the next, a session is restored as it was live', async () => {
  await fc.assert(
    fc.asyncProperty(
      sessionSteps(),
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      async (steps, shares) => {
        const dir = folderWith();
        const file = join(dir, 's.jsonl');
        await using live = await host();
        await using later = await host(createJsonlStore({ dir }));
        const { session } = await openSession(live.kernel);
        const states: { readonly digest: string; readonly request: string }[] = [];
        const note = (): void => void states.push({ digest: view(session).digest, request: request(session) });
        note();
        const stop = session.observe(note);
        for (const step of steps) play(session, step);
        stop();
        const lines = [...session.records()].map((record) =>
          Buffer.from(`${JSON.stringify({ ...record, ...(record.seq === 0 && { id: 's' }) })}\n`),
        );
        for (const [at, line] of lines.entries()) {
          const cuts = [0, 1, 2].map(() => 1 + Math.floor((shares.next().value ?? 0) * (line.length - 2)));
          for (const torn of at === 0 ? [line.length] : [...cuts, line.length]) {
            writeFileSync(file, Buffer.concat([...lines.slice(0, at), line.subarray(0, torn)]));
            const position = torn === line.length ? at : at - 1;
            const restored = await open(later.kernel, 's');
            expect(restored.position).toBeGreaterThanOrEqual(position);
            expect(request(restored)).toBe(states[position]?.request);
            if (restored.position === position) expect(view(restored).digest).toBe(states[position]?.digest);
            else
              for (const record of restored.records(position + 1))
                expect(
                  record.t === 'item'
                    ? { result: record.item.kind, by: record.item.by }
                    : { record: record.t, phase: 'phase' in record && record.phase },
                ).toEqual(
                  record.t === 'item'
                    ? { result: 'tool_result', by: 'pith' }
                    : { record: 'compaction', phase: expect.stringMatching(/done|failed/) as string },
                );
            if (torn === line.length) {
              restored.append([user('and now?')]);
              expect(refusals(view(restored))).toEqual([]);
            }
            await restored.close();
          }
        }
        await session.close();
      },
    ),
    { numRuns: 15 },
  );
}, 120_000);

/** Counts every item as one token, and notes which items it had to count. */
function countingTokenizer(counted: Item[]): Tokenizer {
  const known = new WeakMap<Item, ItemCount>();
  return {
    ...tokenizer,
    id: 'one@1',
    remember: (item, count) => void known.set(item, count),
    countItem(item) {
      const found = known.get(item);
      if (found !== undefined) return found;
      counted.push(item);
      const count = { text: 1, images: 0, opaque: 0 };
      known.set(item, count);
      return count;
    },
  };
}
