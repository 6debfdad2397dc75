/** Random sessions with records of all kinds, played on a live session so that edits and checkpoints meet what is there. */
import fc from 'fast-check';
import { CONTEXT } from '../../core';
import type { NewItem, RecordDraft, Session } from '../../core';
import { histories } from './history';

/** One step of a session; numbers from 0 to 1 choose what it is about. */
export type SessionStep =
  | { readonly do: 'append'; readonly items: readonly NewItem[] }
  | { readonly do: 'record'; readonly draft: RecordDraft }
  | { readonly do: 'turn' | 'prune' | 'drop' | 'compact'; readonly at: number }
  | { readonly do: 'undo' };

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const draft: fc.Arbitrary<RecordDraft> = fc.oneof(
  fc.record({ t: fc.constant('settings' as const), system: fc.lorem({ maxCount: 3 }), model: fc.constant('gpt-5') }),
  fc.record({ t: fc.constant('pin' as const), text: fc.lorem({ maxCount: 3 }) }),
  fc.nat(50_000).map((inputTokens): RecordDraft => ({ t: 'usage', usage: { inputTokens, outputTokens: 10 } })),
  fc.record({
    t: fc.constant('run' as const),
    outcome: fc.constantFrom('finished' as const, 'yielded' as const, 'aborted' as const, 'failed' as const),
  }),
  fc.record({
    t: fc.constant('state' as const),
    namespace: fc.constantFrom('a', 'b'),
    value: fc.jsonValue({ maxDepth: 2 }),
  }) as fc.Arbitrary<RecordDraft>,
  fc.record({
    t: fc.constant('compaction' as const),
    phase: fc.constantFrom('start' as const, 'done' as const, 'failed' as const),
    compaction: fc.constant('c'),
    data: fc.constant({}),
  }),
);

const step: fc.Arbitrary<SessionStep> = fc.oneof(
  { weight: 4, arbitrary: histories(3).map((items): SessionStep => ({ do: 'append', items })) },
  { weight: 3, arbitrary: draft.map((record): SessionStep => ({ do: 'record', draft: record })) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('turn' as const, 'prune' as const, 'drop' as const, 'compact' as const),
      at: share,
    }),
  },
  { weight: 1, arbitrary: fc.constant<SessionStep>({ do: 'undo' }) },
);

/** Sessions of up to `maxLength` steps. */
export function sessionSteps(maxLength = 12): fc.Arbitrary<readonly SessionStep[]> {
  return fc.array(step, { maxLength });
}

/** Does one step; what does not fit the session as it is does nothing. */
export function play(session: Session, one: SessionStep): void {
  const context = session.get(CONTEXT);
  const view = context.view();
  switch (one.do) {
    case 'append':
      return void session.append(one.items);
    case 'record':
      return session.record(one.draft);
    case 'turn':
      return session.record(
        session.turnOpen
          ? { t: 'turn', phase: 'end', turn: session.turn }
          : { t: 'turn', phase: 'start', turn: session.turn + 1 },
      );
    case 'prune': {
      const results = [...view.items()].filter(
        (item) => item.kind === 'tool_result' && session.indexOf(item.id) !== undefined,
      );
      const result = results[Math.floor(one.at * results.length)];
      if (result !== undefined) context.keep([{ edit: 'content', item: result.id, text: null }], 'prune');
      return;
    }
    case 'drop': {
      const starts = [...view.groups(), view.length];
      const group = Math.floor(one.at * (starts.length - 1));
      const items = [...view.items(starts[group] ?? 0, starts[group + 1] ?? 0)].filter(
        ({ id }) => session.indexOf(id) !== undefined,
      );
      if (items.length > 0) context.keep([{ edit: 'drop', items: items.map(({ id }) => id) }], 'third-party');
      return;
    }
    case 'compact': {
      const cut = Math.floor(one.at * (session.itemCount + 1));
      const blocks = [{ kind: 'summary', text: `Up to ${cut}.` }];
      return session.record({ t: 'checkpoint', compaction: 'c', blocks, cut, edits: [], before: 0, after: 0 });
    }
    case 'undo':
      return void session.undoCompaction();
  }
}
