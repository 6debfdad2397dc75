import fc from 'fast-check';
import picocolors from 'picocolors';
import { widthOf } from '../../core/cli/display-width';
import { compactionLine, compactionRow, skippedLine } from '../../core/cli/run-compaction';
import { cacheRate, statusLine } from '../../core/cli/run-status';
import { argumentRows, callTitle, resultLine } from '../../core/cli/tool-lines';
import { Transcript } from '../../core/cli/transcript';
import { createTerminal } from '../../core/cli/terminal';
import type { AgentEvent } from '../../core';

const colours = picocolors.createColors(false);
const limits = { contextWindow: 128_000, maxOutput: 8_000, source: 'user' } as const;

describe('the line about the context', () => {
  const status = { limits, model: 'm', usages: [] };

  test('marks what was not measured, and is of the input window', () => {
    const occupancy = { tokens: 60_000, margin: 0 };
    expect(statusLine({ ...status, occupancy: { ...occupancy, source: 'measured' } })).toBe(
      '60,000 of 120,000 tokens (50%), m',
    );
    for (const source of ['interpolated', 'extrapolated', 'offset', 'counted'] as const)
      expect(statusLine({ ...status, occupancy: { ...occupancy, source } })).toMatch(/^~60,000 of/);
  });

  test('tells how much of the input of the newest requests the cache served, where the provider tells', () => {
    expect(cacheRate([])).toBeUndefined();
    expect(cacheRate([{ inputTokens: 100 }])).toBeUndefined();
    expect(
      cacheRate([
        { inputTokens: 100, cacheReadTokens: 50 },
        { inputTokens: 300, cacheReadTokens: 300 },
      ]),
    ).toBe(0.875);
    const old = Array.from({ length: 20 }, () => ({ inputTokens: 1000, cacheReadTokens: 0 }));
    expect(cacheRate([...old, ...Array.from({ length: 5 }, () => ({ inputTokens: 10, cacheReadTokens: 10 }))])).toBe(1);
    expect(
      statusLine({
        ...status,
        occupancy: { tokens: 1, margin: 0, source: 'measured' },
        usages: [{ inputTokens: 200, cacheReadTokens: 174 }],
      }),
    ).toContain(', cache 87%, ');
  });
});

describe('the lines of tool calls', () => {
  test('name what the call is about', () => {
    expect(callTitle({ name: 'run_command', arguments: { timeout_seconds: 3, cwd: 'x', command: 'npm\n test' } })).toBe(
      'run_command npm test',
    );
    expect(callTitle({ name: 'search', arguments: { limit: 3, what: 'needle' } })).toBe('search needle');
    expect(callTitle({ name: 'todo', arguments: { todos: [] } })).toBe('todo');
    expect(callTitle({ name: 'odd', arguments: 'not JSON' })).toBe('odd not JSON');
    expect(callTitle({ name: 'odd', arguments: null })).toBe('odd');
  });

  test('fit on one row, whatever a tool says of itself', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 40, max: 120 }),
        fc.boolean(),
        (argument, summary, columns, isError) => {
          const call = {
            kind: 'tool_call',
            id: 'i',
            callId: 'c',
            name: 'look',
            arguments: { path: argument },
          } as const;
          const line = resultLine(call, { summary, isError }, 1234, { columns, colours });
          expect(line).not.toMatch(/[\n\u001b]/);
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
          expect(line.startsWith(isError ? '✗ look' : '✓ look')).toBe(true);
        },
      ),
    );
  });

  test('show all arguments before a call runs, long ones in a few rows', () => {
    const content = Array.from({ length: 40 }, (_, at) => `line ${String(at)}`).join('\n');
    const rows = argumentRows({ path: 'a.txt', times: 2, content }, 60);
    expect(rows.slice(0, 4)).toEqual(['path: a.txt', 'times: 2', 'content:', '  line 0']);
    expect(rows.at(-1)).toBe('  … 28 more rows');
    expect(argumentRows('plain', 60)).toEqual(['plain']);
    expect(argumentRows(['a', 1], 60)).toEqual(['["a",1]']);
  });
});

describe('the lines of compactions', () => {
  const named = { session: 's', compaction: 'c', trigger: 'request' } as const;
  const usage = { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  const end = {
    ...named,
    worker: 'llm',
    usage,
    before: 72_425,
    marks: 0,
    references: 0,
    durationsMs: { plan: 1, worker: 2, apply: 3, total: 1240 },
  };

  test('say what is under way', () => {
    expect(compactionRow({ ...named, worker: 'llm', before: 9, summarised: { items: 3, tokens: 5000 } })).toBe(
      'compacting between requests: 5,000 tokens to summarise, llm worker',
    );
    expect(compactionRow({ ...named, trigger: 'post_run', phase: 'files', tokens: 1200, budgetLeft: 4200 })).toBe(
      'compacting between turns: files, 1,200 tokens used, 4,200 tokens of files left',
    );
    expect(compactionRow({ ...named, trigger: 'overflow', phase: 'summary', tokens: 0 })).toBe(
      'compacting after an overflow: summary',
    );
  });

  test('say how it ended, and why nothing came of it', () => {
    expect(compactionLine({ ...end, outcome: 'done', after: 30_720 }, colours)).toBe(
      'compacted 72,425 → 30,720 tokens  between requests, llm worker, 1.24 s',
    );
    expect(compactionLine({ ...end, outcome: 'empty-summary', reason: 'It wrote\nnothing.' }, colours)).toBe(
      'compaction: empty summary, the context stays as it was\n  between requests, llm worker, 1.24 s\n  It wrote nothing.',
    );
    expect(skippedLine({ ...named, outcome: 'nothing-to-do', before: 3, reason: 'There is nothing.' }, colours)).toBe(
      'compaction: nothing to do\n  There is nothing.',
    );
  });
});

describe('a transcript', () => {
  function shown(events: readonly AgentEvent[]): { readonly text: string; readonly transcript: Transcript } {
    let text = '';
    const stream = { isTTY: false, write: (more: string) => void (text += more) };
    const transcript = new Transcript({
      columns: 60,
      terminal: createTerminal({ out: stream, err: stream, env: {} }),
      changed: () => undefined,
      write: (more) => void (text += more),
    });
    for (const event of events) transcript.show(event);
    return { text, transcript };
  }

  test('says that what came of a reply is void when it is asked for again', () => {
    const { text } = shown([
      { type: 'turn', turn: 1 },
      { type: 'text', text: 'Half a rep' },
      { type: 'retry', attempt: 1, delayMs: 2000, reason: 'The connection broke.' },
      { type: 'text', text: 'A whole reply.' },
      { type: 'end', end: { outcome: 'finished', text: 'A whole reply.' } },
    ]);
    expect(text).toBe(
      'Half a rep\n\nThe connection broke. What came of the reply is void; trying again in 2.00 s.\n\nA whole reply.\n',
    );
  });

  test('shows the calls that run, with what they tell of themselves', () => {
    const call = (at: number) =>
      ({
        kind: 'tool_call',
        id: `i${String(at)}`,
        callId: `c${String(at)}`,
        name: 'look',
        arguments: { path: `${String(at)}.txt` },
      }) as const;
    const { transcript } = shown([
      { type: 'turn', turn: 1 },
      ...[1, 2, 3, 4, 5, 6].map((at) => ({ type: 'tool-call', call: call(at) }) as const),
    ]);
    transcript.progress('c2', 'half\nway');
    transcript.progress('unknown', 'nothing');
    const rows = transcript.rows();
    expect(rows.map((row) => row.replace(/\d+ s$/, 'N s'))).toEqual([
      '⋯ look 1.txt  N s',
      '⋯ look 2.txt  half way  N s',
      '⋯ look 3.txt  N s',
      '⋯ look 4.txt  N s',
      'and 2 more calls',
    ]);
  });

  test('shows the end of what is being thought, and nothing when no turn runs', () => {
    const { transcript } = shown([
      { type: 'turn', turn: 1 },
      { type: 'reasoning', text: 'word '.repeat(500) },
      { type: 'reasoning', text: 'the newest' },
    ]);
    const [row = ''] = transcript.rows();
    expect(row).toMatch(/^…\S* (?:word )+the newest {2}\d+ s$/);
    expect(widthOf(row)).toBeLessThanOrEqual(60);
    transcript.show({ type: 'end', end: { outcome: 'aborted', text: '' } });
    expect(transcript.rows()).toEqual([]);
  });

  test('says how a turn ended', () => {
    const end = (one: Extract<AgentEvent, { type: 'end' }>['end']): string =>
      shown([
        { type: 'turn', turn: 1 },
        { type: 'end', end: one },
      ]).text;
    expect(end({ outcome: 'finished', text: '' })).toBe('(no answer)\n');
    expect(end({ outcome: 'aborted', text: '', reason: 'Enough.' })).toBe('aborted: Enough.\n');
    expect(end({ outcome: 'aborted', text: '' })).toBe('aborted\n');
  });
});
