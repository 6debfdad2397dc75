/** The checks of the bus contract about requests (S4.1, S4.2): every outcome, and that there is one. */
import assert from 'node:assert/strict';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { PithError } from '../errors';
import { aborted, ask, CHANNEL, fails, gate, serve, SHORT, SOON } from './bus-channel';
import type { Answer, Question, Step } from './bus-channel';
import type { PairCheck } from './bus-contract';

export const requestChecks: readonly PairCheck[] = [
  {
    name: 'a request is answered by whoever serves its channel; unknown fields pass',
    async check({ requester, responder, settled }) {
      serve(responder, async ({ n }) => ({ n: n * 2, extra: true }) as Answer);
      await settled();
      const body = { n: 21, extra: 'ignored' } as Question;
      assert.equal((await requester.request(CHANNEL, body, { deadlineMs: SOON })).n, 42);
    },
  },
  {
    name: 'a request that nobody serves fails with PITH_BUS_NO_RESPONDER',
    async check({ requester }) {
      const { details } = await fails(ask(requester, 1), 'PITH_BUS_NO_RESPONDER');
      assert.equal(details?.['subject'], CHANNEL.subject);
    },
  },
  {
    name: 'a request without a reply in time fails with PITH_BUS_TIMEOUT, and its handler is told to stop',
    async check({ requester, responder, settled }) {
      const stopped = gate();
      serve(responder, async ({ n }, { signal }) => {
        await aborted(signal);
        stopped.open();
        return { n };
      });
      await settled();
      await fails(ask(requester, 1, { deadlineMs: SHORT }), 'PITH_BUS_TIMEOUT');
      await stopped.opened;
    },
  },
  {
    name: 'a deadline that is no time at all passes at once',
    async check({ requester, responder, settled }) {
      serve(responder, () => new Promise(() => undefined));
      await settled();
      await Promise.all([0, -1, NaN].map((deadlineMs) => fails(ask(requester, 1, { deadlineMs }), 'PITH_BUS_TIMEOUT')));
    },
  },
  {
    name: 'a request whose signal aborts fails with PITH_BUS_CANCELLED, and its handler is told to stop',
    async check({ requester, responder, settled }) {
      const [begun, stopped] = [gate(), gate()];
      serve(responder, async ({ n }, { signal }) => {
        begun.open();
        await aborted(signal);
        stopped.open();
        return { n };
      });
      await settled();
      const controller = new AbortController();
      const request = fails(ask(requester, 1, { signal: controller.signal }), 'PITH_BUS_CANCELLED');
      await begun.opened;
      controller.abort(new Error('enough'));
      await request;
      await stopped.opened;
    },
  },
  {
    name: 'a request under a signal that has aborted is not sent',
    async check({ requester, responder, settled }) {
      let served = 0;
      serve(responder, async ({ n }) => ({ n: n + served++ }));
      await settled();
      await fails(ask(requester, 1, { signal: AbortSignal.abort() }), 'PITH_BUS_CANCELLED');
      await ask(requester, 2);
      assert.equal(served, 1);
    },
  },
  {
    name: 'a handler that throws or rejects fails the request with PITH_BUS_REJECTED and what it said',
    async check({ requester, responder, settled }) {
      const errors = [new Error('no room'), new PithError('PITH_USAGE', 'no room', { details: { retryAfterMs: 7 } })];
      serve(responder, ({ n }) => {
        if (n === 0) throw errors[0] as Error;
        return Promise.reject(errors[1] as Error);
      });
      await settled();
      const plain = await fails(ask(requester, 0), 'PITH_BUS_REJECTED');
      assert.match(plain.message, /no room/);
      const typed = await fails(ask(requester, 1), 'PITH_BUS_REJECTED');
      assert.match(typed.message, /no room/);
      assert.equal(typed.details?.['code'], 'PITH_USAGE');
      assert.deepEqual(typed.details['details'], { retryAfterMs: 7 });
    },
  },
  {
    name: 'a request that does not fit its schema fails with PITH_BUS_BAD_MESSAGE and is not sent',
    async check({ requester, responder, settled }) {
      let served = 0;
      serve(responder, async () => ({ n: served++ }));
      await settled();
      const bad = requester.request(CHANNEL, { n: 'one' } as never, { deadlineMs: SOON });
      assert.match((await fails(bad, 'PITH_BUS_BAD_MESSAGE')).message, /n: expected a number/);
      assert.equal(served, 0);
    },
  },
  {
    name: 'a reply that does not fit its schema fails the request with PITH_BUS_BAD_MESSAGE',
    async check({ requester, responder, settled }) {
      serve(responder, async () => ({ n: 'one' }) as never);
      await settled();
      await fails(ask(requester, 1), 'PITH_BUS_BAD_MESSAGE');
    },
  },
  {
    name: 'a schema that throws or takes its time makes a bad message',
    async check({ requester, responder, settled }) {
      serve(responder, async ({ n }) => ({ n }));
      await settled();
      const validators = [
        () => {
          throw new Error('broken');
        },
        () => Promise.resolve({ value: { n: 1 } }),
      ];
      for (const validate of validators) {
        const request = { '~standard': { version: 1, vendor: 'pith-contract', validate } } as StandardSchemaV1<
          unknown,
          Question
        >;
        const sent = requester.request({ ...CHANNEL, request }, { n: 1 }, { deadlineMs: SOON });
        await fails(sent, 'PITH_BUS_BAD_MESSAGE');
      }
    },
  },
  {
    name: 'progress comes in order and before the reply; a listener that throws harms nobody',
    async check({ requester, responder, settled }) {
      serve(responder, async ({ n }, call) => {
        call.progress({ n: 1 });
        await new Promise(setImmediate);
        call.progress({ n: 2 });
        return { n };
      });
      await settled();
      const heard: number[] = [];
      const onProgress = (step: Step): void => {
        heard.push(step.n);
        throw new Error('listener');
      };
      heard.push((await ask(requester, 3, { onProgress })).n);
      assert.deepEqual(heard, [1, 2, 3]);
      assert.equal((await ask(requester, 4)).n, 4);
    },
  },
  {
    name: 'progress that does not fit its schema fails the request with PITH_BUS_BAD_MESSAGE',
    async check({ requester, responder, settled }) {
      const { progress: _, ...silent } = CHANNEL;
      serve(responder, async ({ n }, call) => {
        call.progress({ n: 'half' } as never);
        return { n };
      });
      responder.serve({ ...silent, subject: 'contract.silent' }, async ({ n }, call) => {
        call.progress({ n } as never);
        return { n };
      });
      await settled();
      await fails(ask(requester, 1), 'PITH_BUS_BAD_MESSAGE');
      const request = requester.request({ ...silent, subject: 'contract.silent' }, { n: 1 }, { deadlineMs: SOON });
      await fails(request, 'PITH_BUS_BAD_MESSAGE');
    },
  },
  {
    name: 'what a handler says after its request is over is not heard',
    async check({ requester, responder, settled }) {
      const [begun, over, said] = [gate(), gate(), gate()];
      serve(responder, async ({ n }, call) => {
        begun.open();
        await over.opened;
        call.progress({ n });
        said.open();
        throw new Error('too late');
      });
      await settled();
      const heard: Step[] = [];
      const controller = new AbortController();
      const request = ask(requester, 1, { signal: controller.signal, onProgress: (step) => heard.push(step) });
      const failed = fails(request, 'PITH_BUS_CANCELLED');
      await begun.opened;
      controller.abort();
      await failed;
      over.open();
      await said.opened;
      await settled();
      assert.deepEqual(heard, []);
    },
  },
];
