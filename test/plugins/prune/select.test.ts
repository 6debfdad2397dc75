import fc from 'fast-check';
import type { NewItem } from '../../../core';
import { batchOf, EMPTY_SCAN, scanForPruning } from '../../../plugins/prune/select';
import type { PruneLimits, PruneScan } from '../../../plugins/prune/select';
import { checkIntegrity } from '../../../core/context/integrity';
import { histories } from '../../arbitraries/history';
import { assistant, call, open, prose, read, result, user } from '../../support/context';
import type { Opened } from '../../support/context';

const limits: PruneLimits = { protectedTokens: 1000, minSavings: 500, protectedTools: [] };

const scan = ({ context }: Opened, wish: Partial<PruneLimits> = {}, earlier: PruneScan = EMPTY_SCAN): PruneScan =>
  scanForPruning(context, earlier, { ...limits, ...wish });

const names = (found: PruneScan): readonly string[] => found.candidates.map(({ item }) => item);

describe('pruning', () => {
  const history = [
    user('go'),
    call('a'),
    result('a', prose(900), 'saw a'),
    call('b'),
    result('b', prose(900)),
    call('c'),
    result('c', prose(900)),
  ];

  test('picks results older than the protected tokens, never those of the last reply', () => {
    expect(names(scan(open(history)))).toEqual(['i2']);
    expect(names(scan(open(history), { protectedTokens: 0 }))).toEqual(['i2', 'i4']);
    expect(names(scan(open([...history, assistant('done'), user('next')]), { protectedTokens: 0 }))).toEqual([
      'i2',
      'i4',
      'i6',
    ]);
  });

  test('leaves results below 100 tokens and those without content alone', () => {
    const small = open([
      user('go'),
      call('a'),
      result('a', prose(80)),
      call('b'),
      { kind: 'tool_result', callId: 'b', summary: prose(300) },
      call('c'),
      result('c', 'x'),
    ]);
    expect(names(scan(small, { protectedTokens: 0 }))).toEqual([]);
  });

  test('spares protected tools, also where their call lies before the part that is scanned', () => {
    const todo = open([
      user('go'),
      call('a', 'todo'),
      result('a', prose(900)),
      ...history.slice(1).map((item) => ('callId' in item ? { ...item, callId: `${item.callId}2` } : item)),
    ]);
    expect(names(scan(todo, { protectedTools: ['todo'] }))).toEqual(['i4']);
  });

  test('says tool, size and error in place of the content, and keeps the summary', () => {
    const failed = open([
      user('go'),
      call('a', 'Bash'),
      { ...result('a', prose(900), 'exit 1'), isError: true } as never,
      call('b'),
      result('b', prose(2000)),
    ]);
    expect(scan(failed).candidates[0]?.text).toMatch(/^\[pruned: Bash, 9\d\d tokens, error\] exit 1$/);
  });

  test('makes no batch that saves less than the least', () => {
    const found = scan(open(history));
    expect(batchOf(found, limits).edits).toHaveLength(1);
    expect(batchOf(found, { ...limits, minSavings: 2000 })).toEqual({
      edits: [],
      savedTokens: batchOf(found, limits).savedTokens,
    });
    expect(batchOf(EMPTY_SCAN, { ...limits, minSavings: 0 }).edits).toEqual([]);
  });

  test('does nothing again once its batch is recorded', () => {
    const opened = open(history);
    const { edits } = batchOf(scan(opened), limits);
    opened.session.record({ t: 'edits', by: 'prune', edits });
    expect(names(scan(read(opened.session)))).toEqual([]);
  });

  test('starts anew where the context was rebuilt', () => {
    const opened = open(history);
    const earlier = scan(opened);
    opened.session.record({ t: 'checkpoint', compaction: 'c', blocks: [], cut: 3, edits: [], before: 0, after: 0 });
    expect(names(scan(read(opened.session), { protectedTokens: 0 }, earlier))).toEqual(['i4']);
  });
});

describe('for any history', () => {
  test('scanning as the history grows finds what one scan finds', () => {
    fc.assert(
      fc.property(histories(16), fc.nat(2000), (history, protectedTokens) => {
        const opened = open([]);
        let grown = EMPTY_SCAN;
        for (const { id: _, ...item } of open(history).context.items()) {
          opened.session.append([item as NewItem]);
          grown = scan(read(opened.session), { protectedTokens }, grown);
        }
        const once = names(scan(read(opened.session), { protectedTokens }));
        expect(once.filter((id) => !names(grown).includes(id))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('a batch leaves the context whole and smaller, and no result grows', () => {
    fc.assert(
      fc.property(histories(16), (history) => {
        const opened = open(history);
        const { edits } = batchOf(scan(opened, { protectedTokens: 0 }), { ...limits, minSavings: 1 });
        const after = opened.context.with(edits);
        expect(checkIntegrity(after.items())).toEqual([]);
        expect(after.length).toBe(opened.context.length);
        for (let index = 0; index < after.length; index++)
          expect(after.tokens(index, index + 1)).toBeLessThanOrEqual(opened.context.tokens(index, index + 1));
      }),
    );
  });
});
