import fc from 'fast-check';
import { PithError } from '../../core';
import type { LlmReply, LlmStreamPart } from '../../core';
import { behindBackoff, SharedBackoff } from '../../core/cli/worker-backoff';
import { createScriptedModel, createVirtualClock } from '../../core/testing';
import type { ScriptedModel, VirtualClock } from '../../core/testing';
import { partsOf, requestOf } from '../support/llm';

interface Watched {
  readonly clock: VirtualClock;
  readonly backoff: SharedBackoff;
  /** What was left to wait at each change. */
  readonly changes: readonly number[];
}

function watched(random = 0): Watched {
  const clock = createVirtualClock();
  const changes: number[] = [];
  const backoff: SharedBackoff = new SharedBackoff({
    clock,
    random: () => random,
    changed: () => changes.push(backoff.leftMs),
  });
  return { clock, backoff, changes };
}

describe('the back-off of a worker', () => {
  test('waits as long as the provider asks, and says when it begins and when it is over', async () => {
    const { clock, backoff, changes } = watched();
    expect(backoff.leftMs).toBe(0);
    backoff.limited(20_000);
    expect([backoff.leftMs, changes]).toEqual([20_000, [20_000]]);
    await clock.advance(19_999);
    expect(backoff.leftMs).toBe(1);
    await clock.advance(1);
    expect([backoff.leftMs, changes]).toEqual([0, [20_000, 0]]);
  });

  test('doubles from one second up to a minute while no request is answered in between', async () => {
    const { clock, backoff } = watched(1);
    const waits: number[] = [];
    for (let n = 0; n < 8; n++) {
      backoff.limited();
      waits.push(backoff.leftMs);
      await clock.idle();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    backoff.served();
    backoff.limited();
    expect([backoff.leftMs, backoff.waits]).toEqual([1000, 9]);
  });

  test('several requests that are limited at once make one wait, the longest that is asked for', async () => {
    const { clock, backoff, changes } = watched();
    backoff.limited(5000);
    await clock.advance(1000);
    backoff.limited(2000);
    expect(backoff.leftMs).toBe(4000);
    backoff.limited(9000);
    expect([backoff.leftMs, backoff.waits]).toEqual([9000, 1]);
    await clock.idle();
    expect(changes).toEqual([5000, 0]);
  });

  test('never waits less than half of its own measure, nor longer than an hour', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e12, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (asked, random) => {
          const { backoff } = watched(random);
          backoff.limited(asked);
          expect(backoff.leftMs).toBeGreaterThanOrEqual(Math.max(500, Math.min(asked, 3_600_000)));
          expect(backoff.leftMs).toBeLessThanOrEqual(3_600_000);
        },
      ),
    );
  });

  test('nobody is told of a wait that was stopped', async () => {
    const { clock, backoff, changes } = watched();
    backoff.limited(1000);
    backoff.stop();
    await clock.idle();
    expect([backoff.leftMs, changes]).toEqual([0, [1000]]);
  });
});

describe('a model behind the back-off', () => {
  const LIMITED = new PithError('PITH_LLM_RATE_LIMITED', 'Too many requests.', {
    details: { transient: true, retryAfterMs: 30_000, requestId: 'r-1' },
  });
  const request = requestOf([{ kind: 'message', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }]);
  const textOf = ({ items }: LlmReply): unknown => items.map((item) => ('parts' in item ? item.parts : item));

  /** A model that fails as often as it is told, and then answers. */
  function failing(times: number, error = LIMITED): ScriptedModel {
    return createScriptedModel({ script: (_, n) => (n < times ? { error } : 'Hi.') });
  }

  test('a request that is limited begins the wait, and is answered with when to come back and nothing else', async () => {
    const { backoff } = watched();
    const model = behindBackoff(failing(1), backoff);
    await expect(model.generate(request)).rejects.toMatchObject({
      code: 'PITH_LLM_RATE_LIMITED',
      details: { reason: 'rate-limited', retryAfterMs: 30_000 },
    });
    expect(backoff.waits).toBe(1);
  });

  test.each(['generate', 'stream'] as const)('other requests share the wait (%s)', async (way) => {
    const { clock, backoff } = watched();
    const model = failing(1);
    const limited = behindBackoff(model, backoff);
    const ask = async (): Promise<LlmReply> => {
      if (way === 'generate') return limited.generate(request);
      const last = (await partsOf(limited.stream(request))).at(-1);
      return (last as Extract<LlmStreamPart, { type: 'reply' }>).reply;
    };
    await expect(ask()).rejects.toMatchObject({ code: 'PITH_LLM_RATE_LIMITED' });
    const second = ask();
    await clock.advance(29_999);
    expect(model.requests.length).toBe(1);
    await clock.idle();
    expect(textOf(await second)).toEqual([[{ type: 'text', text: 'Hi.' }]]);
    expect(model.requests.length).toBe(2);
  });

  test('a request does not wait for longer than a minute, and not when its job is over', async () => {
    const { clock, backoff } = watched();
    const model = failing(0);
    const limited = behindBackoff(model, backoff);
    backoff.limited(60_001);
    await expect(limited.generate(request)).rejects.toMatchObject({
      code: 'PITH_LLM_RATE_LIMITED',
      details: { reason: 'rate-limited', retryAfterMs: 60_001 },
    });
    await clock.advance(1);
    const over = new AbortController();
    const waiting = limited.generate({ ...request, signal: over.signal });
    over.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'PITH_CANCELLED' });
    expect(model.requests.length).toBe(0);
  });

  test('other failures, and a request that is too large for the limit by itself, are no cause to wait', async () => {
    for (const error of [
      new PithError('PITH_LLM_RATE_LIMITED', 'Larger than the limit.', { details: { transient: false } }),
      new PithError('PITH_LLM_TRANSPORT', 'Gone.', { details: { transient: true } }),
    ]) {
      const { backoff } = watched();
      const model = behindBackoff(failing(1, error), backoff);
      await expect(model.generate(request)).rejects.toBe(error);
      expect([backoff.leftMs, backoff.waits]).toEqual([0, 0]);
    }
  });
});
