/** What counts as needed behind a cut, and what counts as held by a context. */
import fc from 'fast-check';
import type { Item } from '../../core';
import { repetitions } from '../bench/continuity/corpus';
import { cutsOf, horizonOf } from '../bench/continuity/cuts';
import { directivesHeld, isSaid } from '../bench/continuity/directives';
import { fileNeedOf } from '../bench/continuity/file-need';
import { shownAgain } from '../bench/continuity/file-lines';
import { wordsOf } from '../bench/continuity/item-text';
import { namesNeeded, pastOf, standing } from '../bench/continuity/name-need';
import { commandsOf } from '../bench/continuity/names';
import { assistant, call, result, user } from '../support/context';

/** Items with ids, as a session would give them. */
const items = (...list: readonly object[]): readonly Item[] =>
  list.map((item, at) => ({ id: `i${String(at)}`, ...item }) as Item);

const numbered = (lines: readonly string[], from = 1): string =>
  lines.map((line, at) => `${String(from + at).padStart(6)}→${line}`).join('\n');

const readCall = (id: string, args: object = {}): object => ({
  ...call(id),
  name: 'Read',
  arguments: { file_path: '/w/a.ts', ...args },
});
const editCall = (id: string, old: string, fresh: string): object => ({
  ...call(id),
  name: 'Edit',
  arguments: { file_path: '/w/a.ts', old_string: old, new_string: fresh },
});

const FILE = Array.from({ length: 30 }, (_, at) => `const value${String(at + 1)} = ${String(at)};`);
const SEEN = items(readCall('r1'), result('r1', numbered(FILE)));

describe('lines that were needed', () => {
  const numbersOf = async (...after: readonly object[]): Promise<readonly number[]> => {
    const { lines } = await fileNeedOf(SEEN, items(...after), '/w');
    return [...(lines.get('/w/a.ts')?.keys() ?? [])];
  };

  test('are known ones that a read shows again', async () => {
    const again = await numbersOf(readCall('r2', { offset: 5, limit: 3 }), result('r2', numbered(FILE.slice(4, 7), 5)));
    expect(again).toEqual([5, 6, 7]);
  });

  test('keep their numbers of before when an edit above has moved them', async () => {
    const moved = ['// one', '// two', ...FILE];
    const again = await numbersOf(
      editCall('e', 'const value1 = 0;', '// one\n// two\nconst value1 = 0;'),
      result('e', 'done'),
      readCall('r2', { offset: 10, limit: 2 }),
      result('r2', numbered(moved.slice(9, 11), 10)),
    );
    expect(again).toEqual([1, 8, 9]);
  });

  test('are those that an edit replaces, also where it names a part of a line', async () => {
    expect(await numbersOf(editCall('e', 'value4 = 3', 'value4 = 5'), result('e', 'done'))).toEqual([4]);
    expect(await numbersOf(editCall('e', 'value4 = 3;\nconst value5', 'x'), result('e', 'done'))).toEqual([4, 5]);
  });

  test('are those that a rewrite keeps', async () => {
    const write = {
      ...call('w'),
      name: 'Write',
      arguments: { file_path: '/w/a.ts', content: FILE.slice(0, 2).join('\n') },
    };
    expect(await numbersOf(write, result('w', 'done'))).toEqual([1, 2]);
  });

  test('are none of what failed, or was not known', async () => {
    expect(await numbersOf(editCall('e', 'value4 = 3', 'x'), { ...result('e', 'no match'), isError: true })).toEqual(
      [],
    );
    expect(await numbersOf(readCall('r2', { file_path: '/w/b.ts' }), result('r2', numbered(FILE)))).toEqual([]);
  });

  test('of a whole file are found again whatever was put in between (property)', () => {
    const line = fc.string({ minLength: 3, maxLength: 12 }).map((text) => `x${text.trim()}`);
    fc.assert(
      fc.property(fc.uniqueArray(line, { minLength: 1, maxLength: 30 }), fc.nat(29), fc.nat(6), (lines, at, more) => {
        const known = new Map(lines.map((text, index) => [index + 1, text.trim()]));
        const fresh = Array.from({ length: more }, (_, index) => `new ${String(index)}`);
        const now = [...lines.slice(0, at), ...fresh, ...lines.slice(at)];
        expect(shownAgain(known, 1, now)).toEqual([...known.keys()]);
      }),
    );
  });
});

describe('a read that could have been avoided', () => {
  const rereadsOf = async (...after: readonly object[]) => (await fileNeedOf(SEEN, items(...after), '/w')).rereads;

  test('shows nothing that was not known before the cut or written since', async () => {
    const again = await rereadsOf(
      editCall('e', 'const value1 = 0;', 'const first = 0;'),
      result('e', 'done'),
      readCall('r2'),
      result('r2', numbered(['const first = 0;', ...FILE.slice(1)])),
    );
    expect(again).toMatchObject([{ path: '/w/a.ts', lines: { length: 29 } }]);
  });

  test('is not one that shows new lines, nor the second one of the same lines', async () => {
    const fresh = [...FILE.slice(0, 10), 'new one', 'new two'];
    expect(await rereadsOf(readCall('r2'), result('r2', numbered(fresh)))).toEqual([]);
    const twice = [readCall('r2'), result('r2', numbered(FILE)), readCall('r3'), result('r3', numbered(FILE))];
    expect(await rereadsOf(...twice)).toHaveLength(1);
  });
});

describe('names that were needed', () => {
  const before = items(
    assistant('The parser splits the header with parseFrame before anything is stored.'),
    readCall('r1', { file_path: '/w/frame.ts' }),
    result(
      'r1',
      numbered(['export function parseFrame(bytes: Uint8Array): Frame {', '  return splitHeader(bytes);', '}']),
    ),
  );
  const needed = (...after: readonly object[]) =>
    namesNeeded({ past: pastOf(before, '/w'), after: items(...after), system: 'You are called longName.', root: '/w' });

  test('are those that are said again, not those of the system prompt or shown in between', () => {
    const after = [
      assistant('Now parseFrame, and longName.'),
      call('c'),
      result('c', 'splitHeader'),
      assistant('And splitHeader.'),
    ];
    expect(needed(...after).map(({ name }) => name)).toEqual(['parseFrame']);
  });

  const [parseFrame] = needed(assistant('parseFrame'));
  test.each([
    ['in a list of bare names', 'Names: abcDef, parseFrame, splitHeader, zetaMap', 'bare'],
    ['nowhere', 'Nothing of the kind.', 'absent'],
    ['as part of another name only', 'It calls reparseFrameAgain.', 'absent'],
    ['in its line of code', 'export function parseFrame(bytes: Uint8Array): Frame {', 'found'],
    ['with words that it stood with', 'The function parseFrame splits what is stored.', 'found'],
    ['in a line that begins with its file', '- src/frame.ts: abcDef, parseFrame', 'found'],
    ['in a line that begins with another file', '- src/other.ts: abcDef, parseFrame', 'bare'],
  ])('that stand %s', (_, text, expected) => {
    expect(standing(parseFrame!, text, text)).toBe(expected);
  });

  test('may be paths from the folder of the session on', () => {
    const [path] = needed({ ...call('x'), name: 'Bash', arguments: { command: 'cat /w/frame.ts' } });
    expect(path).toMatchObject({ kind: 'path' });
    expect(standing(path!, '- frame.ts', '- frame.ts')).toBe('found');
  });

  test('are commands as they are given, without filters and changes of the folder', () => {
    const shell = items({
      ...call('x'),
      name: 'Bash',
      arguments: { command: 'cd /w && npm run "a && b" 2>&1 | tail -3; ls' },
    });
    expect(commandsOf(shell[0]!).map(({ name }) => name)).toEqual(['npm run "a && b" 2>&1']);
  });
});

describe('directives that hold', () => {
  const before = items(
    user('Please port the module to the new store. Never touch the generated files in there.'),
    assistant('Done.'),
    user('Now write the tests for all of it, please.'),
  );
  const held = (later: readonly Item[], isTurnEnd: boolean) =>
    directivesHeld(before, later, { isTurnEnd }).map(({ sentence, because }) => [sentence, because]);

  test('are those of the prompt that is worked on, and those that are said again', () => {
    const later = items(assistant('As agreed I never touch the generated files.'));
    expect(held(later, false)).toEqual([
      ['Never touch the generated files in there.', 'said again'],
      ['Now write the tests for all of it, please.', 'active'],
    ]);
    expect(held(later, true)).toEqual([['Never touch the generated files in there.', 'said again']]);
  });

  test('are held by a context that says them, whatever stands between the words', () => {
    const [directive] = directivesHeld(before, [], { isTurnEnd: false });
    const words = (text: string) => ` ${wordsOf(text).join(' ')} `;
    expect(isSaid(directive!, words('> Now *write* the tests\nfor all of it - please'))).toBe(true);
    expect(isSaid(directive!, words('Tests are to be written for all of it.'))).toBe(false);
  });
});

describe('cuts', () => {
  const session = (list: readonly Item[]) => ({
    name: 's',
    format: 'f',
    items: list,
    system: '',
    records: list.map((item) => ({ t: 'item' as const, item })),
  });

  test('lie between requests, with 15 file operations before and 10 behind them, and far enough apart (property)', () => {
    const step = fc.constantFrom('read', 'other', 'say', 'user', 'two');
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
        const list = items(
          ...steps.flatMap((kind, at): readonly object[] => {
            const id = `c${String(at)}`;
            if (kind === 'read') return [readCall(id), result(id, 'x')];
            if (kind === 'other') return [call(id), result(id, 'x')];
            if (kind === 'two') return [readCall(id), readCall(`${id}b`), result(id, 'x'), result(`${id}b`, 'x')];
            return [kind === 'say' ? assistant('x') : user('x')];
          }),
        );
        const operations = (of: readonly Item[]) =>
          of.filter((item) => item.kind === 'tool_call' && item.name === 'Read').length;
        const cuts = cutsOf(session(list), { every: 8, atLeast: 20, tokensOf: () => 1 });
        for (const [at, cut] of cuts.entries()) {
          const [past, next] = [list.slice(0, cut.items), list.slice(cut.items)];
          expect(operations(past)).toBeGreaterThanOrEqual(15);
          expect(operations(next)).toBeGreaterThanOrEqual(10);
          expect(cut.tokens - (cuts[at - 1]?.tokens ?? 0)).toBeGreaterThanOrEqual(4);
          const answered = new Set(past.flatMap((item) => (item.kind === 'tool_result' ? [item.callId] : [])));
          for (const item of past) if (item.kind === 'tool_call') expect(answered).toContain(item.callId);
        }
      }),
    );
  });

  test('look ahead over a number of calls with their results', () => {
    const list = items(
      assistant('a'),
      call('1'),
      call('2'),
      result('1', 'x'),
      result('2', 'y'),
      assistant('b'),
      call('3'),
    );
    expect(horizonOf(list, 2)).toEqual(list.slice(0, 6));
    expect(horizonOf(list, 1)).toEqual([list[0], list[1]]);
  });

  test('are not made in stretches that repeat what stands in the session before', () => {
    const once = Array.from({ length: 12 }, (_, at) => `item ${String(at)}`);
    expect(repetitions(once).size).toBe(0);
    expect([...repetitions([...once, 'new', ...once])]).toEqual(Array.from({ length: 12 }, (_, at) => 13 + at));
  });
});
