/** Reports of sessions (S12): as data, as a page, and served while the session runs. */
export { followReport, sessionReport } from './follow';
export type { Change, FollowedReport, ReportParts } from './follow';
export type { CompactionChoice } from './report-compaction';
export { grownReport } from './growth';
export { reportPage } from './report-page';
export type { LivePage } from './report-page';
export { serveReport } from './live';
export type { LiveReport, LiveReportOptions } from './live';
export type * from './report';
