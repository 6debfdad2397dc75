/** A session and its context, counted by the real tokenizer without any calibration: one token is one token. */
import type { ContextView, NewItem, RecordDraft, Session } from '../../core';
import { Projection } from '../../core/context/projection';
import { viewOf } from '../../core/context/segment-view';
import { createSession } from '../../core/session/log-session';
import { createTiktoken } from '../../core/tokens/tiktoken';

export {
  assistantMessage as assistant,
  prose,
  toolCall as call,
  toolResult as result,
  userMessage as user,
} from '../../core/testing';

export const tokenizer = createTiktoken();

export interface Opened {
  readonly session: Session;
  readonly projection: Projection;
  readonly context: ContextView;
}

/** Opens a session with these items and records. */
export function open(items: readonly NewItem[], ...drafts: readonly RecordDraft[]): Opened {
  const session = createSession({ id: 's', now: () => 0 });
  session.append(items);
  session.record(...drafts);
  return read(session);
}

/** Projects a session as it is now; a context may take more or fewer tokens than its parts are counted with. */
export function read(session: Session, scale = 1): Opened {
  const projection = new Projection(session);
  for (const record of session.records()) projection.apply(record);
  const { entries, starts, groups, digests } = projection.share();
  const sums = [0];
  for (const item of entries) sums.push((sums.at(-1) ?? 0) + scale * tokenizer.countItems([item]));
  const at = (length: number): number => sums[length] ?? 0;
  const context = viewOf(
    {
      system: projection.system,
      entries,
      starts,
      groups,
      digests,
      changes: projection.changes,
      groupOf: (id) => projection.groupOf(id),
    },
    {
      at: (length) => ({ tokens: at(length), margin: 0, source: 'counted' }),
      between: (from, to) => at(to) - at(from),
      weigh: (list) => scale * tokenizer.countItems(list),
    },
  );
  return { session, projection, context };
}
