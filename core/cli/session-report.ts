/** The report of a session that a command works on: what the log tells, and what the manifest in use says of it. */
import { COMPACTION } from '../agent/compaction';
import { thresholdsOf } from '../../plugins/compaction/thresholds';
import type { ThresholdSettings } from '../../plugins/compaction/thresholds';
import type { PruneEvaluation } from '../../plugins/prune/token';
import { CONTEXT } from '../context/context';
import type { LoadedManifest } from '../manifest';
import { sessionReport } from '../report/follow';
import type { Report, Threshold } from '../report/report';
import type { CompactionChoice } from '../report/report-compaction';
import type * as ReportPage from '../report/report-page';
import type { ModelLimits } from '../tokens/model-limits';
import type { SessionAtWork } from './session-at-work';
import { serviceOf } from './started-plugins';

/**
 * The report of a session at work: of the compaction with this number, or that has just been tried, else of the newest.
 *
 * @param prune what pruning would do now
 */
export function reportAtWork(
  { opened, kernel, files, manifest }: SessionAtWork,
  prune: PruneEvaluation | undefined,
  compaction?: CompactionChoice,
): Report {
  const { session, facts } = opened;
  const plan = serviceOf(kernel, COMPACTION)?.plan(session);
  return sessionReport(session, {
    kernel,
    files,
    source: facts,
    thresholds: thresholdLines(manifest, session.get(CONTEXT).limits()),
    autoReadBudget: autoReadBudgetOf(manifest),
    compaction,
    outlook: () => ({ ...(prune !== undefined && { prune }), ...(plan !== undefined && { plan }) }),
  });
}

/** Where a manifest asks for a compaction, in tokens of a model. */
export function thresholdLines({ config }: LoadedManifest, limits: ModelLimits): readonly Threshold[] {
  const settings: ThresholdSettings = config['compaction'] ?? {};
  const { postRunThreshold, requestThreshold } = thresholdsOf(settings, limits);
  return [
    ...(postRunThreshold === undefined ? [] : [{ name: 'compaction between turns', tokens: postRunThreshold }]),
    ...(requestThreshold === undefined ? [] : [{ name: 'compaction between requests', tokens: requestThreshold }]),
  ];
}

/** Tokens that auto-reads may take together; undefined where no plugin in use keeps a budget. */
export function autoReadBudgetOf({ config }: LoadedManifest): number | undefined {
  return config['compaction']?.['autoReadBudget'] as number | undefined;
}

/** The page of a report, as the text of a file. */
export function pageOf(report: Report): string {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- only who asks for a page loads its script
  const { reportPage } = require('../report/report-page') as typeof ReportPage;
  return reportPage(report);
}
