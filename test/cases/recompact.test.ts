/** Faults of compacting again that users of similar tools reported, by the ids of `cases.json`. */
import { COMPACTION } from '../../core/index';
import type { CompactionReport, CompactOptions } from '../../core/index';
import { CONTEXT, createContext, restoreSession } from '../../core';
import type { ContextView, NewItem, Session } from '../../core';
import fc from 'fast-check';
import { PRUNE } from '../../plugins/prune/token';
import { assistant, call, prose, result, tokenizer, user } from '../support/context';
import { countOf, refusals } from '../support/counter';
import { start, STOCK } from '../support/kernel';
import type { Host } from '../support/kernel';
import { readAll, scriptedWorker, summaryOf, writing } from '../support/worker';

const view = (session: Session): ContextView => session.get(CONTEXT).view();
const textOf = (session: Session): string => JSON.stringify([view(session).system, [...view(session).items()]]);
const compact = (
  { kernel }: Host,
  session: Session,
  options: Partial<CompactOptions> = {},
): Promise<CompactionReport> => kernel.get(COMPACTION).compact(session, { trigger: 'manual', ...options });

/** Everything that a session may hold, each item with a text of its own. */
function marked(prefix: string, steps: number): readonly NewItem[] {
  return Array.from({ length: steps }, (_, at): readonly NewItem[] => {
    const mark = `<${prefix}-${String(at)}`;
    const id = `${prefix}${String(at)}`;
    return [
      user(`${mark}-user>`),
      { ...assistant(`${mark}-said>`), reply: id },
      { ...call(`${id}a`, 'Bash', { command: `${mark}-args>` }), reply: id },
      { ...call(`${id}b`, 'Bash', { command: `${mark}-args2>` }), reply: id },
      result(`${id}b`, `${mark}-result2> ${prose(150)}`),
      result(`${id}a`, `${mark}-result> ${prose(150)}`),
    ];
  }).flat();
}

const marksIn = (text: string): ReadonlySet<string> => new Set(text.match(/<\w+-\d+-\w+>/g) ?? []);

describe('C37: what the first compaction kept is outside of what the second one looks at', () => {
  test.each([
    ['shrinking', [3000, 2000, 1200, 600, 0]],
    ['growing', [0, 500, 1000, 2000, 3000]],
    ['wild', [2500, 0, 3000, 1, 1500]],
  ])('C37: with %s tails every item is in the tail or was shown to a worker, at every moment', async (_, tails) => {
    const worker = scriptedWorker(async (desk, job, signal) => {
      await readAll(desk, job, signal);
      await desk.call('write_summary', { text: summaryOf('Something was done.') }, signal);
    });
    await using host = await start({ plugins: [...STOCK, worker.plugin] });
    const session = host.open([]);
    const all = new Set<string>();
    for (const [pass, retainedTokens] of tails.entries()) {
      const batch = marked(`p${String(pass)}`, 12);
      // Mid-batch: the last call has no result yet when the compaction runs.
      const [open, rest] = [batch.slice(0, -1), batch.slice(-1)];
      session.append(open);
      for (const mark of marksIn(JSON.stringify(batch))) all.add(mark);
      expect((await compact(host, session, { retainedTokens })).outcome).toBe('done');
      expect(refusals(view(session))).toEqual([]);
      session.append(rest);
      expect(refusals(view(session))).toEqual([]);
      const covered = new Set([...marksIn(textOf(session)), ...marksIn(worker.given.flat().join('\n'))]);
      const late = marksIn(JSON.stringify(rest));
      expect([...all].filter((mark) => !covered.has(mark) && !late.has(mark))).toEqual([]);
    }
  });

  test('C37: the ranges that workers are given leave no item out and meet without a gap', async () => {
    const worker = scriptedWorker(writing(summaryOf('Something was done.')));
    await using host = await start({ plugins: [...STOCK, worker.plugin] });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 8, max: 20 }), fc.nat(4000)), { minLength: 2, maxLength: 5 }),
        async (passes) => {
          const session = host.open([]);
          let covered = 0;
          for (const [pass, [steps, retainedTokens]] of passes.entries()) {
            session.append(marked(`p${String(pass)}`, steps));
            const before = worker.jobs.length;
            const { outcome, plan } = await compact(host, session, { retainedTokens });
            if (outcome !== 'done') continue;
            for (const job of worker.jobs.slice(before)) expect(job.range.from).toBe(covered);
            expect(worker.jobs.at(-1)?.range.to).toBe(plan?.cutItem);
            covered = plan?.cutItem ?? covered;
          }
          await session.close();
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('C37: what was trimmed once', () => {
  test('C37: results that a compaction emptied to meet its target stay empty with the next one', async () => {
    await using host = await start({
      plugins: [...STOCK, scriptedWorker(writing(summaryOf('Something was done.'))).plugin],
    });
    const reads = (name: string, count: number, tokens: number): readonly NewItem[] =>
      Array.from({ length: count }, (_, at) => [
        call(`${name}${String(at)}`),
        result(`${name}${String(at)}`, prose(tokens)),
      ]).flat();
    const old = (session: Session, whole: boolean): readonly string[] =>
      [...view(session).items()].flatMap((item) =>
        item.kind === 'tool_result' && item.callId.startsWith('old') && (item.content !== undefined) === whole
          ? [item.callId]
          : [],
      );
    const carried: number[] = [];
    for (let retainedTokens = 3500; retainedTokens < 4500; retainedTokens += 40) {
      const session = host.open([user('read them'), ...reads('old', 20, 900)]);
      expect((await compact(host, session, { retainedTokens: 8000, threshold: 8000 })).outcome).toBe('done');
      expect(old(session, true)).toEqual(['old19']);
      const emptied = old(session, false);
      expect(emptied.length).toBeGreaterThan(3);
      session.append(reads('new', 3, 800));
      await compact(host, session, { retainedTokens });
      expect(old(session, true).filter((id) => id !== 'old19')).toEqual([]);
      carried.push(old(session, false).length / emptied.length);
    }
    expect(carried.some((share) => share > 0 && share < 1)).toBe(true);
  });

  test('C37: tails carried over several compactions never grow, whatever was trimmed, pruned or undone between', async () => {
    await using host = await start({
      plugins: [...STOCK, scriptedWorker(writing(summaryOf('Something was done.'))).plugin],
      config: { prune: { protectedTokens: 100, minSavings: 0 } },
    });
    const step = fc.record({
      steps: fc.integer({ min: 4, max: 12 }),
      big: fc.constantFrom(0, 3000, 9000),
      retainedTokens: fc.constantFrom(0, 300, 1500, 4000),
      prune: fc.boolean(),
      undo: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async (steps) => {
        const session = host.open([]);
        const sizes = new Map<string, number>();
        for (const [at, { steps: count, big, retainedTokens, prune, undo }] of steps.entries()) {
          session.append(marked(`s${String(at)}`, count));
          if (big > 0) session.append([user('more'), call(`big${String(at)}`), result(`big${String(at)}`, prose(big))]);
          if (prune) host.kernel.get(PRUNE).prune(session);
          for (const item of view(session).items()) sizes.set(item.id, countOf(JSON.stringify(item)));
          const before = view(session).digest;
          const { outcome } = await compact(host, session, { retainedTokens });
          for (const item of view(session).items())
            expect(countOf(JSON.stringify(item))).toBeLessThanOrEqual(sizes.get(item.id) ?? 0);
          if (!undo || outcome !== 'done') continue;
          session.record({ t: 'undo', checkpoint: session.get(CONTEXT).checkpoint()?.seq ?? -1 });
          expect(view(session).digest).toBe(before);
        }
        const again = restoreSession(JSON.parse(JSON.stringify([...session.records()])) as [], {});
        expect(createContext(again, { tokenizer }).view().digest).toBe(view(session).digest);
        await session.close();
      }),
      { numRuns: 25 },
    );
  });
});

describe('X23: a fact of the start', () => {
  const FACT = 'The service must listen on port 8123.';
  const pass = (number: number): readonly NewItem[] => marked(`w${String(number)}`, 14);

  test('X23: each worker is given the summary before, word for word', async () => {
    const worker = scriptedWorker((desk, _job, signal) => {
      const text = summaryOf(
        `Pass ${String(worker.jobs.length)}: ${worker.jobs.length === 1 ? FACT : 'nothing of note'}.`,
      );
      return desk.call('write_summary', { text }, signal);
    });
    await using host = await start({ plugins: [...STOCK, worker.plugin] });
    const session = host.open([user(FACT)]);
    const summaries: (string | undefined)[] = [];
    for (let number = 0; number < 4; number++) {
      session.append(pass(number));
      const report = await compact(host, session, { retainedTokens: 1000 });
      summaries.push(report.summary?.text);
    }
    expect(worker.jobs.map(({ previousSummary }) => previousSummary)).toEqual([undefined, ...summaries.slice(0, 3)]);
    for (const [number, job] of worker.jobs.entries()) {
      if (number > 0) expect(job.overview).toContain(`Pass ${String(number)}:`);
    }
  });

  test('X23: what is pinned is there after any number of weak passes, once', async () => {
    await using host = await start({
      plugins: [...STOCK, scriptedWorker(writing(summaryOf('nothing of note'))).plugin],
    });
    const session = host.open([user(FACT)]);
    session.get(CONTEXT).pin('i0');
    for (let number = 0; number < 4; number++) {
      session.append(pass(number));
      expect((await compact(host, session, { retainedTokens: 1000 })).outcome).toBe('done');
      expect(textOf(session).split(FACT)).toHaveLength(2);
    }
  });

  test('X23: the offline worker carries the words of the user on from summary to summary', async () => {
    await using host = await start();
    const session = host.open([user(FACT)]);
    for (let number = 0; number < 4; number++) {
      session.append(pass(number));
      expect((await compact(host, session, { retainedTokens: 1000 })).outcome).toBe('done');
      expect(textOf(session)).toContain('8123');
    }
  });
});
