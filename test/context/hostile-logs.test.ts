/** Logs whose records are of the right shape and make no sense, as a fault or a hand may have written them. */
import fc from 'fast-check';
import { createContext, createSession } from '../../core';
import type { Edit, RecordDraft } from '../../core';
import { checkIntegrity } from '../../core/context/integrity';
import { histories } from '../arbitraries/history';
import { call, result, tokenizer, user } from '../support/context';
import { refusals } from '../support/counter';

const id = fc.oneof(
  fc.nat(40).map((number) => `i${String(number)}`),
  fc.constantFrom('end', '', '__proto__', 'i3!', 'i5+0'),
);
const inserted = fc.constantFrom(
  user('inserted'),
  user(''),
  user('\ud800'),
  call('inserted'),
  result('inserted', 'x'),
  { kind: 'message' as const, role: 'system' as const, parts: [] },
);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ edit: fc.constant('drop' as const), items: fc.array(id, { maxLength: 4 }) }),
  fc.record({ edit: fc.constant('content' as const), item: id, text: fc.constantFrom(null, '', 'x', '\ud800') }),
  fc.record({ edit: fc.constant('insert' as const), before: id, item: inserted }),
);
const edits = fc.array(edit, { maxLength: 3 });
const block = fc.record({ kind: fc.constantFrom('summary', 'other'), text: fc.constantFrom('', 'so far', '\udc00') });

const records: fc.Arbitrary<readonly RecordDraft[]> = fc.oneof(
  { weight: 4, arbitrary: histories(4).map((items) => items.map((item) => ({ t: 'item' as const, item }))) },
  { weight: 1, arbitrary: edits.map((list) => [{ t: 'edits' as const, by: 'x', edits: list }]) },
  {
    weight: 1,
    arbitrary: fc
      .record({
        blocks: fc.array(block, { maxLength: 2 }),
        cut: fc.oneof(fc.nat(60), fc.constant(1e9)),
        lead: id,
        edits,
      })
      .map((made) => [{ t: 'checkpoint' as const, compaction: 'c', before: 0, after: 0, ...made }]),
  },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 30 }).map((checkpoint) => [{ t: 'undo' as const, checkpoint }]) },
  { weight: 1, arbitrary: id.map((item) => [{ t: 'pin' as const, item }]) },
  {
    weight: 1,
    arbitrary: fc
      .nat(5)
      .map((turn) => [{ t: 'turn' as const, phase: turn % 2 === 0 ? ('start' as const) : ('end' as const), turn }]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(5000), fc.integer({ min: -5, max: 50 }))
      .map(([inputTokens, entries]) => [{ t: 'usage' as const, usage: { inputTokens }, on: { entries } }]),
  },
);

test('a log of any records gives a context that is whole, has a size, and can be edited on', () => {
  fc.assert(
    fc.property(fc.array(records, { maxLength: 12 }), (parts) => {
      const session = createSession({ id: 's', now: () => 0 });
      session.append([user('go')]);
      session.record(...parts.flat());
      session.append([user('and now'), call('last'), result('last', 'content')]);
      const context = createContext(session, { tokenizer });
      const view = context.view();
      const { tokens, margin } = view.occupancy();
      expect([Number.isFinite(tokens), Number.isFinite(margin)]).toEqual([true, true]);
      expect(checkIntegrity(view.items())).toEqual([]);
      expect(refusals(view)).toEqual([]);
      expect(createContext(session, { tokenizer }).view().digest).toBe(view.digest);
      for (const item of view.items()) {
        if (item.kind !== 'tool_result' || session.indexOf(item.id) === undefined) continue;
        context.keep([{ edit: 'content', item: item.id, text: 'pruned' }], 'prune');
      }
      const sent = [...context.view().items()].filter(
        (item) => item.kind === 'tool_result' && session.indexOf(item.id) !== undefined,
      );
      expect(
        sent.every(
          (item) =>
            item.kind === 'tool_result' && item.content?.[0]?.type === 'text' && item.content[0].text === 'pruned',
        ),
      ).toBe(true);
    }),
  );
});
