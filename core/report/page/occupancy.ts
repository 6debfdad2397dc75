/** How the context filled: a chart over requests, with limit and thresholds as lines, prunes and compactions as marks. */
import type { Report, ReportEvent } from '../report';
import { folded, h, section } from './dom';
import type { Part } from './dom';
import { OccupancyChart } from './occupancy-chart';
import { eventsPart, requestsTable } from './occupancy-tables';

export function occupancyPart(): Part<Report> {
  let report: Report | undefined;
  let chart: OccupancyChart | undefined;
  const holder = h('div', { class: 'chart' });
  const empty = h('p', { class: 'empty' }, 'No request was recorded, so there is nothing to draw.');
  const legend = h('ul', { class: 'legend' });
  const body = h('div', { class: 'stack' }, legend, holder);
  const events = eventsPart((request) => chart?.choose(request - 1));
  const requests = folded('All requests as a table', requestsTable);
  const element = section('occupancy', 'Context over requests', empty, body, events.element, requests.element);
  new ResizeObserver(() => chart?.resize(holder.clientWidth)).observe(holder);
  return {
    element,
    update(next) {
      const isSame = report?.occupancy === next.occupancy && report.events === next.events;
      report = next;
      if (isSame) return;
      const isEmpty = next.occupancy.length === 0;
      empty.hidden = !isEmpty;
      body.hidden = requests.element.hidden = isEmpty;
      if (!isEmpty) {
        if (chart === undefined) {
          chart = new OccupancyChart(holder, next);
          body.append(chart.readOut.element, chart.help);
        } else chart.update(next);
        fillLegend(legend, next);
      }
      events.update(next);
      requests.update(next);
    },
  };
}

function fillLegend(legend: HTMLElement, { occupancy, events, limit, thresholds }: Report): void {
  const measured = occupancy.some(({ source }) => source === 'measured');
  const estimated = occupancy.some(({ source }) => source !== 'measured');
  const has = (kind: ReportEvent['kind']): boolean => events.some((event) => event.kind === kind);
  const entry = (isThere: boolean, mark: string, text: string): readonly HTMLElement[] =>
    isThere ? [h('li', {}, h('i', { class: `mark ${mark}`, 'aria-hidden': 'true' }), text)] : [];
  const entries = [
    ...entry(measured, 'measured', 'measured'),
    ...entry(estimated, 'estimated', 'estimated'),
    ...entry(limit !== undefined, 'limit', 'limit of the model'),
    ...entry(thresholds.length > 0, 'threshold', 'thresholds'),
    ...entry(has('prune'), 'prune', 'prune'),
    ...entry(has('compaction'), 'compaction', 'compaction'),
  ];
  if (legend.children.length !== entries.length) legend.replaceChildren(...entries);
}
