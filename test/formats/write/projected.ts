/** A context as the projection of a log gives it, for the tests of the writers. */
import type { ContextView, Item, NewItem, RecordDraft } from '../../../core';
import { Projection } from '../../../core/context/projection';
import { viewOf } from '../../../core/context/segment-view';
import { createSession } from '../../../core/session/log-session';

/** Weighs nothing: no shape but the blocks of a session file tells how many tokens it has. */
const NO_METER = { at: () => ({ tokens: 0, margin: 0, source: 'counted' as const }), between: () => 0, weigh: () => 0 };

/** The context of a log with these records and, behind them, these items. */
export function projected(items: readonly NewItem[], ...drafts: readonly RecordDraft[]): ContextView {
  const session = createSession({ id: 's', now: () => 0 });
  session.record(...drafts);
  session.append(items);
  const projection = new Projection(session);
  for (const record of session.records()) projection.apply(record);
  return viewOf(
    {
      ...projection.share(),
      system: projection.system,
      changes: projection.changes,
      groupOf: (id) => projection.groupOf(id),
    },
    NO_METER,
  );
}

/** The context of items as they are, without the projection's repairs. */
export function asIs(items: readonly NewItem[]): Pick<ContextView, 'system' | 'items'> {
  return {
    system: [],
    items: () => items.map((item, index): Item => ({ ...item, id: item.id ?? `i${String(index)}` })),
  };
}
