/** Checkpoints in force and undone (S5.4, S5.5). */
import type { Edit, ItemId, RecordDraft, Session } from '../../core';
import { call, open, read, result, user } from '../support/context';

const checkpoint = (cut: number, edits: readonly Edit[] = [], lead?: ItemId): RecordDraft => ({
  t: 'checkpoint',
  compaction: 'c',
  blocks: [{ kind: 'summary', text: `up to ${String(cut)}` }],
  cut,
  edits,
  before: 0,
  after: 0,
  ...(lead !== undefined && { lead }),
});
const without = (item: ItemId): Edit => ({ edit: 'content', item, text: null });
const items = [user('one'), call('a'), result('a', 'A'), user('two'), call('b'), result('b', 'B'), user('three')];

/** Ids of what is sent; results that lost their content in brackets. */
const sent = (session: Session): readonly string[] =>
  [...read(session).context.items()].map((item) =>
    item.kind === 'tool_result' && item.content === undefined ? `(${item.id})` : item.id,
  );

describe('a checkpoint', () => {
  test('carries its lead over the cut, once', () => {
    expect(sent(open(items, checkpoint(4, [], 'i3')).session)).toEqual(['i3', 'i4', 'i5', 'i6']);
    for (const lead of ['i3', 'i6', 'i99'])
      expect(sent(open(items, checkpoint(3, [], lead)).session)).toEqual(['i3', 'i4', 'i5', 'i6']);
  });

  test('has nothing in front of it: its blocks are system content', () => {
    const { context } = open(items, checkpoint(3), checkpoint(6));
    expect(context.system).toEqual([{ kind: 'block', text: 'up to 6', block: { kind: 'summary', text: 'up to 6' } }]);
    expect(context.length).toBe(1);
  });
});

describe('undoing', () => {
  /** Edits before, between and behind two checkpoints that have edits of their own. */
  function twice(): { readonly session: Session; readonly places: readonly number[] } {
    const { session } = open(items, { t: 'edits', by: 'x', edits: [without('i2')] });
    session.record(checkpoint(1, [without('i5')]));
    const first = session.position;
    session.record(checkpoint(3, [{ edit: 'drop', items: ['i6'] }]));
    return { session, places: [first, session.position] };
  }

  test('the newest checkpoint brings the one before back', () => {
    const { session, places } = twice();
    expect(sent(session)).toEqual(['i3', 'i4', '(i5)']);
    session.record({ t: 'undo', checkpoint: places[1] ?? 0 });
    expect(sent(session)).toEqual(['i1', '(i2)', 'i3', 'i4', '(i5)', 'i6']);
    expect(read(session).projection.checkpoint).toMatchObject({ seq: places[0], cut: 1 });
  });

  test('an earlier one undoes the later ones too; what was kept beside them stays', () => {
    const { session, places } = twice();
    session.record({ t: 'edits', by: 'x', edits: [without('i5')] });
    session.record({ t: 'undo', checkpoint: places[0] ?? 0 });
    expect(sent(session)).toEqual(['i0', 'i1', '(i2)', 'i3', 'i4', '(i5)', 'i6']);
    expect(read(session).projection.checkpoint).toBeUndefined();
  });

  test('what is no checkpoint, or was undone already, changes nothing', () => {
    const { session, places } = twice();
    session.record({ t: 'undo', checkpoint: places[1] ?? 0 });
    const before = sent(session);
    session.record({ t: 'undo', checkpoint: places[1] ?? 0 }, { t: 'undo', checkpoint: 1 });
    expect(sent(session)).toEqual(before);
  });
});
