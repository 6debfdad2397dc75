/** How a report grows by what a live view is sent. Runs in pages as well. */
import type { LiveEvents, Report, ReportFile } from './report';

/**
 * The report with what it has grown by: items go on behind those there were; requests, turns and files that are named again take
 * the place of what was said of them before.
 */
export function grownReport(report: Report, growth: LiveEvents['grown']): Report {
  return {
    ...report,
    ...growth,
    occupancy: continued(report.occupancy, growth.occupancy, ({ request }) => request),
    map: [...report.map, ...growth.map],
    turns: continued(report.turns, growth.turns, ({ turn }) => turn),
    files: mergedFiles(report.files, growth.files),
  };
}

/** What is counted, up to the first number that is told anew, and all from there on. */
function continued<T>(known: readonly T[], newer: readonly T[], numberOf: (one: T) => number): readonly T[] {
  const [first] = newer;
  return first === undefined ? known : [...known.slice(0, numberOf(first) - 1), ...newer];
}

/** Newest first; those that one call touched by their path. */
function mergedFiles(files: readonly ReportFile[], newer: readonly ReportFile[]): readonly ReportFile[] {
  const told = new Set(newer.map(({ path }) => path));
  const others = files.filter(({ path }) => !told.has(path));
  return [...newer, ...others].sort((a, b) => b.lastItem - a.lastItem || (a.path < b.path ? -1 : 1));
}
