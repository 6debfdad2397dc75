/** The chart of occupancy, with what it tells to pointer and keys. */
import uPlot from 'uplot';
import type { Report } from '../report';
import { h, setAttribute } from './dom';
import { figure, shortFigure } from './figures';
import { drawEvents, drawLines, EVENT_LANE } from './occupancy-marks';
import { chartLines, chartTop, occupancyInWords, occupancySeries, requestInWords } from './occupancy-series';
import { colours, onColours } from './palette';
import { ReadOut } from './read-out';

const FONT = '12px system-ui, sans-serif';
/** Pixels from one point to the next below which points are no longer marked. */
const POINT_ROOM = 9;
const INTEGERS = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 7 }, (_, power) => step * 10 ** power))
  .sort((a, b) => a - b);

/** A chart in a holder that is as wide as it. */
export class OccupancyChart {
  readonly readOut: ReadOut;
  /** How the keys work, and the way back from a close-up. */
  readonly help: HTMLElement;
  readonly #plot: uPlot;
  readonly #whole = h('button', { type: 'button', onclick: () => this.#showAll() }, 'Show all requests');
  #report: Report;
  #top = 1;

  constructor(holder: HTMLElement, report: Report) {
    this.#report = report;
    const stroke = (): string => colours().muted;
    const grid = { stroke: () => colours().line, width: 1 };
    const axis = { stroke, font: FONT, grid, ticks: { ...grid, size: 4 } };
    const isMarked = (plot: uPlot, _series: number, from: number, to: number): boolean =>
      to - from < plot.over.clientWidth / POINT_ROOM;
    this.#plot = new uPlot(
      {
        width: Math.max(200, holder.clientWidth),
        height: 300,
        padding: [EVENT_LANE, 20, 0, 0],
        legend: { show: false },
        scales: {
          x: { time: false, range: (plot, from, to) => rangeOf(plot, from, to) },
          y: { range: () => [0, this.#top] },
        },
        axes: [
          { ...axis, incrs: INTEGERS, space: 60, size: 34, values: (_, splits) => splits.map(wholeFigure) },
          { ...axis, size: 52, values: (_, splits) => splits.map(shortFigure) },
        ],
        series: [
          {},
          { stroke: 'transparent', width: 0, fill: () => faded(colours().accent), points: { show: false } },
          {
            stroke: () => colours().accent,
            width: 1.75,
            dash: [4, 3],
            points: { show: isMarked, size: 6, fill: () => colours().panel },
          },
          {
            stroke: () => colours().accent,
            width: 1.75,
            points: { show: isMarked, size: 6, fill: () => colours().accent },
          },
        ],
        cursor: { y: false, points: { show: true }, drag: { x: true, y: false, dist: 6 } },
        hooks: {
          draw: [(plot) => drawLines(plot, chartLines(this.#report)), (plot) => drawEvents(plot, this.#report.events)],
          setCursor: [(plot) => this.#hover(plot)],
          setScale: [(plot) => this.#zoomed(plot)],
        },
      },
      this.#data(),
      holder,
    );
    const { over, ctx } = this.#plot;
    setAttribute(ctx.canvas, 'role', 'img');
    this.readOut = new ReadOut({
      surface: over,
      label: 'Request of the chart',
      say: (at) => requestInWords(this.#report, at),
      point: (at) => this.#point(at),
    });
    const keys = 'Arrow keys go from request to request; + and − show less and more of them, Escape all.';
    this.help = h('p', { class: 'help', id: 'occupancy-keys' }, keys, ' ', this.#whole);
    setAttribute(over, 'aria-describedby', 'occupancy-keys');
    over.addEventListener('keydown', (event) => this.#press(event));
    over.addEventListener('click', () => this.#plot.cursor.idx != null && this.readOut.choose(this.#plot.cursor.idx));
    over.addEventListener('mouseleave', () => this.readOut.hover(undefined));
    onColours(() => this.#plot.redraw());
    this.#name();
    this.#zoomed(this.#plot);
    this.readOut.update(report.occupancy.length);
  }

  update(report: Report): void {
    const isClose = this.#isClose;
    this.#report = report;
    this.#plot.setData(this.#data(), !isClose);
    if (isClose) this.#plot.redraw();
    this.#name();
    this.readOut.update(report.occupancy.length);
  }

  resize(width: number): void {
    if (width > 0 && width !== this.#plot.width) this.#plot.setSize({ width, height: 300 });
  }

  /** Goes to a point, 0-based, and gives it the focus. */
  choose(at: number): void {
    this.readOut.choose(at);
    this.#plot.over.focus();
  }

  #data(): uPlot.AlignedData {
    const { requests, all, measured, estimated } = occupancySeries(this.#report.occupancy);
    this.#top = chartTop(all, chartLines(this.#report));
    return [requests, all, estimated, measured].map((column) => [...column]) as uPlot.AlignedData;
  }

  #name(): void {
    setAttribute(this.#plot.ctx.canvas, 'aria-label', occupancyInWords(this.#report));
  }

  get #isClose(): boolean {
    const { min, max } = this.#plot.scales['x'] ?? {};
    return (min ?? 0) > 1 || (max ?? Infinity) < this.#plot.data[0].length;
  }

  #zoomed(plot: uPlot): void {
    const { min, max } = plot.scales['x'] ?? {};
    this.#whole.hidden = !((min ?? 0) > 1 || (max ?? Infinity) < plot.data[0].length);
  }

  #showAll(): void {
    this.#plot.setScale('x', { min: 1, max: Math.max(1, this.#plot.data[0].length) });
    if (document.activeElement === this.#whole) this.#plot.over.focus();
  }

  #hover(plot: uPlot): void {
    // What a key has pointed to lies at no place of the pointer.
    if (plot.cursor.event != null) this.readOut.hover(plot.cursor.idx ?? undefined);
  }

  #point(at: number | undefined): void {
    const plot = this.#plot;
    const x = at === undefined ? undefined : plot.data[0][at];
    const y = at === undefined ? undefined : plot.data[1]?.[at];
    if (x === undefined || y == null) return plot.setCursor({ left: -10, top: -10 }, false);
    const { min = 1, max = 1 } = plot.scales['x'] ?? {};
    if (x < min || x > max) {
      const half = (max - min) / 2;
      plot.setScale('x', { min: Math.round(x - half), max: Math.round(x + half) });
    }
    plot.setCursor({ left: plot.valToPos(x, 'x'), top: plot.valToPos(y, 'y') }, false);
  }

  #press(event: KeyboardEvent): void {
    const plot = this.#plot;
    if (event.key === 'Escape') return this.#showAll();
    const factor = { '+': 0.5, '=': 0.5, '-': 2, '−': 2 }[event.key];
    if (factor === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const count = plot.data[0].length;
    const { min, max } = plot.scales['x'] ?? {};
    const span = Math.max(4, Math.min(count, ((max ?? count) - (min ?? 1)) * factor));
    const from = Math.max(1, Math.min(count - span, this.readOut.at + 1 - span / 2));
    plot.setScale('x', { min: Math.round(from), max: Math.min(count, Math.round(from + span)) });
    this.readOut.choose(this.readOut.at);
  }
}

/** Whole requests, with room at both ends for the first point and for what lies behind the last one. */
function rangeOf({ data: [requests] }: uPlot, from: number, to: number): [number, number] {
  return requests.length === 1 ? [0.5, 1.5] : [Math.ceil(from) - 0.5, Math.floor(to) + 0.5];
}

function wholeFigure(value: number): string {
  return Number.isInteger(value) ? figure(value) : '';
}

function faded(colour: string): string {
  return `color-mix(in srgb, ${colour} 14%, transparent)`;
}
