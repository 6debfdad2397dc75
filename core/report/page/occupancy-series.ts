/** What the chart of occupancy draws, as numbers and words. Pure. */
import type { Report, ReportEvent, RequestOccupancy } from '../report';
import { counted, figure, percent } from './figures';

/** One number for each request, beside the numbers of the requests; gaps are null. */
export interface OccupancySeries {
  readonly requests: readonly number[];
  readonly all: readonly number[];
  /** Those that the provider measured. */
  readonly measured: readonly (number | null)[];
  /** Those that are estimates, with their neighbours, so that a line leads to them. */
  readonly estimated: readonly (number | null)[];
}

/** The columns of the chart. */
export function occupancySeries(occupancy: readonly RequestOccupancy[]): OccupancySeries {
  const isEstimate = (at: number): boolean => {
    const point = occupancy[at];
    return point !== undefined && point.source !== 'measured';
  };
  return {
    requests: occupancy.map(({ request }) => request),
    all: occupancy.map(({ tokens }) => tokens),
    measured: occupancy.map(({ tokens, source }) => (source === 'measured' ? tokens : null)),
    estimated: occupancy.map(({ tokens }, at) =>
      isEstimate(at - 1) || isEstimate(at) || isEstimate(at + 1) ? tokens : null,
    ),
  };
}

/** A horizontal line of the chart. */
export interface ChartLine {
  readonly name: string;
  readonly tokens: number;
  readonly isLimit: boolean;
}

/** The limit and the thresholds, the highest first. */
export function chartLines({ limit, thresholds }: Pick<Report, 'limit' | 'thresholds'>): readonly ChartLine[] {
  const lines: ChartLine[] = thresholds.map(({ name, tokens }) => ({ name, tokens, isLimit: false }));
  if (limit !== undefined) lines.push({ name: 'limit of the model', tokens: limit, isLimit: true });
  return lines.sort((a, b) => b.tokens - a.tokens);
}

/** How many times the highest point a line may be for the chart to reach up to it. */
const REACH = 2.5;

/** Tokens at the top of the chart: above all points, and above those lines that do not make the points flat. */
export function chartTop(points: readonly number[], lines: readonly ChartLine[]): number {
  const peak = points.reduce((most, tokens) => Math.max(most, tokens), 1);
  return lines.reduce((top, { tokens }) => (tokens <= peak * REACH ? Math.max(top, tokens) : top), peak) * 1.08;
}

/** The chart in words: what somebody needs to know who does not see it. */
export function occupancyInWords({ occupancy, events, limit }: Report): string {
  const [first] = occupancy;
  const last = occupancy.at(-1);
  if (first === undefined || last === undefined) return 'No request was recorded.';
  const peak = occupancy.reduce((most, point) => (point.tokens > most.tokens ? point : most), first);
  const ofLimit = limit === undefined ? '' : ` (${percent(peak.tokens, limit)} of the limit)`;
  const measured = occupancy.filter(({ source }) => source === 'measured').length;
  const number = (kind: ReportEvent['kind']): number => events.filter((event) => event.kind === kind).length;
  return [
    `Tokens of the context over ${counted(occupancy.length, 'request')}:`,
    `${figure(first.tokens)} at the first, ${figure(last.tokens)} at the last,`,
    `the most ${figure(peak.tokens)}${ofLimit} at request ${figure(peak.request)};`,
    `${figure(measured)} measured, ${figure(occupancy.length - measured)} estimated;`,
    `${counted(number('prune'), 'prune')}, ${counted(number('compaction'), 'compaction')}.`,
  ].join(' ');
}

/** One point in words. */
export function requestInWords({ occupancy, events, limit }: Report, at: number): string {
  const point = occupancy[at];
  if (point === undefined) return '';
  const { request, tokens, source, item } = point;
  const ofLimit = limit === undefined ? '' : `, ${percent(tokens, limit)} of the limit`;
  const before = events.filter((event) => event.request === request).map((event) => ` ${eventInWords(event)}.`);
  const how = source === 'measured' ? 'measured' : `estimated (${source})`;
  return `Request ${figure(request)} of ${figure(occupancy.length)}: ${figure(tokens)} tokens${ofLimit}, ${how}, after ${counted(item, 'item')}.${before.join('')}`;
}

/** A prune or a compaction in words. */
export function eventInWords(event: ReportEvent): string {
  const { kind, request, before, after, outcome, compaction } = event;
  const name =
    kind === 'prune' ? 'Prune' : compaction === undefined ? 'Compaction' : `Compaction ${figure(compaction)}`;
  const change = changeInWords(before, after);
  const ended = outcome === undefined || outcome === 'done' ? '' : `, ended as ${outcome}`;
  return `${name} before request ${figure(request)}${change === '' ? '' : `: ${change}`}${ended}`;
}

/** How a context changed: `84,210 → 12,004 tokens`. */
export function changeInWords(before: number | undefined, after: number | undefined): string {
  if (before === undefined && after === undefined) return '';
  return `${before === undefined ? 'unknown' : figure(before)} → ${after === undefined ? 'unknown' : figure(after)} tokens`;
}
