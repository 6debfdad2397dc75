/**
 * How the context filled, as a chart: tokens of each request as an area, thresholds as lines across, prunes and compactions on
 * the axis. A column shows the fullest of the requests that it stands for.
 */
import type { Report, ReportEvent, Threshold } from '../report/report';
import { createCanvas } from './canvas';
import type { Canvas, Paint } from './canvas';
import { axisNumbers, columnOf, columnPeaks, eighthsOf, tokenScale } from './chart-scale';
import type { TokenScale } from './chart-scale';
import { wrapTo } from './display-width';
import { UPWARD } from './glyphs';
import { counted, figure, flow } from './layout';
import type { Terminal } from './terminal';

export type ChartData = Pick<Report, 'occupancy' | 'limit' | 'thresholds' | 'events'>;

/** Requests and columns below which a table tells as much. */
const FEWEST_REQUESTS = 3;
const FEWEST_COLUMNS = 48;
/** Columns that a single request takes at most. */
const WIDEST_REQUEST = 8;

/** How the marks of the axis are told apart; what is worth more stands over what shares its column. */
const MARKS = [
  { glyph: '▽', noun: 'prune', isOf: ({ kind }: ReportEvent) => kind === 'prune' },
  {
    glyph: '×',
    noun: 'compaction without effect',
    plural: 'compactions without effect',
    isOf: ({ kind, outcome }: ReportEvent) => kind === 'compaction' && (outcome ?? 'done') !== 'done',
  },
  {
    glyph: '▼',
    noun: 'compaction',
    isOf: ({ kind, outcome }: ReportEvent) => kind === 'compaction' && (outcome ?? 'done') === 'done',
  },
] as const;

/** The lines of the chart, `columns` wide at most; undefined where a table tells as much. */
export function occupancyChart(
  data: ChartData,
  columns: number,
  colours: Terminal['colours'],
): readonly string[] | undefined {
  const { occupancy, limit } = data;
  if (occupancy.length < FEWEST_REQUESTS || columns < FEWEST_COLUMNS) return undefined;
  const peak = occupancy.reduce((most, { tokens }) => Math.max(most, tokens), 0);
  const lines = [...data.thresholds, ...(limit === undefined ? [] : [{ name: 'limit of the model', tokens: limit }])];
  const inside = lines.filter(({ tokens }) => tokens <= 2 * peak);
  const scale = tokenScale(inside.reduce((most, { tokens }) => Math.max(most, tokens), peak));
  const gutter = Math.max('request'.length, figure(scale.unit * scale.rows).length) + 1;
  const room = columns - gutter - 1;
  const width = Math.min(room, occupancy.length * WIDEST_REQUEST);
  const frame = { canvas: createCanvas(scale.rows + 3, columns), scale, gutter, width };
  drawAxes(frame, occupancy.length, colours.dim);
  drawArea(frame, occupancy, colours.cyan);
  const unnamed = drawLines(frame, inside, colours.yellow);
  drawMarks(frame, data, colours.bold);
  const above = lines.filter((threshold) => !inside.includes(threshold));
  const words = flow(
    [
      ...marksLegend(data),
      ...unnamed.map((threshold) => `╌ ${nameOf(threshold)}`),
      ...above.map((threshold) => `${nameOf(threshold)}, above the chart`),
      ...(occupancy.length > width ? [`each column the fullest of ${spread(occupancy.length, width)} requests`] : []),
      sourcesOf(occupancy),
    ],
    room,
  );
  const legend = words.flatMap((line) => wrapTo(line, room));
  return [...frame.canvas.lines(), ...legend.map((line) => `${' '.repeat(gutter + 1)}${colours.dim(line)}`)];
}

/** Where the area is drawn: right of the gutter and its axis, below a heading. */
interface Frame {
  readonly canvas: Canvas;
  readonly scale: TokenScale;
  readonly gutter: number;
  readonly width: number;
}

function drawAxes({ canvas, scale: { unit, rows }, gutter, width }: Frame, count: number, paint: Paint): void {
  const label = (row: number, text: string): void => canvas.put(row, gutter - 1 - text.length, text, paint);
  label(0, 'tokens');
  for (let row = 1; row <= rows; row++) {
    const isNamed = row % 2 === 0;
    if (isNamed) label(rows + 1 - row, figure(row * unit));
    canvas.put(rows + 1 - row, gutter, isNamed ? '┤' : '│', paint);
  }
  label(rows + 1, '0');
  canvas.put(rows + 1, gutter, `└${'─'.repeat(width)}`, paint);
  label(rows + 2, 'request');
  let free = 0;
  for (const number of axisNumbers(count, width)) {
    const text = figure(number);
    const column = columnOf(number - 1, count, width);
    const from = Math.max(0, Math.min(column - (text.length >> 1), width - text.length));
    if (from < free) continue;
    free = from + text.length + 1;
    canvas.put(rows + 1, gutter + 1 + column, '┬', paint);
    canvas.put(rows + 2, gutter + 1 + from, text, paint);
  }
}

function drawArea({ canvas, scale, gutter, width }: Frame, occupancy: ChartData['occupancy'], paint: Paint): void {
  const peaks = columnPeaks(
    occupancy.map(({ tokens }) => tokens),
    width,
  );
  for (const [column, peak] of peaks.entries()) {
    const eighths = eighthsOf(peak, scale);
    for (let row = 0; row * 8 < eighths; row++)
      canvas.put(scale.rows - row, gutter + 1 + column, UPWARD[Math.min(8, eighths - row * 8) - 1] ?? '', paint);
  }
}

/** Lines where the area leaves room, with their names where these have room too; returns those without. */
function drawLines(frame: Frame, thresholds: readonly Threshold[], paint: Paint): readonly Threshold[] {
  const { canvas, scale, gutter, width } = frame;
  const rowOf = ({ tokens }: Threshold): number => scale.rows + 1 - Math.max(1, Math.ceil(tokens / scale.unit));
  return [...new Set(thresholds.map(rowOf))].flatMap((row) => {
    const named = thresholds.filter((threshold) => rowOf(threshold) === row);
    const free = Array.from({ length: width }, (_, at) => gutter + 1 + at).filter((at) => canvas.isFree(row, at));
    for (const column of free) canvas.put(row, column, '╌', paint);
    const words = ` ${named.map(nameOf).join(', ')} `;
    const start = free.find((column, at) => free[at + words.length + 1] === column + words.length + 1);
    if (start === undefined) return named;
    canvas.put(row, start + 1, words, paint);
    return [];
  });
}

function drawMarks({ canvas, scale, gutter, width }: Frame, { events, occupancy }: ChartData, paint: Paint): void {
  for (const { glyph, isOf } of MARKS)
    for (const { request } of events.filter(isOf)) {
      const index = Math.max(0, Math.min(request, occupancy.length) - 1);
      canvas.put(scale.rows + 1, gutter + 1 + columnOf(index, occupancy.length, width), glyph, paint);
    }
}

/** Marks that are named one by one. */
const MOST_NAMED = 4;

function marksLegend({ events }: ChartData): readonly string[] {
  return MARKS.toReversed().flatMap(({ glyph, isOf, noun, ...mark }) => {
    const requests = events.filter(isOf).map(({ request }) => figure(request));
    if (requests.length === 0) return [];
    const words = `${glyph} ${counted(requests.length, noun, 'plural' in mark ? mark.plural : undefined)}`;
    if (requests.length > MOST_NAMED) return [words];
    return [`${words} before request${requests.length === 1 ? '' : 's'} ${requests.join(', ')}`];
  });
}

function nameOf({ name, tokens }: Threshold): string {
  return `${name} ${figure(tokens)}`;
}

/** How many of `count` requests a column stands for. */
function spread(count: number, columns: number): string {
  const least = Math.floor(count / columns);
  return count % columns === 0 ? figure(least) : `${figure(least)} or ${figure(least + 1)}`;
}

/** How the figures came about: `measured`, or how many of each. */
function sourcesOf(occupancy: ChartData['occupancy']): string {
  const counts = new Map<string, number>();
  for (const { source } of occupancy) counts.set(source, (counts.get(source) ?? 0) + 1);
  if (counts.size === 1) return `all ${occupancy[0]?.source ?? ''}`;
  return [...counts].map(([source, count]) => `${figure(count)} ${source}`).join(', ');
}
