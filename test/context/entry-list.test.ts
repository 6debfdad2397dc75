/** How a context follows its log: what it says of its changes, and what keeps its worth. */
import { createContext } from '../../core';
import type { Edit, NewItem, Session } from '../../core';
import { Projection } from '../../core/context/projection';
import { createSession } from '../../core/session/log-session';
import { assistant, call, open, result, tokenizer, user } from '../support/context';

const of = (reply: string, item: NewItem): NewItem => ({ ...item, reply });

/** A projection that is asked what changed after each step. */
function followed(): { readonly session: Session; changes(): ReturnType<Projection['takeChanges']> } {
  const session = createSession({ id: 's', now: () => 0 });
  const projection = new Projection(session);
  let next = 0;
  return {
    session,
    changes() {
      for (const record of session.records(next)) projection.apply(record);
      next = session.position + 1;
      return projection.takeChanges();
    },
  };
}

describe('a projection says what changed', () => {
  const only = (from: number): object => ({ from, rebuilt: false, fixed: false });

  test('entry by entry, from the first one that is not what it was', () => {
    const { session, changes } = followed();
    expect(changes()).toEqual(only(0));
    session.append([user('go'), of('r', call('a'))]);
    expect(changes()).toEqual(only(0));
    expect(changes()).toEqual(only(3));
    session.append([of('r', call('b'))]);
    expect(changes()).toEqual(only(2));
    session.append([result('b', 'B')]);
    expect(changes()).toEqual(only(3));
    session.append([result('a', 'A')]);
    expect(changes()).toEqual(only(4));
    session.append([assistant('done')]);
    expect(changes()).toEqual(only(5));
  });

  test('by several edits: from the first of them', () => {
    const { session, changes } = followed();
    session.append([user('go'), call('a'), result('a', 'A'), user('more'), call('b'), result('b', 'B'), user('on')]);
    changes();
    const edits: readonly Edit[] = ['i5', 'i2', 'i6'].map((item) => ({ edit: 'content', item, text: 'x' }));
    for (const edit of edits) session.record({ t: 'edits', by: 'x', edits: [edit] });
    expect(changes()).toEqual(only(2));
    session.record({ t: 'edits', by: 'x', edits: [{ edit: 'drop', items: ['unknown'] }] });
    expect(changes()).toEqual(only(7));
  });

  test('of system content and by checkpoints', () => {
    const { session, changes } = followed();
    session.append([user('go'), assistant('ok')]);
    changes();
    session.record({ t: 'settings', model: 'm' });
    expect(changes()).toEqual({ from: 2, rebuilt: false, fixed: true });
    session.record({ t: 'pin', text: 'RULES' });
    expect(changes()).toEqual({ from: 2, rebuilt: false, fixed: true });
    session.record({ t: 'checkpoint', compaction: 'c', blocks: [], cut: 1, edits: [], before: 0, after: 0 });
    expect(changes()).toEqual({ from: 0, rebuilt: true, fixed: false });
    expect(changes()).toEqual(only(1));
    session.record({ t: 'undo', checkpoint: session.position });
    expect(changes()).toMatchObject({ from: 0, rebuilt: true });
  });
});

test('the newest reply starts where what it answered ends', () => {
  const starts = (...items: readonly NewItem[]): number => open(items).projection.replyStart;
  expect(starts()).toBe(0);
  expect(starts(user('go'))).toBe(0);
  expect(starts(user('go'), call('a'), result('a', 'A'))).toBe(1);
  expect(starts(user('go'), call('a'), result('a', 'A'), assistant('ok'))).toBe(3);
});

describe('digests', () => {
  const said = Array.from({ length: 150 }, (_, index) => user(`message ${String(index)}`));
  const edit = (item: string): Edit => ({ edit: 'content', item, text: 'changed' });

  test('follow every change of what was digested before', () => {
    const { session } = open(said);
    const context = createContext(session, { tokenizer });
    const seen = new Set([context.view().digest]);
    for (const item of ['i140', 'i70', 'i3', 'i64', 'i63']) {
      context.keep([edit(item)], 'x');
      const { digest } = context.view();
      expect(digest).toBe(createContext(session, { tokenizer }).view().digest);
      seen.add(digest);
    }
    expect(seen.size).toBe(6);
  });

  test('of a view that is held stay what they were, and are of no other', () => {
    const { session } = open(said);
    const context = createContext(session, { tokenizer });
    const { digest } = createContext(session, { tokenizer }).view();
    const held = context.view();
    context.keep([edit('i70')], 'x');
    const newer = context.view();
    expect(held.digest).toBe(digest);
    expect(newer.digest).toBe(createContext(session, { tokenizer }).view().digest);
    expect(newer.digest).not.toBe(digest);
  });
});
