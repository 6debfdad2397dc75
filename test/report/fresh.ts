/** What a live report is to agree with: the report of the same session, made at once. */
import { sessionReport } from '../../core/report';
import type { Report } from '../../core/report';
import type { Kernel, Session } from '../../core';

/** The report of a session as it is now, but for the time. */
export function freshReport(kernel: Kernel, session: Session): Report {
  return withoutTime(sessionReport(session, { kernel }));
}

/** A report whatever time it was made at. */
export function withoutTime(report: Report): Report {
  return { ...report, madeAt: 0 };
}
