/** The checks of the contract of session stores about who writes, and about what is kept beside the sessions (S5.5, S6.3). */
import assert from 'node:assert/strict';
import { PithError } from '../errors';
import type { SessionRecord } from '../session/records';
import { isRefused } from './contract-check';
import type { StoreCheck } from './session-store-contract';
import { sampleLog } from './store-logs';

export const storeSharingChecks: readonly StoreCheck[] = [
  {
    name: 'a second writer is refused until the first has closed; readers are not',
    async check(store, again) {
      const log = sampleLog('s');
      const first = await store.create('s', log.slice(0, 3));
      await isRefused(again.open('s'), 'PITH_SESSION_LOCKED');
      await isRefused(store.open('s'), 'PITH_SESSION_LOCKED');
      assert.equal((await again.read('s')).records.length, 3);
      const [listed] = await again.list();
      assert.equal(listed?.owner?.pid, process.pid);
      await first.close();
      await first.close();
      const second = await again.open('s');
      await isRefused(store.open('s'), 'PITH_SESSION_LOCKED');
      second.writer.append(log[3] as SessionRecord);
      await second.writer.close();
      assert.deepEqual((await store.read('s')).records, log.slice(0, 4));
    },
  },
  {
    name: 'of many who open a session at the same time one succeeds',
    async check(store, again) {
      await (await store.create('s', sampleLog('s'))).close();
      const stores = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? store : again));
      const opened = await Promise.allSettled(stores.map((one) => one.open('s')));
      const writers = opened.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.writer] : []));
      assert.equal(writers.length, 1);
      await writers[0]?.close();
    },
  },
  {
    name: 'a writer takes nothing after it has closed, and what it takes is flushed then',
    async check(store) {
      const log = sampleLog('s');
      const writer = await store.create('s', log.slice(0, 2));
      writer.append(log[2] as SessionRecord);
      await writer.close();
      assert.throws(
        () => writer.append(log[3] as SessionRecord),
        (error) => PithError.is(error, 'PITH_SESSION_CLOSED'),
      );
      assert.equal((await store.read('s')).records.length, 3);
    },
  },
  {
    name: 'a document is kept beside the sessions and is none of them',
    async check(store, again) {
      const document = store.document('sample');
      assert.equal(await document.read(), undefined);
      await document.update((kept) => {
        assert.equal(kept, undefined);
        return { n: 1 };
      });
      assert.deepEqual(await again.document('sample').read(), { n: 1 });
      assert.equal(await store.document('other').read(), undefined);
      assert.deepEqual(await store.list(), []);
    },
  },
  {
    name: 'updates of a document that meet are done one after another',
    async check(store, again) {
      const add = (kept: unknown): unknown => [...((kept as readonly number[] | undefined) ?? []), 1];
      const stores = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? store : again));
      await Promise.all(stores.map((one) => one.document('sample').update(add)));
      assert.equal(((await store.document('sample').read()) as readonly number[]).length, stores.length);
    },
  },
];
