import { defaultService } from '../../../core';
import { extendsPrevious, startStrictProvider } from '../../../core/testing';
import type { Script, WireShape } from '../../../core/testing';
import { COMPACT_MODEL } from '../../../plugins/compaction';
import { clientOf } from '../../support/llm';
import { summaryOf } from '../../support/worker';
import { calls, mark, read, workplace, write } from './llm-kit';

const SHAPES: readonly WireShape[] = ['anthropic', 'openai-chat'];

async function overHttp(shape: WireShape, script: Script) {
  const one = shape === 'openai-chat';
  const provider = await startStrictProvider({ shape, script, profile: { system: one ? 'one' : 'many' } });
  const place = await workplace([], {
    services: [defaultService(COMPACT_MODEL, () => clientOf(shape, provider.url, { maxRetries: 0 }))],
  });
  return {
    provider,
    place,
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await provider.close();
    },
  };
}

describe.each(SHAPES)('the worker with a model over HTTP, in the shape %s', (shape) => {
  test('sends what a strict provider takes, each request the one before and more, and is billed for it', async () => {
    await using at = await overHttp(shape, [
      { reasoning: 'I look first.', ...calls(read(), read('src/b.ts')) },
      calls(mark(), write(summaryOf('Half.'))),
      calls(write()),
      'Done.',
    ]);
    const report = await at.place.compact();
    expect(report).toMatchObject({ outcome: 'done', worker: 'llm', summary: { text: summaryOf('Ported.') } });
    const { requests } = at.provider;
    expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
    expect(extendsPrevious(requests)).toEqual([]);
    expect(report.usage.inputTokens).toBe(requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0));
    expect(report.usage.cacheReadTokens).toBeGreaterThan(report.usage.inputTokens / 3);
  });

  test('asks once more after a reply that was cut off in the middle of the summary', async () => {
    await using at = await overHttp(shape, [
      { ...calls(mark(), write(summaryOf('Cut').slice(0, 50))), stop: 'length' },
      calls(mark(), write()),
      'Done.',
    ]);
    expect(await at.place.compact()).toMatchObject({ outcome: 'done', summary: { text: summaryOf('Ported.') } });
  });

  test.each([
    ['is refused', { text: 'No.', stop: 'refusal' as const }, 'refused'],
    ['finds nobody', { error: 'server' as const }, 'worker-failed'],
    ['is not let in', { error: 'auth' as const }, 'worker-failed'],
    ['comes too often', { error: 'rate-limited' as const, retryAfterMs: 1 }, 'worker-failed'],
  ])('ends as it should where it %s', async (_, reply, outcome) => {
    await using at = await overHttp(shape, () => reply);
    expect(await at.place.compact()).toMatchObject({ outcome });
  });

  test('makes its input smaller once where the provider finds it too large', async () => {
    await using at = await overHttp(shape, [calls(read()), { error: 'overflow' }, calls(mark(), write()), 'Done.']);
    expect(await at.place.compact()).toMatchObject({ outcome: 'done' });
    expect(at.provider.requests.flatMap(({ violations }) => violations)).toEqual([]);
  });
});
