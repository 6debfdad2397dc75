import fc from 'fast-check';
import { CONTEXT, createKernel, createSession, inspectSession, restoreSession, TOKENIZER } from '../../core';
import type { Kernel, NewItem, RecordDraft, Session, ToolCallItem } from '../../core';
import { sessionReport } from '../../core/report';
import type { ContextSide, Report, ReportParts } from '../../core/report';
import { PRUNE } from '../../plugins/prune/token';
import { play, sessionSteps } from '../arbitraries/session';
import { assistant, call, prose, result, user } from '../support/context';
import { compact, start } from '../support/kernel';
import type { Host } from '../support/kernel';

const files = { canonical: (path: string) => path, display: (path: string) => path };
const usage = (inputTokens: number): RecordDraft => ({ t: 'usage', usage: { inputTokens } });
const checkpoint = (compaction: string, cut: number, figures: { before: number; after: number }): RecordDraft => ({
  t: 'checkpoint',
  compaction,
  blocks: [{ kind: 'summary', text: `[Compacted context summary]\nWhat was.\n[End of summary]` }],
  cut,
  edits: [],
  ...figures,
});

/** Turns that read a file and edit it; as many tokens as it takes for a compaction to be worth it. */
function turns(count: number): readonly NewItem[] {
  return Array.from({ length: count }, (_, at) => [
    user(`Fix module ${String(at)}`),
    call(`r${String(at)}`, 'Read', { file_path: `src/m${String(at)}.ts` }),
    result(`r${String(at)}`, lines(60, at)),
    call(`e${String(at)}`, 'Edit', {
      file_path: `src/m${String(at)}.ts`,
      old_string: `const value3 = compute(${String(at)});`,
      new_string: 'const value3 = mended();',
    }),
    result(`e${String(at)}`, `The file src/m${String(at)}.ts has been updated.`),
    assistant(`Module ${String(at)} is mended. ${prose(200)}`),
  ]).flat();
}

function lines(count: number, of: number): string {
  return Array.from(
    { length: count },
    (_, at) => `${String(at + 1)}\tconst value${String(at)} = compute(${String(of)});`,
  ).join('\n');
}

function reportOn({ kernel }: Pick<Host, 'kernel'>, session: Session, parts: Partial<ReportParts> = {}): Report {
  return sessionReport(session, { kernel, madeAt: 0, ...parts });
}

function sum(side: ContextSide | undefined): number {
  return (side?.parts ?? []).reduce((total, { tokens }) => total + tokens, 0);
}

describe('a report of any session', () => {
  let kernel: Kernel;
  beforeAll(async () => {
    kernel = await createKernel({ plugins: [], log: { level: 'error', write: () => undefined } });
  });
  afterAll(() => kernel.stop());

  /** Plays a random session and holds something against its report. */
  function forAny(holds: (session: Session, report: Report) => void): void {
    fc.assert(
      fc.property(sessionSteps(16), (steps) => {
        const session = createSession({ id: 's', now: () => 0, services: (one) => kernel.scope(one) });
        for (const step of steps) play(session, step);
        holds(session, sessionReport(session, { kernel, files, madeAt: 0 }));
      }),
      { numRuns: 150 },
    );
  }

  test('agrees with the inspection of it to the token', () => {
    forAny((session, { tokens, occupancy, turns: told, files: touched, integrity, map, source }) => {
      expect({
        tokens,
        occupancy,
        turns: told.map(({ prompt: _, ...turn }) => turn),
        files: touched.map(({ ranges: _, ...file }) => file),
        integrity,
      }).toEqual(inspectSession(session, { tokenizer: kernel.get(TOKENIZER), files }));
      expect(map).toHaveLength(session.itemCount);
      expect(source).toMatchObject({ items: map.length, turns: told.length, requests: occupancy.length });
    });
  });

  test('says of each item what the context does with it', () => {
    forAny((session, { map }) => {
      const context = session.get(CONTEXT);
      const sent = new Map([...context.view().items()].map((item) => [item.id, item]));
      const cut = context.checkpoint()?.cut ?? 0;
      for (const [number, { fate }] of map.entries()) {
        const item = session.item(number);
        const isSystem = item.kind === 'message' && item.role === 'system';
        if (sent.has(item.id)) {
          expect(['kept', 'changed']).toContain(fate);
          if (sent.get(item.id) === item) expect(fate).toBe('kept');
        } else if (!isSystem) expect(fate).toBe(number < cut ? 'summarised' : 'dropped');
      }
    });
  });

  test('counts every item as it was recorded', () => {
    forAny((session, { map }) => {
      const tokens = map.reduce((total, item) => total + item.tokens, 0);
      expect(tokens).toBe(kernel.get(TOKENIZER).countItems(session.items()));
    });
  });

  test('places every prune and compaction, in their order', () => {
    forAny((session, { events, map, occupancy }) => {
      const records = [...session.records()].filter(
        (record) =>
          record.t === 'checkpoint' ||
          (record.t === 'edits' && record.by === 'prune') ||
          (record.t === 'compaction' && record.phase === 'failed'),
      );
      expect(events.map(({ kind }) => kind)).toEqual(records.map(({ t }) => (t === 'edits' ? 'prune' : 'compaction')));
      let last = { request: 1, item: 0 };
      for (const event of events) {
        expect(event.request).toBeGreaterThanOrEqual(last.request);
        expect(event.request).toBeLessThanOrEqual(occupancy.length + 1);
        expect(event.item).toBeGreaterThanOrEqual(last.item);
        expect(event.item).toBeLessThanOrEqual(map.length);
        last = event;
      }
    });
  });

  test('is the same for the same log; of one that was restored, but for how full it is estimated to be now', () => {
    forAny((session, report) => {
      expect(sessionReport(session, { kernel, files, madeAt: 0 })).toEqual(report);
      const restored = restoreSession([...session.records()], { services: (one) => kernel.scope(one) });
      const { tokens } = report;
      expect({ ...sessionReport(restored, { kernel, files, madeAt: 0 }), tokens }).toEqual(report);
    });
  });
});

describe('the report of a session that was compacted', () => {
  test('shows what was read and why, what was only named, and both sides, from the log alone', async () => {
    await using host = await start({ config: { compaction: { retainedTokens: 900, autoReadBudget: 1200 } } });
    const session = host.open(turns(20));
    const done = await compact(host, session);
    expect(done.outcome).toBe('done');
    expect(done.marks.length).toBeGreaterThan(0);

    const restored = restoreSession([...session.records()], { services: (one) => host.kernel.scope(one) });
    for (const report of [reportOn(host, session, { compaction: done }), reportOn(host, restored)]) {
      const { compaction, map } = report;
      expect(compaction).toMatchObject({
        id: done.id,
        number: 1,
        outcome: 'done',
        trigger: 'manual',
        worker: 'offline',
        summary: done.summary,
        plan: { cutItem: done.plan?.cutItem, summarised: { items: done.plan?.summarised.items } },
      });
      expect(compaction?.before.tokens).toBe(Math.round(done.before.tokens));
      expect(compaction?.after?.tokens).toBe(Math.round(done.after?.tokens ?? 0));
      expect(sum(compaction?.before)).toBe(compaction?.before.tokens);
      expect(sum(compaction?.after)).toBe(compaction?.after?.tokens);
      expect(compaction?.after?.parts.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['summary', 'file', 'references', 'conversation']),
      );

      const ranges = report.files.flatMap(({ path, ranges: read }) => read.map((range) => ({ path, ...range })));
      expect(ranges).toHaveLength(done.marks.length);
      for (const { path, fromLine, toLine, reason } of done.marks)
        expect(ranges).toContainEqual(expect.objectContaining({ path, fromLine, toLine, reason }));
      const named = report.files.flatMap(({ path, note }) => (note === undefined ? [] : [{ path, note }]));
      expect(new Set(named.map(({ path }) => path))).toEqual(new Set(done.references.map(({ path }) => path)));
      for (const { path, note = '' } of done.references) expect(named).toContainEqual({ path, note });

      const again = map.flatMap(({ readAgain, fate }, at) => (readAgain ? [{ at, fate }] : []));
      expect(again.map(({ fate }) => fate)).toEqual(again.map(() => 'summarised'));
      const read = new Set(done.marks.map(({ path }) => path));
      for (const { at } of again) {
        const request = session.item(at - 1) as ToolCallItem;
        expect(read).toContain((request.arguments as { readonly file_path: string }).file_path);
      }
      expect(again.length).toBeGreaterThan(0);
      expect(map.slice(done.plan?.cutItem).every(({ fate }) => fate !== 'summarised')).toBe(true);
    }
  });

  test('is about the newest in force; an older one is shown when it is asked for', async () => {
    await using host = await start();
    const session = host.open(turns(3), checkpoint('one', 6, { before: 3000, after: 900 }));
    session.append(turns(2));
    session.record(checkpoint('two', 18, { before: 4000, after: 800 }));
    expect(reportOn(host, session).compaction).toMatchObject({ id: 'two', number: 2 });
    expect(reportOn(host, session, { compaction: 1 }).compaction).toMatchObject({
      id: 'one',
      number: 1,
      plan: { cutItem: 6, summarised: { items: 6 }, retained: { items: 12 } },
      before: { tokens: 3000 },
      after: { tokens: 900 },
      summary: { text: 'What was.' },
    });
    session.undoCompaction();
    const { compaction, events, map } = reportOn(host, session);
    expect(compaction).toMatchObject({ id: 'one', number: 1 });
    expect(events.map(({ isUndone }) => isUndone)).toEqual([undefined, true]);
    expect(map.findIndex(({ fate }) => fate === 'kept')).toBe(6);
    expect(reportOn(host, session, { compaction: 2 }).compaction).toMatchObject({ id: 'two', isUndone: true });
  });

  test('estimates what a foreign one saved, where its checkpoint does not say', async () => {
    await using host = await start();
    const session = host.open(turns(4), checkpoint('claude-code-1', 18, { before: 0, after: 0 }));
    const [event] = reportOn(host, session).events;
    expect(event).toMatchObject({ kind: 'compaction', compaction: 1, outcome: 'done', item: 24 });
    expect(event?.before).toBeGreaterThan(3000);
    expect(event?.after).toBeLessThan(event?.before ?? 0);
  });

  test('tells of one that failed how it ended, and of its context as it was', async () => {
    await using host = await start();
    const session = host.open(turns(2));
    session.record(
      { t: 'compaction', phase: 'start', compaction: 'k', data: { trigger: 'manual', before: 2000 } },
      {
        t: 'compaction',
        phase: 'failed',
        compaction: 'k',
        data: { outcome: 'empty-summary', reason: 'no summary came', before: 2000, durationsMs: { total: 70.4 } },
      },
    );
    const { events, compaction, map } = reportOn(host, session);
    expect(events).toEqual([
      { kind: 'compaction', request: 7, item: 12, before: 2000, outcome: 'empty-summary', compaction: 1 },
    ]);
    expect(compaction).toMatchObject({
      outcome: 'empty-summary',
      reason: 'no summary came',
      durationMs: 70,
      before: { tokens: 2000 },
    });
    expect(compaction).not.toHaveProperty('after');
    expect(map.every(({ fate }) => fate === 'kept')).toBe(true);
  });

  test('tells of one that did nothing why, though the log knows nothing of it', async () => {
    await using host = await start();
    const session = host.open([user('Hello')]);
    const tried = await compact(host, session);
    expect(tried.outcome).toBe('nothing-to-do');
    const { compaction, events } = reportOn(host, session, { compaction: tried, autoReadBudget: 8000 });
    expect(compaction).toMatchObject({ outcome: 'nothing-to-do', reason: tried.reason, autoReadBudget: 8000 });
    expect(compaction).not.toHaveProperty('number');
    expect(events).toEqual([]);
  });
});

describe('the report of a session that was pruned', () => {
  test('marks the results that lost their content, and the request that was the first without', async () => {
    await using host = await start({ config: { prune: { protectedTokens: 200, minSavings: 100 } } });
    const session = host.open([user('Go'), call('a', 'Bash', { command: 'ls' }), result('a', prose(800))]);
    session.append([call('b', 'Bash', { command: 'pwd' }), result('b', prose(300))]);
    host.kernel.get(PRUNE).prune(session);
    session.append([assistant('There.')]);
    const { events, map } = reportOn(host, session);
    expect(map.map(({ fate }) => fate)).toEqual(['kept', 'kept', 'changed', 'kept', 'kept', 'kept']);
    expect(map[2]).toMatchObject({ kind: 'tool_result', tool: 'Bash', tokens: expect.any(Number) });
    expect(map[2]?.tokens).toBeGreaterThan(700);
    expect(events).toEqual([
      { kind: 'prune', request: 3, item: 5, before: expect.any(Number), after: expect.any(Number) },
    ]);
    expect((events[0]?.before ?? 0) - (events[0]?.after ?? 0)).toBeGreaterThan(600);
  });
});

describe('what a report says of its source', () => {
  test('the model and its limit, the file, and what the caller knows beside the log', async () => {
    await using host = await start();
    const session = host.open([], { t: 'settings', system: 'You help.', model: 'gpt-4o' });
    session.append([user('Why?\nTell me.'), assistant('So.')]);
    session.record(usage(640));
    const report = reportOn(host, session, {
      source: { format: 'codex', path: '/home/ada/why.jsonl' },
      thresholds: [{ name: 'compaction between turns', tokens: 90_000 }],
      outlook: () => ({ prune: { candidates: 2, savedTokens: 700 } }),
      madeAt: 12,
    });
    expect(report).toMatchObject({
      schema: 'pith.report/1',
      title: 'why.jsonl',
      source: { format: 'codex', path: '/home/ada/why.jsonl', model: 'gpt-4o', items: 2, turns: 1, requests: 1 },
      madeAt: 12,
      thresholds: [{ name: 'compaction between turns', tokens: 90_000 }],
      occupancy: [{ request: 1, item: 1, tokens: 640, source: 'measured' }],
      turns: [{ turn: 1, prompt: 'Why? Tell me.' }],
      outlook: { prune: { candidates: 2, savedTokens: 700 } },
    });
    expect(report.limit).toBeGreaterThan(100_000);
    expect(reportOn(host, session, { limit: 5000 }).limit).toBe(5000);
    expect(reportOn(host, session)).toMatchObject({ title: session.id, source: { format: 'pith' }, outlook: {} });
  });

  test('no limit where the model is not known', async () => {
    await using host = await start();
    expect(reportOn(host, host.open([user('Hello')]))).not.toHaveProperty('limit');
  });

  test('long texts are told by their beginning, on one line', async () => {
    await using host = await start();
    const session = host.open([
      user(`one\r\n\u2028two\u0007 ${'x'.repeat(100_000)}`),
      call('a', 'Bash', { command: 'ls' }),
    ]);
    const { map } = reportOn(host, session);
    expect(map[0]?.text).toMatch(/^one two x{50,112}…$/);
    expect(map[1]?.text).toBe('{"command":"ls"}');
  });
});
