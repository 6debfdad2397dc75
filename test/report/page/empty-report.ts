import type { Report } from '../../../core/report/report';

/** The report of a session in which nothing has happened. */
export const emptyReport: Report = {
  schema: 'pith.report/1',
  title: 'empty',
  source: { format: 'pith', sessionId: 'empty', items: 0, turns: 0, requests: 0 },
  madeAt: 0,
  thresholds: [],
  tokens: { total: 0, source: 'counted', byKind: {}, byTool: {} },
  occupancy: [],
  events: [],
  turns: [],
  map: [],
  files: [],
  outlook: {},
  integrity: { orphanResults: 0, unansweredCalls: 0 },
};
