import fc from 'fast-check';
import type { ScriptedReply, SeenRequest } from '../../../core/testing';
import { prose } from '../../support/context';
import { STOCK } from '../../support/kernel';
import { summaryOf } from '../../support/worker';
import { calls, FILES, mark, workplace, write } from '../compaction/llm-kit';

const LAST = ['mark_read_required', 'add_reference', 'write_summary'];
const files = { ...FILES, 'src/big.ts': `${prose(60)}\n`.repeat(400) };
const page = (offset: number, limit: number) => ({
  name: 'read_file',
  arguments: { path: 'src/big.ts', offset, limit },
});
const sumOf = (requests: readonly SeenRequest[]): number =>
  requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0);

describe('a worker that reads without end', () => {
  test('has one request in reserve, for marks, references and the summary alone', async () => {
    await using place = await workplace(
      ({ n, tools }) => (tools.length > LAST.length ? calls(page(1 + 20 * n, 20)) : calls(mark(), write())),
      { files },
    );
    const report = await place.compact();
    expect(report).toMatchObject({ outcome: 'done', worker: 'llm', marks: [{ path: 'src/a.ts' }] });
    const { requests } = place.model;
    const [last, ...before] = [...requests].reverse();
    expect(last?.tools).toEqual(LAST);
    expect(last?.last).toContain('This is your last reply');
    before.reverse().forEach(({ inputTokens, tools }, n) => {
      expect(tools).toHaveLength(7);
      expect(sumOf(requests.slice(0, n)) + 2 * inputTokens + 4000).toBeLessThanOrEqual(50_000);
    });
    expect(sumOf(requests)).toBeLessThanOrEqual(50_000);
    // The margin of the estimate is all that may be left unused.
    expect(sumOf(before) + 2 * (last?.inputTokens ?? 0) + 4000 + 2 * 2048).toBeGreaterThan(50_000);
  });

  test('has no request after that one: without a summary it ends as empty-summary', async () => {
    await using place = await workplace(({ n }) => calls(page(1 + 20 * n, 20)), { files });
    expect((await place.compact()).outcome).toBe('empty-summary');
    expect(place.model.requests.at(-1)?.tools).toEqual(LAST);
    expect(place.model.requests.filter(({ tools }) => tools.length === LAST.length)).toHaveLength(1);
  });

  test('has no request after that one: a draft that lies at the desk is its summary', async () => {
    await using place = await workplace(({ n }) => calls(page(1 + 20 * n, 20), ...(n === 0 ? [write()] : [])), {
      files,
    });
    expect(await place.compact()).toMatchObject({ outcome: 'done', summary: { text: summaryOf('Ported.') } });
  });

  test('has no retry of that one either: cut off, it ends as truncated-summary', async () => {
    await using place = await workplace(
      ({ n, tools }) =>
        tools.length > LAST.length ? calls(page(1 + 20 * n, 20)) : { ...calls(write()), stop: 'length' },
      { files },
    );
    expect((await place.compact()).outcome).toBe('truncated-summary');
    expect(place.model.requests.at(-1)?.tools).toEqual(LAST);
  });

  test('fails where the next request would pass the limit by itself; that is not sent', async () => {
    await using place = await workplace(() => calls(page(1, 213), page(50, 213), page(100, 213), page(150, 150)), {
      files,
    });
    const report = await place.compact();
    expect(report).toMatchObject({ outcome: 'worker-failed', usage: { requests: 1 } });
    expect(report.reason).toMatch(/compact_worker_max_input_tokens allows 50000 in all\./);
  });

  test('fails at once where not even its first request is allowed, and the offline worker serves', async () => {
    await using place = await workplace([], { config: { compactWorkerMaxInputTokens: 1000, fallback: 'offline' } });
    const report = await place.compact();
    expect(report).toMatchObject({ outcome: 'done', worker: 'offline' });
    expect(place.model.requests).toEqual([]);
  });

  test('is counted by estimate where its provider reports no usage', async () => {
    await using place = await workplace(({ n }) => ({ ...calls(page(1 + 20 * n, 20)), usage: null }), { files });
    await place.compact();
    expect(place.model.requests.at(-1)?.tools).toEqual(LAST);
    expect(sumOf(place.model.requests)).toBeLessThanOrEqual(50_000);
  });

  test('is bounded by time alone where nobody guards it', async () => {
    const plugins = STOCK.filter(({ name }) => name !== 'guard');
    await using place = await workplace(
      ({ n }) => (n < 10 ? calls(page(1 + 20 * n, 20)) : n === 10 ? calls(write()) : 'Done.'),
      { files, plugins },
    );
    expect((await place.compact()).outcome).toBe('done');
    expect(sumOf(place.model.requests)).toBeGreaterThan(50_000);
    expect(place.model.requests.every(({ tools }) => tools.length === 7)).toBe(true);
  });
});

describe('whatever a model does', () => {
  const seldom = <T extends string>(...values: readonly T[]) =>
    fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...values) });
  const call = fc.oneof(
    fc.record({
      name: fc.constantFrom('read_file', 'mark_read_required', 'unmark_read_required', 'add_reference'),
      arguments: fc.record({ path: fc.constantFrom('src/a.ts', 'src/big.ts', 'none', '../x') }),
    }),
    fc.record({
      name: fc.constant('read_file'),
      arguments: fc.record({
        path: fc.constant('src/big.ts'),
        offset: fc.integer({ min: -1, max: 500 }),
        limit: fc.integer({ min: 0, max: 300 }),
      }),
    }),
    fc.record({
      name: fc.constant('read_history'),
      arguments: fc.record({
        from: fc.integer({ min: -2, max: 80 }),
        detail: fc.constantFrom('brief', 'full', 'none'),
      }),
    }),
    fc.record({
      name: fc.constant('search_history'),
      arguments: fc.record({ query: fc.constantFrom('parser', '', 'word') }),
    }),
    fc.record({
      name: fc.constant('write_summary'),
      arguments: fc.record({
        text: fc.constantFrom('', '## Current Work', summaryOf('x'), summaryOf(prose(400)), 'no form'),
      }),
    }),
    fc.record({ name: fc.string(), arguments: fc.jsonValue() as fc.Arbitrary<null> }),
  );
  const reply = fc.record(
    {
      text: fc.constantFrom('', 'Hm.', 'Done.'),
      calls: fc.array(call, { maxLength: 4 }),
      stop: seldom('length', 'refusal'),
      error: seldom('overflow', 'server'),
    },
    { noNullPrototype: true },
  );

  test('its input obeys the limit, the compaction ends once, and nothing but a usable summary is applied', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(reply, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 4000, max: 40_000 }),
        async (replies, limit) => {
          await using place = await workplace(({ n }) => replyOf(replies[n % replies.length]), {
            files,
            config: { compactWorkerMaxInputTokens: limit, summaryMaxTokens: 300 },
          });
          const report = await place.compact();
          expect(sumOf(place.model.requests)).toBeLessThanOrEqual(limit);
          const [done, failed] = [place.test.events('compaction.done'), place.test.events('compaction.failed')];
          expect(place.test.events('compaction.started')).toHaveLength(1);
          expect(done.length + failed.length).toBe(1);
          expect(done.length === 1).toBe(report.outcome === 'done');
          if (report.outcome === 'done') expect(report.summary?.text).toBe(summaryOf('x'));
          expect(place.test.hooks('session_end')).toHaveLength(1);
          expect(place.clock.pending).toBe(0);
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);
});

/** A reply without the fields that are not given. */
function replyOf(given: object | undefined): ScriptedReply {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));
}
