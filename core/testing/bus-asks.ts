/** The checks of the bus contract about responders that ask the requester back (S4.1). */
import assert from 'node:assert/strict';
import { PithError } from '../errors';
import type { Bus } from '../bus/bus';
import { aborted, CHANNEL, fails, gate, SHORT, SOON, submit, work } from './bus-channel';
import type { Answer, Question, Step, Submission } from './bus-channel';
import type { PairCheck } from './bus-contract';

/** Answers an ask with its square. */
function squared({ n }: Question): Promise<Answer> {
  return Promise.resolve({ n: n * n });
}

/** How a job ended that is left with an ask nobody answers. */
interface Left {
  /** The error of the open ask, and of one made after the end. */
  readonly errors: Promise<readonly PithError[]>;
  /** Resolves when the ask has reached the requester. */
  readonly asked: Promise<void>;
  /** Resolves when the requester's own signal has told it to stop answering. */
  readonly told: Promise<void>;
  readonly onAsk: NonNullable<Submission['onAsk']>;
}

/** Serves a job that asks, and asks again when it was told to stop. */
function leaveAsking(responder: Bus): Left {
  const [asked, told] = [gate(), gate()];
  const ended = gate<readonly PithError[]>();
  const errorOf = (ask: Promise<Answer>): Promise<PithError> =>
    ask.then(
      () => assert.fail('the ask was answered'),
      (thrown: unknown) => (PithError.is(thrown) ? thrown : assert.fail(`not a Pith error: ${String(thrown)}`)),
    );
  work(responder, async ({ n }, call) => {
    const open = await errorOf(call.ask({ n }));
    assert.equal(call.signal.aborted, true);
    ended.open([open, await errorOf(call.ask({ n }))]);
    return { n };
  });
  return {
    errors: ended.opened,
    asked: asked.opened,
    told: told.opened,
    async onAsk(_, signal) {
      asked.open();
      await aborted(signal);
      told.open();
      return { n: 0 };
    },
  };
}

export const askChecks: readonly PairCheck[] = [
  {
    name: 'what a responder asks back is answered by the requester, several asks at once, each with its own answer',
    async check({ requester, responder, settled }) {
      work(responder, async ({ n }, call) => {
        const answers = await Promise.all([1, 2, 3].map((ask) => call.ask({ n: ask })));
        const last = await call.ask({ n });
        return { n: Number([...answers, last].map((answer) => answer.n).join('')) };
      });
      await settled();
      const [all, seen] = [gate(), [] as number[]];
      const onAsk = async ({ n }: Question): Promise<Answer> => {
        if (seen.push(n) === 3) all.open();
        if (n === 1) await all.opened;
        return { n };
      };
      assert.equal((await submit(requester, 7, { onAsk })).n, 1237);
      assert.deepEqual(seen, [1, 2, 3, 7]);
    },
  },
  {
    name: 'an ask whose answerer throws or rejects fails with PITH_BUS_REJECTED and what it said; the job goes on',
    async check({ requester, responder, settled }) {
      work(responder, async ({ n }, call) => {
        const plain = await fails(call.ask({ n: 0 }), 'PITH_BUS_REJECTED');
        assert.match(plain.message, /no such file/);
        const typed = await fails(call.ask({ n: 1 }), 'PITH_BUS_REJECTED');
        assert.match(typed.message, /out of range/);
        assert.equal(typed.details?.['code'], 'PITH_USAGE');
        assert.deepEqual(typed.details['details'], { line: 7 });
        return call.ask({ n });
      });
      await settled();
      const onAsk = ({ n }: Question): Promise<Answer> => {
        if (n === 0) throw new Error('no such file');
        if (n === 1) return Promise.reject(new PithError('PITH_USAGE', 'out of range', { details: { line: 7 } }));
        return squared({ n });
      };
      assert.equal((await submit(requester, 5, { onAsk })).n, 25);
    },
  },
  {
    name: 'an ask or an answer that does not fit its schema fails that ask with PITH_BUS_BAD_MESSAGE; the job goes on',
    async check({ requester, responder, settled }) {
      work(responder, async ({ n }, call) => {
        const ask = await fails(call.ask({ n: 'one' } as never), 'PITH_BUS_BAD_MESSAGE');
        assert.match(ask.message, /n: expected a number/);
        const answer = await fails(call.ask({ n: 0 }), 'PITH_BUS_BAD_MESSAGE');
        assert.match(answer.message, /n: expected a number/);
        return call.ask({ n });
      });
      await settled();
      const asked: unknown[] = [];
      const onAsk = async ({ n }: Question): Promise<Answer> => {
        asked.push(n);
        return n === 0 ? ({ n: 'none' } as never) : { n };
      };
      assert.equal((await submit(requester, 5, { onAsk })).n, 5);
      assert.deepEqual(asked, [0, 5]);
    },
  },
  {
    name: 'a requester that answers no asks rejects them; the job goes on',
    async check({ requester, responder, settled }) {
      work(responder, async ({ n }, call) => {
        await fails(call.ask({ n }), 'PITH_BUS_REJECTED');
        return { n };
      });
      await settled();
      assert.equal((await submit(requester, 3)).n, 3);
    },
  },
  {
    name: 'a channel without asks has none: asking fails with PITH_BUS_BAD_MESSAGE',
    async check({ requester, responder, settled }) {
      responder.serve(CHANNEL, async ({ n }, call) => {
        await fails(call.ask({ n } as never), 'PITH_BUS_BAD_MESSAGE');
        return { n };
      });
      await settled();
      assert.equal((await requester.request(CHANNEL, { n: 4 }, { deadlineMs: SOON })).n, 4);
    },
  },
  {
    name: 'progress beside asks comes in order and before the reply',
    async check({ requester, responder, settled }) {
      work(responder, async ({ n }, call) => {
        call.progress({ n: 1 });
        const { n: answer } = await call.ask({ n: 2 });
        call.progress({ n: answer });
        call.progress({ n: answer + 1 });
        return { n };
      });
      await settled();
      const heard: number[] = [];
      const onProgress = ({ n }: Step): void => void heard.push(n);
      heard.push((await submit(requester, 9, { onProgress, onAsk: squared })).n);
      assert.deepEqual(heard, [1, 4, 5, 9]);
    },
  },
  {
    name: 'an ask after the reply fails with PITH_BUS_CANCELLED and reaches nobody',
    async check({ requester, responder, settled }) {
      const [late, asked] = [gate<Promise<unknown>>(), [] as number[]];
      const replied = gate();
      work(responder, async ({ n }, call) => {
        void replied.opened.then(() => late.open(fails(call.ask({ n }), 'PITH_BUS_CANCELLED')));
        return { n };
      });
      await settled();
      await submit(requester, 1, { onAsk: async ({ n }) => ({ n: asked.push(n) }) });
      await settled();
      replied.open();
      await await late.opened;
      await settled();
      assert.deepEqual(asked, []);
    },
  },
];

export const askEndChecks: readonly PairCheck[] = [
  {
    name: 'a cancelled request ends its asks with PITH_BUS_CANCELLED on both sides',
    async check({ requester, responder, settled }) {
      const { errors, asked, told, onAsk } = leaveAsking(responder);
      await settled();
      const controller = new AbortController();
      const request = fails(submit(requester, 1, { onAsk, signal: controller.signal }), 'PITH_BUS_CANCELLED');
      await asked;
      controller.abort(new Error('enough'));
      await Promise.all([request, told]);
      assert.deepEqual(
        (await errors).map(({ code }) => code),
        ['PITH_BUS_CANCELLED', 'PITH_BUS_CANCELLED'],
      );
    },
  },
  {
    name: 'a request whose deadline passes while an ask is open fails with PITH_BUS_TIMEOUT and ends the ask',
    async check({ requester, responder, settled }) {
      const { errors, onAsk } = leaveAsking(responder);
      await settled();
      await fails(submit(requester, 1, { onAsk, deadlineMs: SHORT }), 'PITH_BUS_TIMEOUT');
      assert.equal((await errors).length, 2);
    },
  },
  {
    name: 'closing the requester while an ask is open fails the request with PITH_BUS_TRANSPORT_CLOSED and ends the ask',
    async check({ requester, responder, settled }) {
      const { errors, asked, told, onAsk } = leaveAsking(responder);
      await settled();
      const request = fails(submit(requester, 1, { onAsk }), 'PITH_BUS_TRANSPORT_CLOSED');
      await asked;
      await Promise.all([requester.close(), request, told]);
      assert.equal((await errors).length, 2);
    },
  },
  {
    name: 'a job that was answered leaves the signal of its asks alone',
    async check({ requester, responder, settled }) {
      work(responder, ({ n }, call) => call.ask({ n }));
      await settled();
      const signals: AbortSignal[] = [];
      const onAsk = async ({ n }: Question, signal: AbortSignal): Promise<Answer> => {
        signals.push(signal);
        return { n };
      };
      await submit(requester, 1, { onAsk });
      await settled();
      assert.deepEqual(
        signals.map((signal) => signal.aborted),
        [false],
      );
    },
  },
];
