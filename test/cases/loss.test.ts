/** Faults in which history was lost that users of similar tools reported, by the ids of `cases.json`. */
import { COMPACTION } from '../../core/index';
import { CONTEXT, definePlugin, type NewItem, type Plugin, type Session } from '../../core';
import { renderSummary } from '../../plugins/compaction/summary-format';
import { COMPACT_WORKER } from '../../plugins/compaction/tokens';
import type { CompactJob, CompactWorker, Desk } from '../../plugins/compaction/worker';
import { assistant, call, prose, result, tokenizer, user } from '../support/context';
import { start, STOCK } from '../support/kernel';

const NOTHING_USED = { requests: 1, inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };

function workerThat(run: (desk: Desk, job: CompactJob, signal: AbortSignal) => Promise<unknown>): Plugin {
  const worker: CompactWorker = {
    name: 'scripted',
    async run(job, desk, { signal }) {
      await run(desk, job, signal);
      return { usage: NOTHING_USED };
    },
  };
  return definePlugin({
    name: 'scripted',
    api: 1,
    provides: [COMPACT_WORKER],
    setup: ({ provide }) => provide(COMPACT_WORKER, () => worker),
  });
}

const history: readonly NewItem[] = [
  user('please port it'),
  ...Array.from({ length: 20 }, (_, at) => [call(`c${String(at)}`), result(`c${String(at)}`, prose(1000))]).flat(),
  assistant('ZEBRA-42 is what I found last.'),
  user('go on'),
];

const contextOf = (session: Session): string => {
  const view = session.get(CONTEXT).view();
  return JSON.stringify([view.system, ...view.items()]);
};

/** Compacts the history with a worker, and says what became of the context and which events were published. */
async function compactedBy(
  run: (desk: Desk, job: CompactJob, signal: AbortSignal) => Promise<unknown>,
  items = history,
) {
  await using host = await start({
    plugins: [...STOCK, workerThat(run)],
    config: { compaction: { fallback: 'none' } },
  });
  const session = host.open(items);
  const before = contextOf(session);
  const tokens = session.get(CONTEXT).view().occupancy().tokens;
  const report = await host.kernel.get(COMPACTION).compact(session, { trigger: 'manual' });
  const after = contextOf(session);
  const checkpoints = [...session.records()].filter(({ t }) => t === 'checkpoint').length;
  return {
    report,
    before,
    after,
    ends: host.heard.flatMap(({ name }) => (/^compaction\.(?:done|failed|skipped)$/.test(name) ? [name] : [])),
    checkpoints,
    tokens: [tokens, session.get(CONTEXT).view().occupancy().tokens] as const,
  };
}

describe('C10: a worker ends normally without a summary', () => {
  const skeleton =
    '## Completed Tasks\n## Active Task\n### \n## Key Decisions\n- \n## User Directives\n## Current Work\n';
  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['blanks', ' \n\t '],
    ['a skeleton of headings', skeleton],
    ['nothing but (none)', renderSummary({ completed: [], active: [], decisions: [], directives: [], current: [] })],
  ])('%s replaces nothing', async (_, text) => {
    const { report, before, after, ends, checkpoints } = await compactedBy(async (desk, _job, signal) => {
      if (text !== undefined) await desk.call('write_summary', { text }, signal);
    });
    expect(report.outcome).toBe('empty-summary');
    expect(after).toBe(before);
    expect(checkpoints).toBe(0);
    expect(ends).toEqual(['compaction.failed']);
  });
});

describe('C11: the last message of the history is never taken for the summary', () => {
  test.each([
    ['yields nothing', () => Promise.resolve()],
    ['throws', () => Promise.reject(new Error('model unavailable'))],
  ])('where the worker %s', async (_, run) => {
    const { report, ends, checkpoints } = await compactedBy(run);
    expect(report.outcome).not.toBe('done');
    expect(JSON.stringify(report.summary ?? '')).not.toContain('ZEBRA-42');
    expect(checkpoints).toBe(0);
    expect(ends).toEqual(['compaction.failed']);
  });
});

describe('C14: a summary that is cut off', () => {
  const whole = renderSummary({
    completed: [{ name: 'The parser', lines: ['Ported in src/csv.ts.'] }],
    active: [{ name: 'The writer', lines: ['Half done.'] }],
    decisions: ['quotes are kept — the tests ask for it'],
    directives: ['"please port it"'],
    current: ['Writing the last test.'],
  });
  const sections = whole.split('\n').filter((line) => line.startsWith('## '));

  test('is not stored; one that is complete afterwards is', async () => {
    const cut = whole.slice(0, whole.indexOf('ported') + 200 - 3);
    const { report } = await compactedBy(async (desk, _job, signal) => {
      const refused = await desk.call('write_summary', { text: cut.slice(0, whole.indexOf('## Key')) }, signal);
      expect(refused.isError).toBe(true);
      await desk.call('write_summary', { text: whole }, signal);
    });
    expect(report).toMatchObject({ outcome: 'done', summary: { text: whole } });
  });

  test('leaves everything as it is, with a reason, wherever it was cut', async () => {
    for (let length = 1; length < whole.length; length += 13) {
      const text = whole.slice(0, length);
      const { report, before, after, checkpoints } = await compactedBy((desk, _job, signal) =>
        desk.call('write_summary', { text }, signal),
      );
      const isWhole = sections.every((section) => text.includes(section));
      if (isWhole) continue;
      expect(report.outcome).not.toBe('done');
      expect(report.reason).toEqual(expect.stringMatching(/\w/));
      expect([after, checkpoints]).toEqual([before, 0]);
    }
  });
});

describe('C15: a compressed context that is not smaller', () => {
  const summaryOf = (words: number): string =>
    renderSummary({
      completed: [],
      active: [],
      decisions: [],
      directives: [],
      current: [`word${' word'.repeat(words - 1)}`],
    });
  const small: readonly NewItem[] = [
    user('please port it'),
    assistant(prose(3000)),
    user('go on'),
    assistant(prose(7000)),
  ];

  test.each([1.5, 1, 0.97, 0.5, 0.1])(
    'a summary of %d times the history is applied only if the whole is clearly smaller',
    async (share) => {
      const { report, before, after, tokens } = await compactedBy(
        (desk, _job, signal) => desk.call('write_summary', { text: summaryOf(Math.floor(3000 * share)) }, signal),
        small,
      );
      if (report.outcome === 'done') expect(tokens[1]).toBeLessThanOrEqual(tokens[0] - Math.max(1024, tokens[0] * 0.1));
      else expect(after).toBe(before);
      expect(report.outcome).toBe(share <= 0.5 ? 'done' : 'inflated');
    },
  );
});

describe('X09: results whose verdict is their last line', () => {
  test('worker pages keep beginning and end of each, and are bounded however long the results are', async () => {
    const verdicts = Array.from({ length: 20 }, (_, at) => `VERDICT-${String(at)}`);
    const items = [
      user('run them all'),
      ...verdicts.flatMap((verdict, at) => [
        call(`c${String(at)}`, 'Bash', { command: `make test${String(at)}` }),
        result(`c${String(at)}`, `START-${String(at)}\n${'log line\n'.repeat(11_000)}${verdict}`),
      ]),
      user('go on'),
    ];
    const pages: string[] = [];
    await compactedBy(async (desk, job, signal) => {
      for (let from = job.range.from; from < job.range.to; from += 5) {
        const { content = '' } = await desk.call('read_history', { from, limit: 5, detail: 'full' }, signal);
        pages.push(typeof content === 'string' ? content : '');
      }
    }, items);
    const seen = pages.join('\n');
    expect(verdicts.filter((verdict) => seen.includes(verdict)).length).toBeGreaterThanOrEqual(19);
    expect(seen).toContain('START-0');
    for (const page of pages) expect(tokenizer.countText(page)).toBeLessThan(8000);
  });
});
