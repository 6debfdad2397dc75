/** How the context filled: a chart, or a table where a chart would tell no more or has no room. */
import { bar, counted, figure, MOST_ROWS, table } from './layout';
import { occupancyChart } from './occupancy-chart';
import type { ChartData } from './occupancy-chart';
import type { Terminal } from './terminal';

/** How many requests there were, and which was the fullest. */
export function occupancyTitle({ occupancy }: Pick<ChartData, 'occupancy'>): string {
  const peak = occupancy.reduce((most, entry) => (entry.tokens > most.tokens ? entry : most), {
    request: 0,
    tokens: 0,
  });
  return `Occupancy over ${counted(occupancy.length, 'request')}${peak.request === 0 ? '' : `, at most ${figure(peak.tokens)} tokens at request ${figure(peak.request)}`}`;
}

/** The lines below the title, two columns narrower than the terminal at most. */
export function occupancyLines(data: ChartData, terminal: Terminal): readonly string[] {
  return occupancyChart(data, terminal.chartColumns - 2, terminal.colours) ?? requestLines(data, terminal);
}

/** Columns below which a bar tells nothing. */
const LEAST_BAR = 8;

/** The requests at even distances, with the first, the last and the fullest. */
function requestLines({ occupancy }: ChartData, { columns, colours }: Terminal): readonly string[] {
  const most = occupancy.reduce((peak, { tokens }) => Math.max(peak, tokens), 0);
  const fullest = occupancy.findIndex(({ tokens }) => tokens === most);
  const step = Math.max(1, (occupancy.length - 1) / (MOST_ROWS - 2));
  const picked = new Set([fullest, occupancy.length - 1]);
  for (let at = 0; at < occupancy.length; at += step) picked.add(Math.round(at));
  const entries = [...picked].sort((a, b) => a - b).flatMap((at) => occupancy[at] ?? []);
  if (entries.length === 0) return [];
  const rows = table(
    [
      ['request', 'item', 'tokens', 'source'],
      ...entries.map(({ request, item, tokens, source }) => [figure(request), figure(item), figure(tokens), source]),
    ],
    [{ align: 'right' }, { align: 'right' }, { align: 'right' }, {}],
    columns - 2,
  );
  const width = Math.max(...rows.map((row) => row.length));
  const barColumns = columns - width - 4;
  return rows.map((row, at) => {
    const entry = entries[at - 1];
    if (entry === undefined) return colours.dim(row);
    if (barColumns < LEAST_BAR) return row;
    return `${row.padEnd(width)}  ${colours.cyan(bar(entry.tokens, most, barColumns))}`;
  });
}
