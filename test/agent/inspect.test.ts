import { COMPACTION } from '../../core/index';
import fc from 'fast-check';
import { inspectSession, pastCompactions } from '../../core';
import { PastContext } from '../../core/agent/past-context';
import { pastRequests, sentTokens } from '../../core/agent/past-requests';
import { createContext } from '../../core/context/context';
import type { Estimate, RecordDraft, Session } from '../../core';
import { createSession, restoreSession } from '../../core/session/log-session';
import { TOKENIZER } from '../../core/tokens/tokenizer';
import { assistant, call, prose, result, tokenizer, user } from '../support/context';
import { start } from '../support/kernel';

const item = (entry: ReturnType<typeof user>): RecordDraft => ({ t: 'item', item: entry });
const usage = (inputTokens: number): RecordDraft => ({ t: 'usage', usage: { inputTokens } });
const summary = (cut: number, compaction = 'c1'): RecordDraft => {
  return {
    t: 'checkpoint',
    compaction,
    blocks: [{ kind: 'summary', text: 'what was' }],
    cut,
    edits: [],
    before: 900,
    after: 90,
  };
};

function sessionOf(...drafts: readonly RecordDraft[]): Session {
  const session = createSession({ id: 's', now: () => 0 });
  session.record(...drafts);
  return session;
}

function sizesOf(session: Session): readonly Estimate[] {
  const past = new PastContext(session, tokenizer);
  return pastRequests(session).map((request) => sentTokens(request, past));
}

describe('past requests', () => {
  test('a reply is one request, however many items and results it has', () => {
    const session = sessionOf(
      item(user('Go')),
      item({ ...call('a'), reply: 'r1' }),
      item(result('a', 'x')),
      item({ ...call('b'), reply: 'r1' }),
      item(result('b', 'y')),
      item({ ...assistant('Then'), reply: 'r2' }),
      item({ ...call('c'), reply: 'r3' }),
    );
    expect(pastRequests(session).map((request) => request.item)).toEqual([1, 5, 6]);
  });

  test('without ids of replies, what the model says in a row is one reply', () => {
    const session = sessionOf(
      item(user('Go')),
      item(assistant('Well')),
      item(call('a')),
      item(result('a', 'x')),
      item(call('b')),
      item(result('b', 'y')),
    );
    expect(pastRequests(session).map((request) => request.item)).toEqual([1, 4]);
  });

  test('what the provider reported is the size of the request, the newest figure where there are several', () => {
    const session = sessionOf(
      item(user('Go')),
      item(assistant('One')),
      usage(90),
      usage(100),
      item(user('On')),
      item(assistant('Two')),
      usage(140),
    );
    expect(sizesOf(session)).toEqual([
      { tokens: 100, margin: 0, source: 'measured' },
      { tokens: 140, margin: 0, source: 'measured' },
    ]);
  });

  test('requests without figures are estimated from what stood before them, as if nothing had come later', () => {
    const drafts = [
      item(user('Go')),
      item(assistant('One')),
      usage(5000),
      item(user(prose(300))),
      item(assistant('Two')),
      summary(3),
      item(user('More')),
      item(assistant('Three')),
      item(user(prose(900))),
    ];
    const session = sessionOf(...drafts);
    const [first, second, third] = sizesOf(session);
    expect(first).toMatchObject({ tokens: 5000, source: 'measured' });
    expect(second?.source).toBe('extrapolated');
    expect(second?.tokens).toBeGreaterThan(5250);
    expect(second?.tokens).toBeLessThan(5400);
    const before = createContext(sessionOf(...drafts.slice(0, 7)), { tokenizer })
      .view()
      .occupancy();
    expect(third).toEqual(before);
  });
});

describe('a context that catches up with a log that stands already', () => {
  test('is the same as one that heard of every record as it came, checkpoints in the middle or not', () => {
    const history = fc.array(
      fc.oneof(fc.constant('user' as const), fc.constant('call' as const), fc.constant('checkpoint' as const)),
      { maxLength: 24 },
    );
    fc.assert(
      fc.property(history, (kinds) => {
        const session = createSession({ id: 's', now: () => 0 });
        const live = createContext(session, { tokenizer });
        for (const [at, kind] of kinds.entries()) {
          if (kind === 'user') session.append([user(`say ${String(at)}`)]);
          else if (kind === 'call') session.append([call(`c${String(at)}`), result(`c${String(at)}`, 'x')]);
          else session.record(summary(session.itemCount >> 1, `c${String(at)}`));
          live.view();
        }
        const late = createContext(restoreSession([...session.records()], {}), { tokenizer });
        expect([...late.view().items()]).toEqual([...live.view().items()]);
        expect(late.view().digest).toBe(live.view().digest);
      }),
    );
  });
});

describe('an inspection', () => {
  test('adds up: the kinds to the whole, calls and results to their tools', async () => {
    await using host = await start();
    const session = host.open([
      user('Go'),
      assistant('I will look.'),
      call('a', 'Read', { file_path: '/p/a.ts' }),
      result('a', prose(500)),
      call('b', 'Bash', { command: 'ls' }),
      result('b', prose(200)),
    ]);
    const { tokens } = inspectSession(session, {
      tokenizer: host.kernel.get(TOKENIZER),
      files: { canonical: (path) => path, display: (path) => path },
    });
    const sum = (shares: Readonly<Record<string, number>>): number =>
      Object.values(shares).reduce((total, share) => total + share, 0);
    expect(Math.abs(sum(tokens.byKind) - tokens.total)).toBeLessThanOrEqual(6);
    expect(Object.keys(tokens.byTool)).toEqual(['Read', 'Bash']);
    expect(sum(tokens.byTool)).toBeCloseTo((tokens.byKind.tool_call ?? 0) + (tokens.byKind.tool_result ?? 0), -1);
    expect(Object.keys(tokens.byKind)[0]).toBe('tool_result');
  });

  test('counts a file as read or written only where the call succeeded', async () => {
    await using host = await start();
    const session = host.open([
      user('Go'),
      call('a', 'Read', { file_path: '/p/a.ts' }),
      { ...result('a', 'no such file'), isError: true } as never,
      call('b', 'Edit', { file_path: '/p/b.ts', old_string: 'x', new_string: 'y' }),
      result('b', 'The file /p/b.ts has been updated.'),
      call('c', 'Read', { file_path: '/p/c.ts' }),
      result('c', 'text'),
      call('d', 'Write', { file_path: '/p/d.ts', content: 'z' }),
    ]);
    const { files, integrity } = inspectSession(session, {
      tokenizer: host.kernel.get(TOKENIZER),
      files: { canonical: (path) => path, display: (path) => path.slice(3) },
    });
    expect(files).toEqual([
      { path: 'c.ts', reads: 1, writes: 0, lastItem: 5 },
      { path: 'b.ts', reads: 0, writes: 1, lastItem: 3 },
    ]);
    expect(integrity).toEqual({ orphanResults: 0, unansweredCalls: 1 });
  });

  test('a tool may have any name', async () => {
    await using host = await start();
    const session = host.open([user('Go'), call('a', '__proto__', {}), result('a', prose(50))]);
    const { tokens } = inspectSession(session, {
      tokenizer: host.kernel.get(TOKENIZER),
      files: { canonical: (path) => path, display: (path) => path },
    });
    expect(Object.entries(tokens.byTool)).toEqual([['__proto__', expect.any(Number)]]);
  });
});

describe('past compactions', () => {
  test('one of our own is told in full, and masked', async () => {
    await using host = await start();
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    const turns = Array.from({ length: 12 }, (_, at) => [
      user(`Step ${String(at)} with token ${secret}`),
      call(`c${String(at)}`, 'Bash', { command: 'make' }),
      result(`c${String(at)}`, prose(1500)),
      assistant('Done.'),
    ]);
    const session = host.open(turns.flat());
    const report = await host.kernel.get(COMPACTION).compact(session, { trigger: 'manual' });
    const [past, ...others] = pastCompactions(session);
    expect(others).toEqual([]);
    expect(past).toMatchObject({
      id: report.id,
      outcome: 'done',
      trigger: 'manual',
      worker: 'offline',
      cutItem: report.plan?.cutItem,
    });
    expect(past?.input).toContain('Step 0');
    expect(past?.calls?.map(({ tool }) => tool)).toContain('write_summary');
    expect(JSON.stringify(past)).not.toContain(secret);
  });

  test('of a foreign one there is what its checkpoint holds', () => {
    const [past] = pastCompactions(sessionOf(item(user('Go')), summary(1, 'claude-code-1')));
    expect(past).toEqual({
      id: 'claude-code-1',
      outcome: 'done',
      trigger: null,
      worker: null,
      cutItem: 1,
      beforeTokens: 900,
      afterTokens: 90,
      input: null,
      calls: null,
      refusals: null,
      summary: 'what was',
      marks: null,
      references: null,
    });
  });

  test('a failed one tells why, and which calls were refused; records of other versions are taken as they are', () => {
    const data = {
      outcome: 'empty-summary',
      reason: 'no summary came',
      calls: [
        { tool: 'mark_read_required', arguments: { path: 'a' }, result: 'Error: budget exhausted', isError: true },
        { tool: 'write_summary', arguments: { text: 'half' }, result: 'Summary taken', isError: false },
        'nonsense',
      ],
    };
    const [past] = pastCompactions(
      sessionOf(
        { t: 'compaction', phase: 'start', compaction: 'x', data: { trigger: 'request' } },
        { t: 'compaction', phase: 'failed', compaction: 'x', data },
      ),
    );
    expect(past).toMatchObject({ outcome: 'empty-summary', trigger: 'request', summary: 'half', cutItem: null });
    expect(past?.calls).toHaveLength(2);
    expect(past?.refusals).toEqual(['mark_read_required: Error: budget exhausted', 'no summary came']);
  });
});
