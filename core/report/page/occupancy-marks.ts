/** What is painted over the chart of occupancy: lines for limit and thresholds, marks for prunes and compactions. */
import type uPlot from 'uplot';
import type { ReportEvent } from '../report';
import { figure } from './figures';
import type { ChartLine } from './occupancy-series';
import { colours } from './palette';

/** CSS pixels between two labels that do not touch. */
const LABEL_GAP = 6;

/** Lines across the chart, each with its name and its tokens at the right; lines beyond its top are left out. */
export function drawLines(plot: uPlot, lines: readonly ChartLine[]): void {
  const { ctx, bbox, ratio } = paintingOf(plot);
  ctx.save();
  ctx.textAlign = 'right';
  ctx.lineWidth = ratio;
  let free = -Infinity;
  for (const { name, tokens, isLimit } of lines) {
    const y = Math.round(plot.valToPos(tokens, 'y', true));
    if (y < bbox.top) continue;
    ctx.strokeStyle = ctx.fillStyle = isLimit ? colours().dropped : colours().changed;
    ctx.setLineDash(isLimit ? [] : [8 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const below = y - 15 * ratio < Math.max(free, bbox.top);
    ctx.textBaseline = below ? 'top' : 'bottom';
    const label = `${name} ${figure(tokens)}`;
    const at = below ? y + 3 * ratio : y - 3 * ratio;
    if (at < free) continue;
    halo(ctx, label, bbox.left + bbox.width - 4 * ratio, at, ratio);
    free = below ? y + 17 * ratio : y;
  }
  ctx.restore();
}

/** Height of the lane above the chart in which events have their marks, in CSS pixels. */
export const EVENT_LANE = 22;

/** A mark for each event in the lane above the chart, with its name where there is room, and a line down from it. */
export function drawEvents(plot: uPlot, events: readonly ReportEvent[]): void {
  const { ctx, bbox, ratio } = paintingOf(plot);
  const right = bbox.left + bbox.width;
  const placed = events
    .map((event) => ({ event, x: Math.round(plot.valToPos(event.request - 0.5, 'x', true)) }))
    .filter(({ x }) => x >= bbox.left - 1 && x <= right + 1);
  const size = 5 * ratio;
  const y = bbox.top - (EVENT_LANE / 2) * ratio;
  ctx.save();
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.lineWidth = ratio;
  placed.forEach(({ event, x }, at) => {
    const { kind, outcome } = event;
    ctx.strokeStyle = ctx.fillStyle = kind === 'prune' ? colours().changed : colours().summarised;
    ctx.globalAlpha = 0.6;
    ctx.setLineDash(kind === 'prune' ? [2 * ratio, 3 * ratio] : []);
    ctx.beginPath();
    ctx.moveTo(x, y + size);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.setLineDash([]);
    drawMark(ctx, kind, x, y, size, outcome === undefined || outcome === 'done');
    const left = x + size + 3 * ratio;
    const end = (placed[at + 1]?.x ?? right + size) - size - LABEL_GAP * ratio;
    const label = eventLabels(event).find((text) => left + ctx.measureText(text).width <= end);
    if (label !== undefined) ctx.fillText(label, left, y);
  });
  ctx.restore();
}

/** A diamond for a prune, a wedge for a compaction; hollow where it changed nothing. */
function drawMark(
  ctx: CanvasRenderingContext2D,
  kind: ReportEvent['kind'],
  x: number,
  y: number,
  size: number,
  isFilled: boolean,
): void {
  const corners: readonly (readonly [number, number])[] =
    kind === 'prune'
      ? [
          [0, -1],
          [1, 0],
          [0, 1],
          [-1, 0],
        ]
      : [
          [-1, -0.9],
          [1, -0.9],
          [0, 0.9],
        ];
  ctx.beginPath();
  for (const [right, down] of corners) ctx.lineTo(x + right * size, y + down * size);
  ctx.closePath();
  if (isFilled) ctx.fill();
  else ctx.stroke();
}

/** What an event may be called, the longest first. */
function eventLabels({ kind, compaction }: ReportEvent): readonly string[] {
  if (kind === 'prune') return ['prune'];
  return compaction === undefined ? ['compaction'] : [`compaction ${figure(compaction)}`, figure(compaction)];
}

function paintingOf(plot: uPlot): { ctx: CanvasRenderingContext2D; bbox: uPlot.BBox; ratio: number } {
  const ratio = plot.ctx.canvas.width / Math.max(1, plot.width);
  plot.ctx.font = `${String(11.5 * ratio)}px system-ui, sans-serif`;
  return { ctx: plot.ctx, bbox: plot.bbox, ratio };
}

/** A text that stands out from what it lies on. */
function halo(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, ratio: number): void {
  ctx.save();
  ctx.setLineDash([]);
  ctx.lineJoin = 'round';
  ctx.lineWidth = 3 * ratio;
  ctx.strokeStyle = colours().panel;
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
  ctx.restore();
}
