/** The checks of the bus contract about responders and closing (S4.1). */
import assert from 'node:assert/strict';
import { aborted, ask, fails, gate, serve, SHORT } from './bus-channel';
import type { PairCheck } from './bus-contract';

export const responderChecks: readonly PairCheck[] = [
  {
    name: 'no more requests are served at once than the limit allows, and the others in the order of their coming',
    async check({ requester, responder, settled }) {
      const order: number[] = [];
      let [working, most] = [0, 0];
      serve(
        responder,
        async ({ n }) => {
          order.push(n);
          most = Math.max(most, ++working);
          await new Promise(setImmediate);
          working--;
          return { n };
        },
        2,
      );
      await settled();
      const numbers = Array.from({ length: 7 }, (_, n) => n);
      await Promise.all(numbers.map((n) => ask(requester, n)));
      assert.deepEqual(order, numbers);
      assert.equal(most, 2);
    },
  },
  {
    name: 'waiting counts towards the deadline, and a request that is over is never begun',
    async check({ requester, responder, settled }) {
      const begun: number[] = [];
      const [free, first] = [gate(), gate()];
      serve(
        responder,
        async ({ n }) => {
          begun.push(n);
          first.open();
          if (n === 1) await free.opened;
          return { n };
        },
        1,
      );
      await settled();
      const one = ask(requester, 1);
      await first.opened;
      const controller = new AbortController();
      const cancelled = fails(ask(requester, 3, { signal: controller.signal }), 'PITH_BUS_CANCELLED');
      await fails(ask(requester, 2, { deadlineMs: SHORT }), 'PITH_BUS_TIMEOUT');
      controller.abort();
      await cancelled;
      await settled();
      free.open();
      await one;
      await ask(requester, 4);
      assert.deepEqual(begun, [1, 4]);
    },
  },
  {
    name: 'a request that fails frees its place',
    async check({ requester, responder, settled }) {
      serve(
        responder,
        async ({ n }) => {
          if (n === 0) throw new Error('no');
          return { n };
        },
        1,
      );
      await settled();
      await fails(ask(requester, 0), 'PITH_BUS_REJECTED');
      assert.equal((await ask(requester, 5)).n, 5);
    },
  },
  {
    name: 'of several responders one answers each request, and a free one rather than a busy one',
    async check({ requester, responder, settled }) {
      const served: string[] = [];
      const [free, busy] = [gate(), gate()];
      for (const name of ['a', 'b']) {
        serve(
          responder,
          async ({ n }) => {
            served.push(name);
            if (n === 0) busy.open();
            if (n === 0) await free.opened;
            return { n };
          },
          1,
        );
      }
      await settled();
      const first = ask(requester, 0);
      await busy.opened;
      await ask(requester, 1);
      free.open();
      await first;
      assert.equal(served.length, 2);
      assert.equal(new Set(served).size, 2);
    },
  },
  {
    name: 'a responder that is disposed answers what it has accepted and takes nothing more',
    async check({ requester, responder, settled }) {
      const [begun, free] = [gate(), gate()];
      const server = serve(
        responder,
        async ({ n }) => {
          begun.open();
          if (n === 1) await free.opened;
          return { n };
        },
        1,
      );
      await settled();
      const accepted = [ask(requester, 1), ask(requester, 2)];
      await begun.opened;
      await settled();
      let isDisposed = false;
      const disposed = [server[Symbol.asyncDispose](), server[Symbol.asyncDispose]()];
      const all = Promise.all(disposed).then(() => (isDisposed = true));
      await settled();
      await fails(ask(requester, 3), 'PITH_BUS_NO_RESPONDER');
      assert.equal(isDisposed, false);
      free.open();
      assert.deepEqual(
        (await Promise.all(accepted)).map(({ n }) => n),
        [1, 2],
      );
      await all;
    },
  },
];

export const closingChecks: readonly PairCheck[] = [
  {
    name: 'closing ends all requests with PITH_BUS_TRANSPORT_CLOSED and tells their handlers to stop',
    async check({ requester, responder, settled }) {
      const [begun, stopped] = [gate(), gate()];
      serve(
        responder,
        async ({ n }, { signal }) => {
          begun.open();
          await aborted(signal);
          stopped.open();
          return { n };
        },
        1,
      );
      await settled();
      const requests = [1, 2].map((n) => fails(ask(requester, n), 'PITH_BUS_TRANSPORT_CLOSED'));
      await begun.opened;
      await requester.close();
      await Promise.all(requests);
      await responder.close();
      await stopped.opened;
    },
  },
  {
    name: 'a closed bus asks nobody, serves nobody and tells nobody, and may be closed twice',
    async check({ requester, responder, settled }) {
      const heard: unknown[] = [];
      requester.onAny((name) => heard.push(name));
      serve(responder, async ({ n }) => ({ n }));
      await settled();
      await Promise.all([requester.close(), responder.close()]);
      await Promise.all([requester.close(), responder.close()]);
      await fails(ask(requester, 1), 'PITH_BUS_TRANSPORT_CLOSED');
      await fails(
        Promise.resolve().then(() => serve(responder, async ({ n }) => ({ n }))),
        'PITH_BUS_TRANSPORT_CLOSED',
      );
      (requester as { publish(event: string, payload: unknown): void }).publish('contract.one', 1);
      requester.onAny((name) => heard.push(name));
      (requester as { publish(event: string, payload: unknown): void }).publish('contract.one', 2);
      assert.deepEqual(heard, []);
    },
  },
];
