import fc from 'fast-check';
import { definePlugin, defineTool, drive } from '../../../core';
import type { Driver, Plugin } from '../../../core';
import type { ScriptedReply, SeenRequest } from '../../../core/testing';
import { SUMMARY_FINAL, workerTask } from '../../../plugins/compaction/tokens';
import guard from '../../../plugins/guard';
import { assistant, call, prose, result, user } from '../../support/context';
import { start, STOCK, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
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

describe('a session of a compact worker', () => {
  const offered = [...LAST, 'read_file'].map((name) =>
    defineTool({ name, description: '', input: {}, kind: 'read', roles: ['compact-worker'], run: () => 'Done.' }),
  );

  /** A worker that a host drives, with a prompt that is about to be sent; `room` is what its task leaves beyond that. */
  async function worker(
    room: number | undefined,
    use: (driver: Driver, host: Host) => Promise<void>,
    plugins: readonly Plugin[] = [],
  ): Promise<void> {
    await using host = await start({ plugins: [guard, ...plugins] });
    const session = host.open([]);
    const driver = drive(host.kernel, session, { role: 'compact-worker', tools: offered });
    await driver.prompt('Compact it.');
    await driver.beforeRequest(); // from here on the tools are part of the context
    const { tokens, margin } = view(session).occupancy();
    if (room !== undefined)
      workerTask(session).set({ maxInputTokens: Math.ceil(tokens + margin) + room, judgesFiles: false });
    await use(driver, host);
  }

  const reply = (text: string) => ({ items: [assistant(text)], usage: { inputTokens: 1 } });

  test('that has no task is none that is watched', async () => {
    await worker(undefined, async (driver, host) => {
      expect((await driver.beforeRequest()).tools).toHaveLength(4);
      await driver.afterReply(reply('Done.'));
      expect(await driver.end('finished')).toBe(false);
      expect(host.events('plugin.error')).toEqual([]);
    });
  });

  test('has its last word said to it where there is room for that, and is offered less in any case', async () => {
    for (const [room, words] of [
      [99, 1],
      [100, 2],
    ] as const) {
      await worker(room, async (driver) => {
        const { context, tools } = await driver.beforeRequest();
        expect([context.length, tools.map(({ name }) => name)]).toEqual([words, LAST]);
      });
    }
  });

  test('is ended by an error that names the guard and says why', async () => {
    const ended = (message: RegExp) => ({
      code: 'PITH_WORKER_LIMIT',
      plugin: 'guard',
      message: expect.stringMatching(message) as string,
    });
    await worker(-1, async (driver) => {
      await expect(driver.beforeRequest()).rejects.toMatchObject(
        ended(/^The next request .* up to \d+ tokens after 0; compact_worker_max_input_tokens allows \d+ in all\.$/),
      );
    });
    await worker(0, async (driver) => {
      await driver.beforeRequest();
      await driver.afterReply(reply('Hm.'));
      await expect(driver.beforeRequest()).rejects.toMatchObject({
        ...ended(/^The last request that compact_worker_max_input_tokens allows was made\.$/),
        details: { ended: true },
      });
    });
    await worker(50_000, async (driver) => {
      await driver.beforeRequest();
      driver.session.append([call('c', 'write_summary'), result('c', '', `It has faults. ${SUMMARY_FINAL}`)]);
      await expect(driver.beforeRequest()).rejects.toMatchObject({
        ...ended(/^The desk asks for no further summary\.$/),
        details: { ended: true },
      });
    });
  });

  test('is judged by what is sent, whatever other plugins make of it and in whatever order they stand', async () => {
    const more = definePlugin({
      name: 'more',
      api: 1,
      setup: ({ hooks }) => {
        const items = [user(prose(1000))];
        hooks.on(
          'pre_llm_request',
          ({ session }) => (workerTask(session).get() ? { do: 'append', items } : undefined),
          {
            roles: ['compact-worker'],
          },
        );
      },
    });
    await worker(
      500,
      async (driver) => {
        await expect(driver.beforeRequest()).rejects.toMatchObject({ code: 'PITH_WORKER_LIMIT' });
      },
      [more],
    );
  });

  test('is asked for what is missing, in words of the user, where there is room for another request', async () => {
    const used = 5000;
    /** What the next request would have, and whether it is asked for. */
    const atTheEnd = async (most: number): Promise<readonly [number, boolean]> => {
      let seen: readonly [number, boolean] = [0, false];
      await worker(undefined, async (driver) => {
        workerTask(driver.session).set({ maxInputTokens: most, judgesFiles: false });
        await driver.beforeRequest();
        await driver.afterReply({ items: [assistant('Done.')], usage: { inputTokens: used } });
        const { tokens, margin } = view(driver.session).occupancy();
        const isAsked = await driver.end('finished');
        seen = [Math.ceil(tokens + margin), isAsked];
        const last = [...driver.session.items()].at(-1);
        if (isAsked) expect(last).toMatchObject({ kind: 'message', role: 'user', by: 'guard' });
        expect(JSON.stringify(last).includes('You have handed in no summary.')).toBe(isAsked);
      });
      return seen;
    };
    const [next] = await atTheEnd(50_000);
    expect(await atTheEnd(used + next + 100)).toEqual([next, true]);
    expect(await atTheEnd(used + next + 99)).toEqual([next, false]);
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
          // What a provider refuses it has not read.
          const taken = place.model.requests.filter((_, n) => replies[n % replies.length]?.error === undefined);
          expect(sumOf(taken)).toBeLessThanOrEqual(limit);
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
