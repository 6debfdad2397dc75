import fc from 'fast-check';
import type { NewItem } from '../../../core';
import { collapseBlanks } from '../../../plugins/compaction/quotation';
import { parseSummary, stockSummaryFormat, type Summary } from '../../../plugins/compaction/summary-format';
import { offlineWorker } from '../../../plugins/compaction/workers/offline/offline-worker';
import { histories } from '../../arbitraries/history';
import { assistant, call, tokenizer, user } from '../../support/context';
import { openTestDesk, type DeskSetup } from './desk-kit';

let calls = 0;
/** A call and its result. */
function did(
  name: string,
  args: Readonly<Record<string, unknown>>,
  output: string,
  isError = false,
): readonly NewItem[] {
  const callId = `call-${calls++}`;
  const result: NewItem = {
    kind: 'tool_result',
    callId,
    summary: output.split('\n')[0] ?? '',
    content: [{ type: 'text', text: output }],
    ...(isError && { isError }),
  };
  return [call(callId, name, args as never), result];
}
const edited = (file_path: string, new_string = 'export const changed = true;'): readonly NewItem[] =>
  did(
    'Edit',
    { file_path, old_string: 'export const changed = false;', new_string },
    `The file ${file_path} has been updated.`,
  );
const ran = (command: string, output: string, isError = false): readonly NewItem[] =>
  did('Bash', { command }, output, isError);

async function summaryOf(items: readonly NewItem[], setup: DeskSetup = {}): Promise<Summary> {
  const { compact } = await openTestDesk({ items, ...setup });
  return parseSummary((await compact()).summary ?? '');
}
const taskText = (summary: Summary): string =>
  summary.completed.map(({ name, lines }) => [name, ...lines].join('\n')).join('\n');
const activeText = (summary: Summary): string =>
  summary.active.flatMap(({ name, lines }) => [name, ...lines]).join('\n');

const parser = [
  user('Add a CSV parser to src/csv.ts. Always use tabs for indentation.'),
  assistant("I'll use a state machine instead of regular expressions because quotes may hold line breaks."),
  ...did('Write', { file_path: 'src/csv.ts', content: 'export function parseCsv() {}\n' }, 'File created successfully'),
  ...ran('npm test', 'FAIL test/csv.test.ts\nTypeError: rows is not iterable\nTests: 1 failed, 3 passed', true),
  ...edited('src/csv.ts'),
  ...ran('npm test', 'Tests: 4 passed, 4 total'),
  assistant('The parser is in place: `parseCsv` in src/csv.ts reads quoted fields. All 4 tests pass.'),
];
const writer = [
  user('Now write the writer, and never touch package.json.'),
  ...did(
    'TodoWrite',
    {
      todos: [
        { content: 'Write formatCsv', status: 'completed' },
        { content: 'Escape quotes', status: 'in_progress' },
        { content: 'Document it', status: 'pending' },
      ],
    },
    'Todos have been modified',
  ),
  ...edited('src/writer.ts'),
  ...ran('npm run lint', 'src/writer.ts: error: quotes must be escaped', true),
  assistant('Next I will escape the quotes in src/writer.ts.'),
];

describe('the offline worker tells', () => {
  test('finished tasks: what was asked, what was reported, the files and what put errors right', async () => {
    const { completed } = await summaryOf([...parser, ...writer]);
    expect(completed).toHaveLength(1);
    expect(completed[0]?.name).toBe('Add a CSV parser to src/csv.ts');
    const text = completed[0]?.lines.join('\n') ?? '';
    expect(text).toContain('The parser is in place: `parseCsv` in src/csv.ts reads quoted fields.');
    expect(text).toContain('Files: src/csv.ts (written, 1 edit)');
    expect(text).toContain('Solved: npm test: "TypeError: rows is not iterable" → csv.ts');
  });

  test('the active task: the goal in the words of the user, steps done and open, errors that nobody solved, the next step', async () => {
    const summary = await summaryOf([...parser, ...writer]);
    const text = activeText(summary);
    expect(summary.active[0]?.name).toBe('Now write the writer, and never touch package.json');
    expect(text).toContain('Goal: "Now write the writer, and never touch package.json."');
    expect(text).toContain('Done: Write formatCsv');
    expect(text).toContain('Files: src/writer.ts');
    expect(text).toContain('Unsolved: npm run lint: "src/writer.ts: error: quotes must be escaped"');
    expect(text).toContain('Open: Escape quotes; Document it');
    expect(text).toContain('Next: Next I will escape the quotes in src/writer.ts.');
  });

  test('decisions with their reasons, also those that the user took when asked', async () => {
    const asked = did(
      'AskUserQuestion',
      { questions: [{ question: 'Which store?' }] },
      'User has answered your questions: "Which store should be used?"="Redis".',
    );
    const { decisions } = await summaryOf([...parser, ...asked, ...writer]);
    expect(decisions).toContain(
      "I'll use a state machine instead of regular expressions — because quotes may hold line breaks",
    );
    expect(decisions).toContain('Which store should be used? — "Redis"');
  });

  test('no decision that is only thought about or asked', async () => {
    const { decisions } = await summaryOf([
      user('x'),
      assistant(
        'Maybe we could use Redis instead of files because it might be faster.\nShould we use Redis instead of files?',
      ),
      user('y'),
    ]);
    expect(decisions).toEqual([]);
  });

  test('rules of the user verbatim, and the last five short messages whole', async () => {
    const prompts = ['one', 'two', 'three', 'four', 'five'].map((word) => user(`Do step ${word} of the plan`));
    const { directives } = await summaryOf([...parser, ...prompts.flatMap((prompt) => [prompt, assistant('Done.')])]);
    expect(directives).toEqual([
      '"Add a CSV parser to src/csv.ts. Always use tabs for indentation."',
      ...['one', 'two', 'three', 'four', 'five'].map((word) => `"Do step ${word} of the plan"`),
    ]);
  });

  test('of a long message only the sentences that rule something', async () => {
    const long = `${'Here is some background that nobody needs to know about this. '.repeat(20)}Never delete the migrations folder. ${'More background follows here and it goes on for long. '.repeat(20)}`;
    const { directives } = await summaryOf([
      user(long),
      assistant('Understood.'),
      user('Start.'),
      assistant('Started.'),
    ]);
    expect(directives).toEqual(['"Never delete the migrations folder."', '"Start."']);
  });

  test('the current work: the last words, the last action and its outcome', async () => {
    const { current } = await summaryOf([...parser, ...writer]);
    expect(current).toEqual([
      'Next I will escape the quotes in src/writer.ts.',
      'Last: npm run lint → "src/writer.ts: error: quotes must be escaped"',
    ]);
  });

  test('the words of a user whom nobody has answered yet', async () => {
    const { current, active } = await summaryOf([...parser, user('What about Windows line endings?')]);
    expect(current.join('\n')).toContain('User: "What about Windows line endings?"');
    expect(active[0]?.name).toBe('What about Windows line endings?');
  });

  test('a prompt that only says to go on as part of the task before it', async () => {
    const summary = await summaryOf([
      ...parser,
      user('ok, continue'),
      ...edited('src/more.ts'),
      user('thanks!'),
      assistant('You are welcome.'),
    ]);
    expect(summary.completed).toEqual([]);
    expect(summary.active[0]?.name).toBe('Add a CSV parser to src/csv.ts');
    expect(activeText(summary)).toContain('src/more.ts');
  });

  test('finished steps of the plan, where one task fills the whole session', async () => {
    const { completed } = await summaryOf([
      user('Build the whole thing as we discussed it.'),
      ...did(
        'update_plan',
        {
          plan: [
            { step: 'Parse', status: 'in_progress' },
            { step: 'Format', status: 'pending' },
          ],
        },
        'Plan updated',
      ),
      ...edited('src/parse.ts'),
      ...did(
        'update_plan',
        {
          plan: [
            { step: 'Parse', status: 'completed' },
            { step: 'Format', status: 'in_progress' },
          ],
        },
        'Plan updated',
      ),
    ]);
    expect(completed).toEqual([{ name: 'Parse', lines: ['Files: src/parse.ts'] }]);
  });

  test('commits as finished, where there is no plan', async () => {
    const { completed } = await summaryOf([
      user('Fix both bugs in the parser please.'),
      ...edited('src/a.ts'),
      ...ran('git commit -am "fix: empty rows"', '1 file changed'),
      assistant('On to the next.'),
    ]);
    expect(completed).toEqual([{ name: 'fix: empty rows', lines: ['Files: src/a.ts'] }]);
  });

  test('many short prompts as few tasks, each with what else was asked', async () => {
    const prompts = Array.from({ length: 60 }, (_, index) => [
      user(`Please make element number ${index} of the page blue`),
      ...edited(`src/page${Math.floor(index / 10)}.css`),
      assistant(`Element ${index} is blue now.`),
    ]);
    const summary = await summaryOf(prompts.flat());
    expect(summary.completed.length).toBeLessThan(14);
    expect(summary.completed.length).toBeGreaterThan(3);
    expect(taskText(summary)).toContain('src/page4.css');
  });

  test.each([
    [
      'de',
      'Bitte füge den Parser in src/csv.ts ein und ändere nie die Tests, das ist für uns wichtig.',
      'Ich habe mich für Streams entschieden, weil die Dateien groß sind.',
      'Ziel: "',
      'Ich habe mich für Streams entschieden — weil die Dateien groß sind',
      'Dateien: src/csv.ts',
    ],
    [
      'zh',
      '请在 src/csv.ts 中添加解析器，不要修改测试文件。',
      '我决定采用流式处理，因为文件很大。',
      '目标: "',
      '我决定采用流式处理 — 因为文件很大',
      '文件: src/csv.ts',
    ],
    [
      'ru',
      'Добавь парсер в src/csv.ts и никогда не меняй тесты, это очень важно для нас.',
      'Я решил использовать потоки, потому что файлы большие.',
      'Цель: "',
      'Я решил использовать потоки — потому что файлы большие',
      'Файлы: src/csv.ts',
    ],
    [
      'ja',
      'src/csv.ts にパーサーを追加してください。テストは絶対に変更しないでください。',
      'ファイルが大きいためストリームを採用しました。',
      '目標: "',
      undefined,
      'ファイル: src/csv.ts',
    ],
  ])('in the language of the conversation (%s)', async (_, prompt, said, goal, decision, files) => {
    const summary = await summaryOf([user(prompt), assistant(said), ...edited('src/csv.ts')]);
    expect(activeText(summary)).toContain(goal);
    expect(activeText(summary)).toContain(files);
    if (decision !== undefined) expect(summary.decisions).toContain(decision);
    expect(summary.directives).toEqual([`"${prompt}"`]);
  });

  test('files that were deleted as such', async () => {
    const patch = '*** Begin Patch\n*** Delete File: src/old.ts\n*** End Patch';
    const summary = await summaryOf([
      user('Remove the old module.'),
      ...did('apply_patch', { input: patch }, 'Done'),
      assistant('Gone.'),
    ]);
    expect(activeText(summary)).toContain('Files: src/old.ts (deleted)');
  });

  test('nothing of code, diffs and tables', async () => {
    const report = 'It works now.\n```ts\nconst SECRET_CODE = 1;\n```\n| a | b |\n|---|---|\n| cell | cell |';
    const { compact } = await openTestDesk({
      items: [user('Make it work, please.'), ...edited('src/a.ts'), assistant(report), user('Next, document it.')],
    });
    const { summary } = await compact();
    expect(summary).toContain('It works now.');
    expect(summary).not.toMatch(/SECRET_CODE|cell/);
  });

  test('the words of the user without what a harness put around them', async () => {
    const summary = await summaryOf([
      user(
        '<system-reminder>Your todo list is empty.</system-reminder>\nRename the module to core.\n<ide_opened_file>src/x.ts</ide_opened_file>',
      ),
      ...edited('src/core.ts'),
      user(
        '# Context from my IDE setup:\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nNow write the changelog for it.',
      ),
    ]);
    expect(summary.completed[0]?.name).toBe('Rename the module to core');
    expect(summary.active[0]?.name).toBe('Now write the changelog for it');
  });
});

describe('the offline worker carries on an earlier summary', () => {
  const previousSummary = `## Completed Tasks
### Migrate the database
moved to PostgreSQL 16 with migrate.ts; caveat: K-4711 must run first
## Active Task
### Add login
goal: "login with passkeys"
## Key Decisions
- PostgreSQL over SQLite — several writers
## User Directives
- "Never push to main."
## Current Work
writing src/login.ts`;

  const before = [user('Never push to main. Add login with passkeys.'), assistant('Working on it.')];

  test('its tasks, decisions and directives stand in the new one, a newer prompt finishes its active task', async () => {
    const items = [...before, ...parser, ...writer];
    const summary = await summaryOf(items, { from: 2, previousSummary });
    expect(taskText(summary)).toContain(
      'Migrate the database\nmoved to PostgreSQL 16 with migrate.ts; caveat: K-4711 must run first',
    );
    expect(taskText(summary)).toContain('Add login');
    expect(summary.decisions).toContain('PostgreSQL over SQLite — several writers');
    expect(summary.directives.join('\n')).toContain('Never push to main.');
  });

  test('its active task stays active where no prompt has come since', async () => {
    const summary = await summaryOf([...before, ...edited('src/login.ts'), assistant('The passkey is stored.')], {
      from: 2,
      previousSummary,
    });
    expect(summary.active[0]?.name).toBe('Add login');
    expect(activeText(summary)).toContain('login with passkeys');
    expect(activeText(summary)).toContain('The passkey is stored.');
    expect(activeText(summary)).toContain('src/login.ts');
  });

  test('the last five short messages of the user are quoted, also where they were said before it', async () => {
    const { directives } = await summaryOf([...before, ...parser], {
      from: 2,
      previousSummary: 'Passkeys were added.',
    });
    expect(directives).toEqual([
      '"Never push to main. Add login with passkeys."',
      '"Add a CSV parser to src/csv.ts. Always use tabs for indentation."',
    ]);
  });

  test('X23: what it says is not lost over four passes', async () => {
    let items: readonly NewItem[] = before;
    let summary = previousSummary;
    for (let pass = 0; pass < 4; pass++) {
      const from = items.length;
      items = [
        ...items,
        user(`Build part ${pass} of the import, please.`),
        ...edited(`src/part${pass}.ts`),
        assistant(`Part ${pass} is done.`),
      ];
      const { compact } = await openTestDesk({ items, from, previousSummary: summary });
      summary = (await compact()).summary ?? '';
    }
    expect(summary).toContain('K-4711');
    expect(parseSummary(summary).directives.join('\n')).toContain('Never push to main.');
    expect(summary).toContain('PostgreSQL over SQLite');
    for (const pass of [0, 1, 2, 3]) expect(summary).toContain(`Build part ${pass} of the import`);
  });

  test("a summary in a form of its own is carried on as what was earlier, with quotations that are the user's", async () => {
    const foreign =
      'Analysis:\nThe user wants passkeys. The port is 5432 in config/db.ts.\nAll user messages: "Never push to main. Add login" and "something that was never said by anyone"';
    const summary = await summaryOf([...before, ...parser], { from: 2, previousSummary: foreign });
    expect(taskText(summary)).toContain('The port is 5432 in config/db.ts.');
    expect(summary.directives.join()).not.toContain('never said');
  });
});

describe('the offline worker chooses files', () => {
  const source = (count: number, word = 'value'): string =>
    `${Array.from({ length: count }, (_, index) => `export const ${word}${index} = ${index};`).join('\n')}\n`;
  const read = (path: string, rest: Readonly<Record<string, unknown>> = {}): readonly NewItem[] =>
    did('Read', { file_path: path, ...rest }, 'contents');

  test('small ones whole, large ones by windows around what was edited, with the reason', async () => {
    const large = source(3000).replace('export const value1500 = 1500;', 'export function theEditedPlace() {}');
    const { compact } = await openTestDesk({
      items: [
        user('Go.'),
        ...read('small.ts'),
        ...read('large.ts'),
        ...edited('large.ts', 'export function theEditedPlace() {}'),
        assistant('Edited.'),
      ],
      files: { 'small.ts': source(30), 'large.ts': large },
    });
    const { marks } = await compact();
    const place = marks.find(({ path, fromLine, toLine }) => path === 'large.ts' && fromLine <= 1501 && toLine >= 1501);
    expect(place).toMatchObject({ reason: 'edited once, read once, just before' });
    expect(marks.find(({ path }) => path === 'small.ts')).toMatchObject({ fromLine: 1, toLine: 30 });
  });

  test('within the budget, and most of it where there is enough to read', async () => {
    const paths = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.ts`);
    const { compact } = await openTestDesk({
      items: [user('Go.'), ...paths.flatMap((path) => read(path))],
      files: Object.fromEntries(paths.map((path, index) => [path, source(400, `word${index}`)])),
    });
    const desk = await compact();
    expect(desk.markedTokens).toBeLessThanOrEqual(8000);
    expect(desk.markedTokens).toBeGreaterThanOrEqual(4800);
  });

  test('C43: newest first, each omitted file named once, one too large to be read is read in part or named', async () => {
    const sizes = [4, 8, 16, 40, 80, 120, 200, 300, 400, 800, 1500, 6000];
    const paths = sizes.map((_, index) => `f${index}.ts`);
    const { compact } = await openTestDesk({
      items: [user('Go.'), ...paths.flatMap((path) => read(path))],
      files: Object.fromEntries(paths.map((path, index) => [path, source(sizes[index] ?? 1, `word${index}`)])),
    });
    const desk = await compact();
    const marked = [...new Set(desk.marks.map(({ path }) => path))];
    expect(desk.markedTokens).toBeLessThanOrEqual(8000);
    expect(marked.map((path) => paths.indexOf(path))).toEqual(
      [...marked.map((path) => paths.indexOf(path))].sort((a, b) => b - a),
    );
    expect([...marked, ...desk.references.map(({ path }) => path)].sort()).toEqual([...paths].sort());
  });

  test('not the lines that the retained tail shows', async () => {
    const items = [
      user('Go.'),
      ...edited('a.ts'),
      ...edited('b.ts'),
      ...did('Read', { file_path: 'a.ts' }, source(20)),
    ];
    const { compact } = await openTestDesk({ items, to: 5, files: { 'a.ts': source(20), 'b.ts': source(20) } });
    const desk = await compact();
    expect(desk.marks.map(({ path }) => path)).toEqual(['b.ts']);
    expect(desk.references.map(({ path }) => path)).toEqual(['a.ts']);
  });

  test('and names every file that was written, however many', async () => {
    const paths = Array.from({ length: 80 }, (_, index) => `src/file${index}.ts`);
    const { compact } = await openTestDesk({
      items: [user('Go.'), ...paths.flatMap((path) => edited(path))],
      files: {},
    });
    const { references } = await compact();
    expect(references.map(({ path }) => path).sort()).toEqual([...paths].sort());
  });

  test('none where the budget is 0', async () => {
    const { compact } = await openTestDesk({
      items: [user('Go.'), ...edited('a.ts')],
      files: { 'a.ts': source(5) },
      budget: 0,
    });
    const desk = await compact();
    expect(desk.marks).toEqual([]);
    expect(desk.references.map(({ path }) => path)).toEqual(['a.ts']);
  });
});

describe('the offline worker', () => {
  test('stops when it is aborted', async () => {
    const { desk, job } = await openTestDesk({ items: parser });
    const stopped = offlineWorker.run(job, desk, {
      signal: AbortSignal.abort(new Error('enough')),
      progress: () => undefined,
    });
    await expect(stopped).rejects.toThrow('enough');
    expect(desk.summary).toBeUndefined();
  });

  test('uses no model, and says what it is at', async () => {
    const { desk, job } = await openTestDesk({ items: parser });
    const phases: string[] = [];
    const report = await offlineWorker.run(job, desk, {
      signal: new AbortController().signal,
      progress: ({ phase }) => phases.push(phase),
    });
    expect(report).toEqual({
      usage: { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
    });
    expect(phases).toEqual(['reading', 'files', 'summary']);
  });

  const words = (text: string): readonly string[] => text.match(/[\w-]+(?:[./_][\w-]+)+/gu) ?? [];

  test('makes of any history a summary that stands every check, quotes verbatim and names nothing that is not in the log', async () => {
    const cut = fc.integer({ min: 0, max: 100 });
    await fc.assert(
      fc.asyncProperty(histories(30), cut, fc.constantFrom(400, 1200, 4000), async (items, share, summaryMaxTokens) => {
        const to = Math.max(1, Math.floor((items.length * share) / 100));
        if (items.length === 0) return;
        const { compact, session } = await openTestDesk({
          items,
          to,
          summaryMaxTokens,
          files: { 'src/a.ts': 'export {};\n' },
        });
        const desk = await compact();
        const said = [...session.items()].flatMap((item) =>
          item.kind === 'message' && item.role === 'user'
            ? [
                collapseBlanks(
                  item.parts
                    .map((part) => (part.type === 'text' ? part.text : ''))
                    .join('\n')
                    .toWellFormed(),
                ),
              ]
            : [],
        );
        const facts = {
          maxTokens: summaryMaxTokens,
          countText: (text: string) => tokenizer.countText(text),
          isQuoted: (quotation: string) => said.some((message) => message.includes(collapseBlanks(quotation))),
        };
        expect(stockSummaryFormat.check(desk.summary ?? '', facts)).toEqual([]);
        const log = JSON.stringify([...session.items()]);
        for (const word of words(desk.summary ?? ''))
          expect(log.includes(word) || log.includes(JSON.stringify(word).slice(1, -1))).toBe(true);
        const again = await openTestDesk({ items, to, summaryMaxTokens, files: { 'src/a.ts': 'export {};\n' } });
        expect((await again.compact()).summary).toBe(desk.summary);
        expect(again.desk.marks).toEqual(desk.marks);
      }),
      { numRuns: 60 },
    );
  });

  test('lets others run: a long history is worked on in many slices', async () => {
    const items = Array.from({ length: 150 }, (_, index) => [
      user(`Do ${index}`),
      ...ran(`make part${index}`, 'ok\n'.repeat(200)),
      assistant(`Did ${index}.`),
    ]).flat();
    const { compact } = await openTestDesk({ items });
    let slices = 0;
    let done = false;
    const turn = (): void => {
      slices++;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    await compact();
    done = true;
    expect(slices).toBeGreaterThan(10);
  });
});
