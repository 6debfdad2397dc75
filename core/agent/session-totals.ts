/** What a session has cost (S9.13): the requests of the conversation and the work of its compactions, from the log alone. */
import type { SessionRecord, WorkUsage } from '../session/records';
import type { Session } from '../session/session';
import { pastRequests } from './past-requests';

/** What all requests of a session have used, with those of its compactions apart (S9.13). */
export interface SessionTotals {
  /** The requests of the conversation whose usage is known. */
  readonly conversation: WorkUsage;
  /** All compactions, also those that came to nothing. */
  readonly compactions: WorkUsage;
  /** Both together. */
  readonly total: WorkUsage;
}

const NOTHING: WorkUsage = { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** Sums up a session; costs one walk through its log. */
export function sessionTotals(session: Pick<Session, 'records'>): SessionTotals {
  let conversation = NOTHING;
  for (const { usage } of pastRequests(session)) {
    if (usage !== undefined) conversation = sumOf(conversation, { ...NOTHING, ...usage, requests: 1 });
  }
  let compactions = NOTHING;
  for (const record of session.records()) compactions = sumOf(compactions, workOf(record));
  return { conversation, compactions, total: sumOf(conversation, compactions) };
}

/** The cost that the end of a compaction tells; other versions may tell none. */
function workOf(record: SessionRecord): WorkUsage {
  if (record.t !== 'compaction' || record.phase === 'start') return NOTHING;
  const usage = record.data['usage'];
  if (typeof usage !== 'object' || usage === null || Array.isArray(usage)) return NOTHING;
  return { ...NOTHING, ...(usage as Partial<WorkUsage>) };
}

function sumOf(a: WorkUsage, b: WorkUsage): WorkUsage {
  return {
    requests: a.requests + amount(b.requests),
    inputTokens: a.inputTokens + amount(b.inputTokens),
    cacheReadTokens: a.cacheReadTokens + amount(b.cacheReadTokens),
    cacheWriteTokens: a.cacheWriteTokens + amount(b.cacheWriteTokens),
    outputTokens: a.outputTokens + amount(b.outputTokens),
  };
}

/** What cannot be a number of tokens counts as none. */
function amount(value: unknown): number {
  return typeof value === 'number' && value >= 0 && value < Infinity ? value : 0;
}
