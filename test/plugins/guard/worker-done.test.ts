import type { Item, Json, NewItem } from '../../../core';
import { SUMMARY_FINAL, SUMMARY_TAKEN } from '../../../plugins/compaction/tokens';
import { workerDone } from '../../../plugins/guard/worker-done';
import { assistant, call, result, user } from '../../support/context';

let calls = 0;

/** A call of a tool, and what came of it. */
function called(name: string, args: Json, summary = 'Done.', isError = false): readonly NewItem[] {
  const id = `c${calls++}`;
  return [call(id, name, args), { ...result(id, '', summary), ...(isError && { isError }) }];
}

const mark = (path: string, isError = false) => called('mark_read_required', { path }, 'Marked.', isError);
const unmark = (path: string, isError = false) => called('unmark_read_required', { path }, 'No longer.', isError);
const summary = (said: string, isError = false) => called('write_summary', { text: '…' }, said, isError);
const after = (...items: readonly (NewItem | readonly NewItem[])[]) => workerDone(items.flat() as readonly Item[]);

describe('what a compact worker has done (S3.5)', () => {
  test('is nothing at first, whatever was said or read', () => {
    const nothing = { hasSummary: false, isFinal: false, hasMark: false };
    expect(after()).toEqual(nothing);
    expect(
      after(user(SUMMARY_TAKEN), assistant(SUMMARY_FINAL), called('read_file', { path: 'a' }, SUMMARY_TAKEN)),
    ).toEqual(nothing);
    expect(after(result('unknown', '', SUMMARY_TAKEN))).toEqual(nothing);
  });

  test('is a mark, once one was taken and as long as one is left', () => {
    expect(after(mark('a', true)).hasMark).toBe(false);
    expect(after(mark('a')).hasMark).toBe(true);
    expect(after(mark('a'), mark('a'), unmark('a')).hasMark).toBe(false);
    expect(after(mark('a'), mark('b'), unmark('a')).hasMark).toBe(true);
    expect(after(mark('a'), unmark('a', true)).hasMark).toBe(true);
    expect(after(mark('a'), called('read_file', { path: 'a' })).hasMark).toBe(true);
    expect(after(called('read_file', { path: 'a' })).hasMark).toBe(false);
  });

  test('is a summary, once one was taken, with or without faults', () => {
    expect(after(summary('Your summary is empty.', true)).hasSummary).toBe(false);
    expect(after(summary(`I say: ${SUMMARY_TAKEN}`)).hasSummary).toBe(false);
    expect(after(summary(`${SUMMARY_TAKEN}, 9 tokens.`)).hasSummary).toBe(true);
    expect(after(summary(`${SUMMARY_TAKEN}, 9 tokens. It cannot be used:\n- x`, true)).hasSummary).toBe(true);
    expect(after(summary(`${SUMMARY_TAKEN}, 9 tokens.`), summary('Empty.', true)).hasSummary).toBe(true);
  });

  test('is final where the desk says so of the newest summary, whatever was called after it', () => {
    const last = summary(`${SUMMARY_TAKEN}, 9 tokens. It cannot be used:\n- x\n${SUMMARY_FINAL}`, true);
    expect(after(last).isFinal).toBe(true);
    expect(after(last, mark('a'), called('read_file', { path: 'a' }), called('none', {})).isFinal).toBe(true);
    expect(after(last, summary(`${SUMMARY_TAKEN}, 9 tokens.`)).isFinal).toBe(false);
    expect(after(summary(`${SUMMARY_FINAL} Or is it?`)).isFinal).toBe(false);
  });

  test('is no mark where the arguments were none at all', () => {
    expect(after(called('mark_read_required', null, 'Which file?', true)).hasMark).toBe(false);
  });
});
