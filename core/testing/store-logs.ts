/** The checks of the contract of session stores about what is kept and how it is read (S5.5). */
import assert from 'node:assert/strict';
import type { RecordBody, SessionRecord } from '../session/records';
import { isRefused } from './contract-check';
import type { StoreCheck } from './session-store-contract';

/** A log with records of every kind that is easily lost, one of a later version among them. */
export function sampleLog(id: string): readonly SessionRecord[] {
  const bodies: readonly (RecordBody | { readonly t: 'of-a-later-version' })[] = [
    { t: 'session', schema: 'pith.session/1', id, root: '/w' },
    { t: 'turn', phase: 'start', turn: 1 },
    {
      t: 'item',
      item: { kind: 'message', id: 'i0', role: 'user', parts: [{ type: 'text', text: 'Ünï \u2028\ud83d 日本 "x"\n' }] },
      count: { text: 9, images: 0, opaque: 0 },
      enc: 'any@1',
    },
    { t: 'item', item: { kind: 'tool_call', id: 'i1', callId: 'c', name: 'run', arguments: { deep: [{ a: null }] } } },
    { t: 'of-a-later-version' },
    { t: 'usage', usage: { inputTokens: 12 } },
    { t: 'state', namespace: 'n', value: { list: [1, 'two', false] } },
    {
      t: 'checkpoint',
      compaction: 'c1',
      blocks: [{ kind: 'summary', text: 'S' }],
      cut: 1,
      edits: [],
      before: 9,
      after: 3,
    },
    { t: 'undo', checkpoint: 7 },
    { t: 'turn', phase: 'end', turn: 1 },
  ];
  return bodies.map((body, seq) => ({ seq, at: 1000 + seq, ...body }) as SessionRecord);
}

export const storeLogChecks: readonly StoreCheck[] = [
  {
    name: 'a log is read as it was written, kinds of later versions included, and goes on from there',
    async check(store, again) {
      const log = sampleLog('s');
      const writer = await store.create('s');
      for (const record of log.slice(0, 6)) writer.append(record);
      await writer.close();
      const opened = await again.open('s');
      assert.deepEqual(opened.records, log.slice(0, 6));
      for (const record of log.slice(6)) opened.writer.append(record);
      await opened.writer.close();
      assert.deepEqual(await store.read('s'), { records: log, warnings: [] });
    },
  },
  {
    name: 'an appended record is there for every reader at once, before anything is flushed',
    async check(store, again) {
      const writer = await store.create('s');
      const log = sampleLog('s');
      for (const [at, record] of log.entries()) {
        writer.append(record);
        assert.deepEqual((await again.read('s')).records, log.slice(0, at + 1));
      }
      await writer.flush();
      await writer.close();
    },
  },
  {
    name: 'a log may begin with records, all of them or none',
    async check(store) {
      const log = sampleLog('s');
      const broken = function* (): Iterable<SessionRecord> {
        yield* log.slice(0, 3);
        throw new Error('no more');
      };
      await assert.rejects(store.create('s', broken()), /no more/);
      await isRefused(store.read('s'), 'PITH_SESSION_NOT_FOUND');
      const writer = await store.create('s', log.slice(0, 5));
      writer.append(log[5] as SessionRecord);
      await writer.close();
      assert.deepEqual((await store.read('s')).records, log.slice(0, 6));
    },
  },
  {
    name: 'the newest records come first, and only as many as are asked for',
    async check(store) {
      const log = sampleLog('s');
      await (await store.create('s', log)).close();
      const all: SessionRecord[] = [];
      for await (const record of store.newest('s')) all.push(record);
      assert.deepEqual(all, log.toReversed());
      for await (const record of store.newest('s')) {
        assert.deepEqual(record, log.at(-1));
        break;
      }
    },
  },
  {
    name: 'sessions are listed with the time of their newest record',
    async check(store) {
      assert.deepEqual(await store.list(), []);
      const ids = ['a', 'b', 'c'];
      for (const id of ids) await (await store.create(id, sampleLog(id))).close();
      const listed = await store.list();
      assert.deepEqual(listed.map(({ id }) => id).sort(), ids);
      for (const { modifiedAt, owner } of listed) {
        assert.ok(modifiedAt > 0);
        assert.equal(owner, undefined);
      }
    },
  },
  {
    name: 'an id may be any text, and no two ids are one session',
    async check(store) {
      const ids = [
        'a/b',
        'a%2Fb',
        '..',
        '.',
        '../a',
        '.hidden',
        'con',
        'NUL.txt',
        'Ünï 日本',
        'a b',
        'a\nb\0',
        'x'.repeat(100),
        "it's*",
        '-',
      ];
      for (const id of ids) await (await store.create(id, sampleLog(id))).close();
      assert.deepEqual((await store.list()).map(({ id }) => id).sort(), ids.toSorted());
      for (const id of ids) assert.deepEqual((await store.read(id)).records[0], sampleLog(id)[0]);
    },
  },
  {
    name: 'an id that cannot be kept is refused everywhere',
    async check(store) {
      for (const id of ['', 'a\ud800', 'x'.repeat(10_000)]) {
        await isRefused(store.create(id), 'PITH_SESSION_ID');
        await isRefused(store.open(id), 'PITH_SESSION_ID');
        await isRefused(store.read(id), 'PITH_SESSION_ID');
      }
      assert.deepEqual(await store.list(), []);
    },
  },
  {
    name: 'what is taken or not there is said by its code',
    async check(store, again) {
      await (await store.create('s', sampleLog('s'))).close();
      await isRefused(again.create('s'), 'PITH_SESSION_EXISTS');
      await isRefused(store.open('t'), 'PITH_SESSION_NOT_FOUND');
      await isRefused(store.read('t'), 'PITH_SESSION_NOT_FOUND');
      const newest = store.newest('t')[Symbol.asyncIterator]();
      await isRefused(newest.next(), 'PITH_SESSION_NOT_FOUND');
      assert.deepEqual(
        (await store.list()).map(({ id }) => id),
        ['s'],
      );
    },
  },
];
