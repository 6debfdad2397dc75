/** What a session cost: the requests of the conversation, and those of its compactions, which count in no occupancy (S9.13). */
import type { Json } from '../session/items';
import type { Position, WorkUsage } from '../session/records';
import type { Session } from '../session/session';

export interface SessionCost {
  readonly conversation: WorkUsage;
  /** Also of compactions that changed nothing. */
  readonly compaction: WorkUsage;
  readonly total: WorkUsage;
}

const NONE: WorkUsage = { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** Adds up what was reported, from a position of the log on; tokens. Costs one walk through that part of the log. */
export function sessionCost(session: Pick<Session, 'records'>, from: Position = 0): SessionCost {
  let conversation = NONE;
  let compaction = NONE;
  for (const record of session.records(from)) {
    if (record.t === 'usage') conversation = plus(conversation, { requests: 1, ...record.usage });
    if (record.t === 'compaction' && record.phase !== 'start') compaction = plus(compaction, record.data['usage']);
  }
  return { conversation, compaction, total: plus(conversation, { ...compaction }) };
}

/** Records of other versions may say anything. */
function plus(sum: WorkUsage, reported: Json | object | undefined): WorkUsage {
  const figures = (reported ?? {}) as Readonly<Record<string, unknown>>;
  const added = (name: keyof WorkUsage): number => {
    const figure = figures[name];
    return sum[name] + (typeof figure === 'number' && figure > 0 && Number.isFinite(figure) ? figure : 0);
  };
  return {
    requests: added('requests'),
    inputTokens: added('inputTokens'),
    cacheReadTokens: added('cacheReadTokens'),
    cacheWriteTokens: added('cacheWriteTokens'),
    outputTokens: added('outputTokens'),
  };
}
