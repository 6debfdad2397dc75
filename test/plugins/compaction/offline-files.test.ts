import fc from 'fast-check';
import type { NewItem } from '../../../core';
import type { Interest, RankedFile, ShownLines } from '../../../plugins/compaction/workers/offline/file-rank';
import {
  fittingLines,
  guessedWindows,
  seenFile,
  tokensOf,
  wantedLines,
  windowsOf,
} from '../../../plugins/compaction/workers/offline/windows';
import { assistant, call, tokenizer, user } from '../../support/context';
import { openTestDesk, type DeskSetup } from './desk-kit';

const BUDGET = 8000;

/** A file of numbered lines, about 6 tokens each. */
const lineAt = (number: number): string => `const value${number} = ${number};`;
const seenLines = (count: number, from = 1) =>
  seenFile(new Map(Array.from({ length: count }, (_, at) => [from + at, lineAt(from + at)] as const)), true);
const read = (fromLine?: number, toLine?: number): Interest => ({ edited: false, fromLine, toLine, anchors: [] });
const edit = (line: number): Interest => ({
  edited: true,
  fromLine: undefined,
  toLine: undefined,
  anchors: [lineAt(line)],
});
const ranked = (interests: readonly Interest[], shown: readonly ShownLines[] = []): RankedFile => ({
  path: 'a.ts',
  score: 1,
  reason: undefined,
  edited: false,
  interests,
  shown,
});
const span = (lines: readonly number[]): readonly (number | undefined)[] => [lines[0], lines.at(-1), lines.length];

describe('the lines that are wanted of a file', () => {
  const large = seenLines(3000);

  test('are all of a small one, and of one most of which was looked at', () => {
    expect(span(wantedLines(ranked([read(3, 5)]), seenLines(30), BUDGET))).toEqual([1, 30, 30]);
    expect(span(wantedLines(ranked([read(1, 100)]), seenLines(150), BUDGET))).toEqual([1, 150, 150]);
  });

  test('are of a large one those that were read, and those around what was edited', () => {
    const lines = wantedLines(ranked([edit(1500), read(10, 40)]), large, BUDGET);
    expect(windowsOf(large, lines)).toEqual([
      { fromLine: 10, toLine: 40 },
      { fromLine: 1485, toLine: 1525 },
    ]);
  });

  test('are joined where few lines lie between', () => {
    const lines = wantedLines(ranked([read(10, 40), read(48, 60), read(90, 99)]), large, BUDGET);
    expect(windowsOf(large, lines)).toEqual([
      { fromLine: 10, toLine: 60 },
      { fromLine: 90, toLine: 99 },
    ]);
  });

  test('are all where it was read without bounds, and where nothing of what was looked at is there any more', () => {
    expect(wantedLines(ranked([read()]), large, BUDGET)).toHaveLength(3000);
    expect(wantedLines(ranked([edit(9999)]), large, BUDGET)).toHaveLength(3000);
  });

  test('are not those that the retained tail shows, unless what stands there is too little to be them', () => {
    const shown = { fromLine: 20, toLine: Infinity, tokens: 200 };
    expect(span(wantedLines(ranked([read()], [shown]), seenLines(30), BUDGET))).toEqual([1, 19, 19]);
    expect(wantedLines(ranked([read()], [{ ...shown, tokens: 10 }]), seenLines(30), BUDGET)).toHaveLength(30);
  });
});

describe('lines for which there is not enough room', () => {
  test('are those that were looked at last, then those from the top', () => {
    const seen = seenLines(400);
    const file = ranked([edit(300), read(1, 50)]);
    const lines = fittingLines(file, seen, wantedLines(ranked([read()]), seen, 1e6), 700);
    expect(windowsOf(seen, lines)).toMatchObject([{ fromLine: 1 }, { fromLine: 285, toLine: 325 }]);
    expect(span(fittingLines(file, seen, lines, 100)).slice(0, 1)).toEqual([285]);
  });

  const interests = fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 500 }).map(edit),
      fc.tuple(fc.integer({ min: 1, max: 500 }), fc.nat(200)).map(([from, length]) => read(from, from + length)),
      fc.constant(read()),
    ),
    { maxLength: 8 },
  );
  const shown = fc.array(
    fc.record({
      fromLine: fc.integer({ min: 1, max: 400 }),
      toLine: fc.integer({ min: 1, max: 500 }),
      tokens: fc.nat(3000),
    }),
    { maxLength: 3 },
  );

  test('fit, are some of the wanted ones, and stand in windows that never overlap', () => {
    fc.assert(
      fc.property(
        interests,
        shown,
        fc.integer({ min: 1, max: 450 }),
        fc.integer({ min: 0, max: 4000 }),
        (looked, tail, count, room) => {
          const seen = seenLines(count, 20);
          const file = ranked(looked, tail);
          const wanted = wantedLines(file, seen, BUDGET);
          const lines = fittingLines(file, seen, wanted, room);
          expect(tokensOf(seen, lines)).toBeLessThanOrEqual(room);
          expect(wanted).toEqual(expect.arrayContaining([...lines]));
          expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b));
          let last = 0;
          for (const { fromLine, toLine } of windowsOf(seen, lines)) {
            expect(fromLine).toBeGreaterThan(last);
            expect(toLine).toBeGreaterThanOrEqual(fromLine);
            last = toLine;
          }
        },
      ),
    );
  });
});

test('a file that the desk does not show is guessed at where it was read, or at its beginning', () => {
  expect(guessedWindows(ranked([read(500, 520), read(510, 600), read()]), 3)).toEqual([
    { fromLine: 500, toLine: 520 },
    { fromLine: 1, toLine: 160 },
  ]);
});

describe('the offline worker reads again', () => {
  let calls = 0;
  const did = (name: string, args: object, output = 'done', isError = false): readonly NewItem[] => {
    const callId = `c${calls++}`;
    const result: NewItem = {
      kind: 'tool_result',
      callId,
      summary: output,
      content: [{ type: 'text', text: output }],
      ...(isError && { isError }),
    };
    return [call(callId, name, args as never), result];
  };
  const reads = (path: string, rest: object = {}) => did('Read', { file_path: path, ...rest });
  const edits = (path: string, line = 1) =>
    did('Edit', { file_path: path, old_string: 'none', new_string: lineAt(line) });
  const source = (count: number): string => `${Array.from({ length: count }, (_, at) => lineAt(at + 1)).join('\n')}\n`;
  const marksOf = async (setup: DeskSetup) => {
    const { compact } = await openTestDesk(setup);
    const desk = await compact();
    return { desk, paths: [...new Set(desk.marks.map(({ path }) => path))] };
  };

  test('what was touched again and again before what was looked at once, and says so', async () => {
    const { desk } = await marksOf({
      items: [
        user('Go.'),
        ...reads('often.ts'),
        ...edits('often.ts'),
        ...edits('often.ts'),
        ...['a', 'b', 'c'].flatMap((name) => reads(`${name}.ts`)),
      ],
      files: { 'often.ts': source(90), 'a.ts': source(90), 'b.ts': source(90), 'c.ts': source(90) },
      budget: 1000,
    });
    expect(desk.marks.filter(({ fromLine, toLine }) => toLine - fromLine === 89)).toMatchObject([
      { path: 'often.ts', reason: 'edited 2 times, read once, last 3 calls ago' },
    ]);
  });

  test('what the newest messages, the plan and an error name', async () => {
    const { desk } = await marksOf({
      items: [
        user('Go.'),
        ...reads('src/first.ts'),
        ...reads('src/second.ts'),
        ...reads('src/third.ts'),
        ...Array.from({ length: 40 }, () => did('Bash', { command: 'ls' })).flat(),
        ...did('TodoWrite', { todos: [{ content: 'Test first.ts', status: 'pending' }] }),
        ...did('Bash', { command: 'npm test' }, 'FAIL src/second.ts\nError: no', true),
        assistant('Next I look at third.ts.'),
      ],
      files: { 'src/first.ts': source(9), 'src/second.ts': source(9), 'src/third.ts': source(9) },
    });
    expect(Object.fromEntries(desk.marks.map(({ path, reason }) => [path, reason]))).toEqual({
      'src/first.ts': 'read once, last 44 calls ago; named in the plan',
      'src/second.ts': 'read once, last 43 calls ago; named in an error',
      'src/third.ts': 'read once, last 42 calls ago; named in the newest messages',
    });
  });

  test('several small files rather than one large one that is needed no more', async () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => `${name}.ts`);
    const { paths } = await marksOf({
      items: [user('Go.'), ...names.flatMap((path) => reads(path)), ...reads('large.ts')],
      files: { ...Object.fromEntries(names.map((path) => [path, source(60)])), 'large.ts': source(400) },
      budget: 2200,
    });
    expect(paths).toEqual(expect.arrayContaining(names));
  });

  test('the rest of a large file where there is room for it', async () => {
    const { desk } = await marksOf({
      items: [user('Go.'), ...edits('large.ts', 500)],
      files: { 'large.ts': source(900) },
      budget: 20_000,
    });
    expect(desk.marks).toMatchObject([{ path: 'large.ts', fromLine: 1, toLine: 900 }]);
  });

  test('the places of a file of before the summarised part, as that was looked at then', async () => {
    const { desk } = await marksOf({
      items: [
        user('Go.'),
        ...reads('large.ts', { offset: 2000, limit: 30 }),
        ...edits('other.ts', 40),
        user('Go on.'),
        assistant('Yes.'),
      ],
      from: 5,
      previousSummary: '## Current Work\n- Going on.',
      files: { 'large.ts': source(3000), 'other.ts': source(900) },
      budget: 1200,
    });
    const place = (path: string, line: number) =>
      desk.marks.find((mark) => mark.path === path && mark.fromLine <= line && line <= mark.toLine);
    expect(place('large.ts', 2000)).toMatchObject({
      fromLine: 2000,
      toLine: 2029,
      reason: 'read once, last a call ago',
    });
    expect(place('other.ts', 40)?.toLine).toBeGreaterThanOrEqual(65);
  });

  test('nearly as much as the budget has, and never more, whatever the files and their sizes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ lines: fc.integer({ min: 1, max: 900 }), isEdited: fc.boolean() }), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.integer({ min: 0, max: 9000 }),
        async (given, budget) => {
          const paths = given.map((_, index) => `f${index}.ts`);
          const files = Object.fromEntries(given.map(({ lines }, index) => [`f${index}.ts`, source(lines)]));
          const items = given.flatMap(({ lines, isEdited }, index) =>
            isEdited ? edits(`f${index}.ts`, Math.ceil(lines / 2)) : reads(`f${index}.ts`),
          );
          const { desk } = await marksOf({ items: [user('Go.'), ...items], files, budget });
          const all = Object.values(files).reduce((sum, text) => sum + tokenizer.countText(text), 0);
          expect(desk.markedTokens).toBeLessThanOrEqual(budget);
          expect(desk.markedTokens).toBeGreaterThanOrEqual(Math.min(budget * 0.9 - 150, all * 0.9));
          const known = [...desk.marks.map(({ path }) => path), ...desk.references.map(({ path }) => path)];
          expect(new Set(known)).toEqual(new Set(paths));
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('references of the offline worker', () => {
  const touched = (count: number, tool: 'Read' | 'Edit'): readonly NewItem[] =>
    Array.from({ length: count }, (_, index) => {
      const args = {
        file_path: `src/folder/file${index}.ts`,
        ...(tool === 'Edit' && { old_string: 'a', new_string: 'b' }),
      };
      const result: NewItem = { kind: 'tool_result', callId: `r${index}`, summary: 'done' };
      return [call(`r${index}`, tool, args), result];
    }).flat();

  test('stand in the order of need, with reasons for as many as 300 tokens take', async () => {
    const { compact } = await openTestDesk({ items: [user('Go.'), ...touched(60, 'Edit')], files: {} });
    const { references } = await compact();
    expect(references).toHaveLength(60);
    expect(references[0]).toEqual({ path: 'src/folder/file59.ts', note: 'edited once, just before' });
    expect(references[1]).toEqual({ path: 'src/folder/file58.ts', note: 'edited once, last a call ago' });
    const reasoned = references.filter(({ note }) => note !== undefined);
    expect(references.slice(0, reasoned.length)).toEqual(reasoned);
    expect(reasoned.length).toBeGreaterThanOrEqual(10);
    expect(tokenizer.countText(reasoned.map(({ path, note }) => `- ${path} (${note})`).join('\n'))).toBeLessThanOrEqual(
      300,
    );
  });

  test('end with names alone, of files that were only read as many as another 300 tokens take', async () => {
    const { compact } = await openTestDesk({ items: [user('Go.'), ...touched(200, 'Read')], files: {} });
    const { references } = await compact();
    expect(tokenizer.countText(references.map(({ path }) => `- ${path}`).join('\n'))).toBeLessThanOrEqual(600);
    expect(references.length).toBeGreaterThanOrEqual(30);
  });
});
