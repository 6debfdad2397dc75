import { createSession, restoreSession, sessionTotals } from '../../core';
import type { RecordDraft } from '../../core';
import { assistant, user } from '../support/context';

const USED = { requests: 3, inputTokens: 900, cacheReadTokens: 300, cacheWriteTokens: 100, outputTokens: 50 };
const ended = (phase: 'done' | 'failed', usage: object): RecordDraft => ({
  t: 'compaction',
  phase,
  compaction: 'c',
  data: { usage: usage as never },
});

test('a session costs the requests of its conversation and the work of all its compactions, refused ones too', () => {
  const session = createSession({ id: 's', now: () => 0 });
  session.append([user('one'), assistant('1')]);
  session.record({ t: 'usage', usage: { inputTokens: 1000, cacheReadTokens: 800, outputTokens: 20 } });
  session.append([user('two'), assistant('2')]);
  session.record({ t: 'usage', usage: { inputTokens: 1100 } });
  session.record({ t: 'compaction', phase: 'start', compaction: 'c', data: { usage: USED } });
  session.record(ended('done', USED), ended('failed', USED));
  const totals = sessionTotals(session);
  expect(totals.conversation).toEqual({
    requests: 2,
    inputTokens: 2100,
    cacheReadTokens: 800,
    cacheWriteTokens: 0,
    outputTokens: 20,
  });
  expect(totals.compactions).toEqual({
    requests: 6,
    inputTokens: 1800,
    cacheReadTokens: 600,
    cacheWriteTokens: 200,
    outputTokens: 100,
  });
  expect(totals.total).toEqual({
    requests: 8,
    inputTokens: 3900,
    cacheReadTokens: 1400,
    cacheWriteTokens: 200,
    outputTokens: 120,
  });
  const restored = restoreSession(JSON.parse(JSON.stringify([...session.records()])) as [], {});
  expect(sessionTotals(restored)).toEqual(totals);
});

test('what other versions write does no harm', () => {
  const session = createSession({ id: 's', now: () => 0 });
  session.record(ended('done', { inputTokens: 'many', outputTokens: -5, requests: 1 }), ended('failed', []), {
    t: 'compaction',
    phase: 'failed',
    compaction: 'c',
    data: {},
  });
  expect(sessionTotals(session).total).toEqual({
    requests: 1,
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
  });
});
