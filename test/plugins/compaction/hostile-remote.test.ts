import { COMPACT_POOL, createDiskFiles, defaultService, PithError } from '../../../core';
import type { CompactionReport, ServedCall, Session, ToolResult } from '../../../core';
import { createSentinel } from '../../../core/testing';
import type { CompactJob, WorkerProgress } from '../../../plugins/compaction';
import { compactChannel } from '../../../plugins/compaction/protocol';
import type { CompactAsk } from '../../../plugins/compaction/protocol';
import { folderWith } from '../../files/folder';
import { compact, start, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { summaryOf, USED } from '../../support/worker';
import { FILES, HISTORY } from './llm-kit';
import { errorOf } from './remote-kit';

type Served = ServedCall<WorkerProgress, CompactAsk, ToolResult>;

/** What came of a compaction by somebody who serves the channel with code of their own. */
interface Outcome {
  readonly host: Host;
  readonly session: Session;
  readonly report: CompactionReport;
}

async function compactedBy(
  serve: (call: Served, job: CompactJob) => Promise<unknown>,
  look: (outcome: Outcome) => Promise<void> | void,
  config: object = {},
): Promise<void> {
  await using host = await start({
    config: { compaction: { worker: 'remote', fallback: 'none', retainedTokens: 4000, ...config } },
    services: [defaultService(COMPACT_POOL, () => ({ tenant: 'default', pool: 'default' }))],
    files: createDiskFiles({ root: folderWith({ ...FILES, '.env': 'KEY=1', 'src/long.ts': 'x\n'.repeat(30_000) }) }),
  });
  host.kernel.bus.serve(compactChannel({}), (job, call) => serve(call, job) as Promise<typeof USED>);
  const session = host.open(HISTORY);
  const { digest } = view(session);
  const report = await compact(host, session);
  if (report.outcome !== 'done') expect(view(session).digest).toBe(digest);
  expect(host.events('compaction.done').length + host.events('compaction.failed').length).toBe(1);
  await look({ host, session, report });
}

const write = (call: Served, text = summaryOf('Ported.')): Promise<ToolResult> =>
  call.ask({ tool: 'write_summary', args: { text } });
const { text: planted } = createSentinel('planted');

describe('a dishonest worker in another process', () => {
  test('gets a typed refusal for what is no tool of the job, and the work goes on', async () => {
    const refusals: PithError[] = [];
    const tools = ['run_command', '__proto__', 'constructor', '', 'write_summary\u0000', 'READ_FILE'];
    await compactedBy(
      async (call) => {
        for (const tool of tools) refusals.push(await errorOf(call.ask({ tool, args: { command: 'rm -rf /' } })));
        await write(call);
        return USED;
      },
      ({ report, host }) => {
        expect(report.outcome).toBe('done');
        expect(refusals.map(({ code, details }) => [code, details?.['code']])).toEqual(
          tools.map(() => ['PITH_BUS_REJECTED', 'PITH_BUS_BAD_MESSAGE']),
        );
        expect(host.hooks('pre_tool_call').map(({ call }) => call.name)).toEqual(['write_summary']);
      },
    );
  });

  test('gets a typed refusal for asks that are none', async () => {
    const refusals: PithError[] = [];
    const cycle: Record<string, unknown> = {};
    cycle['inner'] = cycle;
    const asks = [
      { tool: 'write_summary', args: { text: 'x'.repeat(50_000_000) } },
      { tool: 'x'.repeat(1_000_000), args: {} },
      { tool: 'read_file', args: { path: 'a \ud800 b' } },
      { tool: 'read_file', args: cycle },
      { tool: 7, args: {} },
      'read_file',
      null,
    ] as readonly CompactAsk[];
    await compactedBy(
      async (call) => {
        for (const ask of asks) refusals.push(await errorOf(call.ask(ask)));
        await write(call);
        return USED;
      },
      ({ report }) => {
        expect(report.outcome).toBe('done');
        expect(refusals.map(({ code }) => code)).toEqual(asks.map(() => 'PITH_BUS_BAD_MESSAGE'));
        for (const { message } of refusals) expect(message.length).toBeLessThan(1000);
      },
    );
  });

  test('leads nowhere with its paths, and everything it is told about them is an ordinary answer', async () => {
    const answers: ToolResult[] = [];
    const paths = [
      '../../etc/passwd',
      '/etc/passwd',
      '.env',
      'src/../../x',
      `${'../'.repeat(1000)}etc/passwd`,
      'x'.repeat(100_000),
    ];
    await compactedBy(
      async (call) => {
        for (const path of paths)
          for (const tool of ['read_file', 'mark_read_required'])
            answers.push(await call.ask({ tool, args: { path } }));
        await write(call);
        return USED;
      },
      ({ report }) => {
        expect(report).toMatchObject({ outcome: 'done', marks: [] });
        expect(answers).toHaveLength(2 * paths.length);
        for (const { isError, content } of answers) {
          expect(isError).toBe(true);
          expect(JSON.stringify(content ?? '')).not.toContain('root:');
        }
      },
    );
  });

  test('cannot mark more than the budget, whoever counts', async () => {
    await compactedBy(
      async (call) => {
        await call.ask({ tool: 'mark_read_required', args: { path: 'src/long.ts' } });
        await write(call);
        return USED;
      },
      ({ report }) => expect(report).toMatchObject({ outcome: 'done', marks: [] }),
    );
  });

  test('floods nobody with its progress', async () => {
    await compactedBy(
      async (call) => {
        for (let tokens = 0; tokens < 20_000; tokens++) call.progress({ phase: planted, tokens });
        await write(call);
        return USED;
      },
      ({ report, host }) => {
        expect(report.outcome).toBe('done');
        expect(host.events('compaction.progress').map(({ tokens }) => tokens)).toEqual([0, 19_999]);
      },
    );
  });

  test('writes into events and records on one line, and no secrets', async () => {
    const secret = `sk-ant-${planted}`;
    await compactedBy(
      async (call) => {
        call.progress({ phase: `a\n\u001b[2J ${secret}`, tokens: 1, spent: { ...USED, model: `m\n${secret}` } });
        await write(call);
        return { ...USED, model: `m\n\u001b[2J ${secret}` };
      },
      ({ report, host, session }) => {
        expect(report.model).toBe('m [2J sk-ant-[masked]');
        expect(host.events('compaction.progress').map(({ phase }) => phase)).toEqual(['a [2J sk-ant-[masked]']);
        expect(JSON.stringify([[...session.records()], host.heard, host.log])).not.toContain(planted);
      },
    );
  });

  test.each([
    ['progress', (call: Served) => (call.progress({ phase: 'p', tokens: Infinity }), write(call))],
    ['a report', (call: Served) => write(call).then(() => ({ usage: { ...USED.usage, inputTokens: -5 } }))],
    ['nothing', (call: Served) => write(call).then(() => undefined)],
  ])('that sends %s that is none ends as worker-failed', async (_, serve) => {
    await compactedBy(
      async (call) => serve(call),
      ({ report, session }) => {
        expect(report).toMatchObject({ outcome: 'worker-failed', usage: { inputTokens: 0 } });
        expect([...session.records()].filter(({ t }) => t === 'checkpoint')).toEqual([]);
      },
    );
  });

  test('that hands in no summary ends as empty-summary, and one that hands in too much as inflated', async () => {
    await compactedBy(
      () => Promise.resolve(USED),
      ({ report }) => expect(report.outcome).toBe('empty-summary'),
    );
    await compactedBy(
      async (call) => (
        await write(call, summaryOf('word '.repeat(6000))),
        await write(call, summaryOf('word '.repeat(6000))),
        USED
      ),
      ({ report }) => expect(report.outcome).toBe('inflated'),
    );
  });

  test('is answered nothing after its report', async () => {
    let late: Promise<PithError> | undefined;
    await compactedBy(
      async (call) => {
        await write(call);
        setImmediate(() => {
          late = errorOf(write(call, summaryOf(planted)));
        });
        return USED;
      },
      async ({ report, session }) => {
        expect(report.outcome).toBe('done');
        while (late === undefined) await new Promise(setImmediate);
        expect((await late).code).toMatch(/^PITH_BUS_/);
        expect(JSON.stringify([...session.records()])).not.toContain(planted);
      },
    );
  });

  test('that claims to be somebody else, or to be ended, ends its own job alone', async () => {
    for (const code of [
      'PITH_SESSION_CLOSED',
      'PITH_KERNEL_STOPPED',
      'PITH_CANCELLED',
      'PITH_BUS_CANCELLED',
    ] as const) {
      await compactedBy(
        () => Promise.reject(new PithError(code, 'not so')),
        ({ report }) => expect(report.outcome).toBe('worker-failed'),
      );
    }
  });
});
