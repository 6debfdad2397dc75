import { blockOf, openFile } from '../../../plugins/compaction/auto-read';
import { callTool, createDiskFiles, createSession, defineTool } from '../../../core';
import type { Json } from '../../../core';
import { openTestDesk } from '../compaction/desk-kit';
import { tokenizer } from '../../support/context';

const REMINDER = 'Budget half consumed. Consider calling write_summary soon.';
const EXHAUSTED =
  'Error: auto-read budget exhausted (8000 tokens). Remove an existing mark or use add_reference instead.';
const lines = (count: number, word = 'const value'): string =>
  `${Array.from({ length: count }, (_, index) => `${word}${index} = ${index};`).join('\n')}\n`;
const files = {
  'src/small.ts': lines(20),
  'src/middle.ts': lines(400),
  'src/large.ts': lines(1500),
  'src/other.ts': lines(300, 'let other'),
};

describe('the auto-read budget at the desk', () => {
  test('ends the result of each mark with what remains', async () => {
    const { call, desk } = await openTestDesk({ files });
    const { text, isError } = await call('mark_read_required', { path: 'src/small.ts' });
    expect(isError).toBe(false);
    expect(text).toMatch(/\nMarked\. Budget: \d+\/8000 tokens remaining$/);
    expect(text).toContain(`${8000 - desk.markedTokens}/8000`);
  });

  test('counts the very text that is injected, header included', async () => {
    const { desk, call, root } = await openTestDesk({ files });
    await call('mark_read_required', { path: 'src/small.ts', offset: 5, limit: 10 });
    const file = await openFile('src/small.ts', { files: createDiskFiles({ root }) });
    if (typeof file === 'string') throw new Error(file);
    const block = blockOf(file, { fromLine: 5, toLine: 14 });
    expect(block.text).toMatch(/^\[Auto-read file: src\/small\.ts:5-14\]\nconst value4 = 4;\n/);
    expect(desk.markedTokens).toBe(tokenizer.countText(block.text));
  });

  test('refuses a mark beyond the budget, records nothing of it, and the run goes on', async () => {
    const { call, desk } = await openTestDesk({ files });
    expect(await call('mark_read_required', { path: 'src/large.ts' })).toEqual({ text: EXHAUSTED, isError: true });
    expect(desk.marks).toEqual([]);
    expect((await call('mark_read_required', { path: 'src/small.ts' })).isError).toBe(false);
  });

  test('counts overlapping marks of one file once', async () => {
    const { call, desk } = await openTestDesk({ files });
    await call('mark_read_required', { path: 'src/middle.ts', offset: 1, limit: 100 });
    const once = desk.markedTokens;
    await call('mark_read_required', { path: './src/middle.ts', offset: 50, limit: 51 });
    expect(desk.markedTokens).toBe(once);
    await call('mark_read_required', { path: 'src/middle.ts', offset: 101, limit: 10 });
    expect(desk.marks.map(({ fromLine, toLine }) => [fromLine, toLine])).toEqual([[1, 110]]);
  });

  test('reminds once at half, with the next result of any tool', async () => {
    const { call } = await openTestDesk({ files, budget: 5000 });
    const mark = await call('mark_read_required', { path: 'src/middle.ts' });
    expect(mark.text).toMatch(/Marked\. Budget: \d+\/5000 tokens remaining$/);
    expect((await call('read_file', { path: 'src/small.ts' })).text.endsWith(`\n${REMINDER}`)).toBe(true);
    expect((await call('read_file', { path: 'src/small.ts' })).text).not.toContain(REMINDER);
  });

  test('an unmark above half arms the reminder again', async () => {
    const { call } = await openTestDesk({ files, budget: 5000 });
    await call('mark_read_required', { path: 'src/middle.ts' });
    await call('read_file', { path: 'src/small.ts' });
    expect((await call('unmark_read_required', { path: 'src/middle.ts' })).text).toMatch(
      /Budget: 5000\/5000 tokens remaining$/,
    );
    await call('mark_read_required', { path: 'src/middle.ts' });
    expect((await call('search_history', { query: 'x' })).text.endsWith(REMINDER)).toBe(true);
  });

  test('0 tokens are legal and mean no auto-read', async () => {
    const { call, desk } = await openTestDesk({ files, budget: 0 });
    const { text, isError } = await call('mark_read_required', { path: 'src/small.ts' });
    expect(isError).toBe(true);
    expect(text).toBe(
      'Error: auto-read budget exhausted (0 tokens). Remove an existing mark or use add_reference instead.',
    );
    expect(desk.marks).toEqual([]);
    expect((await call('add_reference', { path: 'src/small.ts' })).isError).toBe(false);
  });

  test('marks made at once keep the budget together', async () => {
    const { call, desk } = await openTestDesk({ files, budget: 4000 });
    const results = await Promise.all(
      ['src/middle.ts', 'src/other.ts', 'src/small.ts'].map((path) => call('mark_read_required', { path })),
    );
    expect(results.some(({ isError }) => isError)).toBe(true);
    expect(desk.markedTokens).toBeLessThanOrEqual(4000);
  });

  test('a file that cannot be marked costs nothing and says why', async () => {
    const { call, desk } = await openTestDesk({ files });
    expect(await call('mark_read_required', { path: 'src/none.ts' })).toEqual({
      text: 'src/none.ts does not exist; it cannot be marked.',
      isError: true,
    });
    expect(await call('mark_read_required', { path: 'src/small.ts', offset: 500 })).toEqual({
      text: 'src/small.ts has no such lines; it has 20 lines.',
      isError: true,
    });
    expect(desk.markedTokens).toBe(0);
  });

  test.each<[string, Json]>([
    ['no object', null],
    ['a list', []],
    ['no path', { offset: 1 }],
    ['a path that is no text', { path: 5 }],
    ['line 0', { path: 'src/large.ts', offset: 0 }],
    ['half a line', { path: 'src/large.ts', offset: 1.5 }],
    ['a line that is no number', { path: 'src/large.ts', offset: '1' }],
    ['a line before the first', { path: 'src/large.ts', offset: -5, limit: 10_000 }],
    ['no lines', { path: 'src/large.ts', limit: 0 }],
    ['less than no lines', { path: 'src/large.ts', offset: 1400, limit: -1000 }],
  ])('leaves it to the tool to refuse arguments with %s', async (_, args) => {
    const [budgeted, free] = [await openTestDesk({ files }), await openTestDesk({ files, budget: null })];
    const refused = await free.call('mark_read_required', args);
    expect(refused.isError).toBe(true);
    expect(await budgeted.call('mark_read_required', args)).toEqual(refused);
  });

  test('counts a range from the first line on like any other', async () => {
    const { call } = await openTestDesk({ files });
    const refused = { text: EXHAUSTED, isError: true };
    expect(await call('mark_read_required', { path: 'src/large.ts', offset: 1, limit: 1400 })).toEqual(refused);
    expect((await call('mark_read_required', { path: 'src/large.ts', offset: 1, limit: 1 })).isError).toBe(false);
  });

  test('says nothing where nothing is to be said, and never fails', async () => {
    const { call, kernel } = await openTestDesk({ files });
    const failures: unknown[] = [];
    kernel.bus.on('plugin.error', (event) => failures.push(event));
    for (const path of ['src/small.ts', 'src/none.ts']) await call('mark_read_required', { path });
    expect((await call('read_file', { path: 'src/none.ts' })).text).toBe('src/none.ts does not exist.');
    expect(failures).toEqual([]);
  });

  test('has nothing to say to a worker that has no desk here', async () => {
    const { kernel } = await openTestDesk({ files });
    const failures: unknown[] = [];
    kernel.bus.on('plugin.error', (event) => failures.push(event));
    const tool = defineTool({
      name: 'mark_read_required',
      description: '',
      input: { type: 'object' },
      kind: 'state',
      roles: ['compact-worker'],
      run: () => 'marked elsewhere',
    });
    const call = {
      id: 'i',
      kind: 'tool_call',
      callId: 'c',
      name: tool.name,
      arguments: { path: 'src/large.ts' },
    } as const;
    const session = createSession({ id: 'other', now: () => 0 });
    const { signal } = new AbortController();
    const { result } = await callTool(kernel, { session, role: 'compact-worker', call, tools: [tool], signal });
    expect([result.summary, failures]).toEqual(['marked elsewhere', []]);
  });

  test('is declared, so that jobs and checkpoints know it; without the plugin marks are not bounded by it', async () => {
    expect((await openTestDesk({ files, budget: 1234 })).job.limits.autoReadBudget).toBe(1234);
    const { call } = await openTestDesk({ files, budget: null });
    const { text, isError } = await call('mark_read_required', { path: 'src/large.ts' });
    expect(isError).toBe(false);
    expect(text).toMatch(/^src\/large\.ts:1-1500, \d+ tokens\.$/);
  });
});
