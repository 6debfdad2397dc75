/** Random walks through what may happen to a session: growth, edits, pins, compactions and their undoing, in any order. */
import fc from 'fast-check';
import { createContext, createSession } from '../../core';
import type { Edit, Session, SessionContext } from '../../core';
import { checkIntegrity } from '../../core/context/integrity';
import { planCompaction } from '../../plugins/compaction/plan';
import { histories } from '../arbitraries/history';
import { tokenizer } from '../support/context';
import { refusals } from '../support/counter';

const place = fc.nat(100);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('append' as const), items: histories(8) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('compact' as const),
      retainedTokens: fc.constantFrom(0, 20, 100, 500, 2000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), back: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('content' as const),
      place,
      text: fc.constantFrom(null, '', 'edited', '\ud800 odd'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('insert' as const),
      place,
      role: fc.constantFrom('user' as const, 'assistant' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pin' as const), place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function take(session: Session, context: SessionContext, one: Step): void {
  const view = context.view();
  const groups = view.groups();
  const at = 'place' in one && view.length > 0 ? one.place % view.length : undefined;
  const item = at === undefined ? undefined : view.at(at);
  switch (one.do) {
    case 'append':
      return void session.append(one.items);
    case 'turn':
      return session.record({ t: 'turn', phase: 'start', turn: 1 });
    case 'compact':
      return compact(session, context, one.retainedTokens);
    case 'undo': {
      const made = [...session.records()].filter(({ t }) => t === 'checkpoint').at(-1 - one.back);
      if (made !== undefined) session.record({ t: 'undo', checkpoint: made.seq });
      return;
    }
    case 'pin':
      if (item !== undefined && session.indexOf(item.id) !== undefined) context.pin(item.id);
      return;
    case 'content':
      return item && keep(context, { edit: 'content', item: item.id, text: one.text });
    case 'insert':
      return (
        item &&
        keep(context, {
          edit: 'insert',
          before: item.id,
          item: { kind: 'message', role: one.role, parts: [{ type: 'text', text: 'inserted' }] },
        })
      );
    case 'drop': {
      if (at === undefined) return;
      const group = groups.findLastIndex((start) => start <= at);
      const items = [...view.items(groups[group], groups[group + 1])].map(({ id }) => id);
      return keep(context, { edit: 'drop', items });
    }
  }
}

/** Keeps an edit, or sees it refused; what it leads to is what was foretold. */
function keep(context: SessionContext, edit: Edit): void {
  try {
    const foretold = context.view().with([edit]).digest;
    context.keep([edit], 'somebody');
    expect(context.view().digest).toBe(foretold);
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'PITH_EDIT_INVALID' });
  }
}

/** Compacts as far as there is something to summarise; the new context is as planned and foreseen, and can be undone. */
function compact(session: Session, context: SessionContext, retainedTokens: number): void {
  const before = context.view();
  const plan = planCompaction({
    context: before,
    retainedTokens,
    seen: context.seen(),
    openings: context.openings(),
    session,
    tokenizer,
  });
  if (plan === undefined) return;
  const tail = new Map([...before.items(plan.cut)].map((item) => [item.id, tokenizer.countItems([item])]));
  const checkpoint = {
    compaction: 'c',
    blocks: [{ kind: 'summary', text: 'What was done.' }],
    cut: plan.cutItem,
    ...(plan.lead !== undefined && { lead: plan.lead }),
    edits: plan.edits,
    before: 0,
    after: 0,
  };
  const { digest } = before;
  const foreseen = context.foresee(checkpoint);
  session.record({ t: 'checkpoint', ...checkpoint });
  const after = context.view();
  expect(foreseen.digest).toBe(after.digest);
  expect(foreseen.occupancy().tokens).toBeCloseTo(after.occupancy().tokens, 3);
  const kept = [...after.items(after.length - plan.retained.items)];
  for (const item of kept) expect(tokenizer.countItems([item])).toBeLessThanOrEqual(tail.get(item.id) ?? -1);
  const ids = new Set([...after.items()].map(({ id }) => id));
  for (const item of before.items(plan.cut)) if (item.kind !== 'reasoning') expect(ids.has(item.id)).toBe(true);
  const { position } = session;
  session.record({ t: 'undo', checkpoint: position });
  expect(context.view().digest).toBe(digest);
  session.record({ t: 'checkpoint', ...checkpoint });
  expect(context.view().digest).toBe(foreseen.digest);
}

test('whatever happens to a session, its context is whole, takes each item once, and is the same when it is read anew', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
      const session = createSession({ id: 's', now: () => 0 });
      const live = createContext(session, { tokenizer });
      for (const one of steps) {
        take(session, live, one);
        const view = live.view();
        expect(checkIntegrity(view.items())).toEqual([]);
        expect(refusals(view)).toEqual([]);
        expect(new Set([...view.items()].map(({ id }) => id)).size).toBe(view.length);
        const anew = createContext(session, { tokenizer }).view();
        expect(anew.digest).toBe(view.digest);
        expect(anew.occupancy().tokens).toBeCloseTo(view.occupancy().tokens, 3);
      }
    }),
  );
});
