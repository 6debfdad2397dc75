/** How the map of the session is painted. Lengths are CSS pixels. */
import type { Fate, Report } from '../report';
import { figure } from './figures';
import { cutOf, mapRuns, rowPieces } from './map-layout';
import type { MapLayout } from './map-layout';
import { colours, fillOf } from './palette';
import type { Palette, Pattern } from './palette';

/** Left of the ribbon stands the number of the first item of each row. */
export const MAP_GUTTER = 52;
/** From one row to the next. */
export const MAP_PITCH = 44;
/** In a row, from its top: turns, the ribbon, what is read again. */
const BAR_TOP = 14;
const BAR = 18;
const AGAIN_TOP = BAR_TOP + BAR + 2;
const AGAIN = 4;
/** Items at least so long have a gap to the next. */
const GAP_FROM = 4;

const LOOKS: Readonly<Record<Fate, { readonly colour: keyof Palette; readonly pattern: Pattern }>> = {
  kept: { colour: 'kept', pattern: 'solid' },
  changed: { colour: 'changed', pattern: 'stripes' },
  summarised: { colour: 'summarised', pattern: 'dots' },
  dropped: { colour: 'dropped', pattern: 'hollow' },
};

export function mapHeight({ rows }: MapLayout): number {
  return rows * MAP_PITCH;
}

/** Paints the whole map. */
export function paintMap(canvas: HTMLCanvasElement, width: number, { map, turns }: Report, layout: MapLayout): void {
  const ctx = fitted(canvas, width, mapHeight(layout));
  if (ctx === null) return;
  const ratio = devicePixelRatio;
  const length = width - MAP_GUTTER;
  const palette = colours();
  const fill = (from: number, to: number, top: number, height: number): void => {
    for (const { row, x, width: share } of rowPieces(layout, from, to))
      ctx.fillRect(MAP_GUTTER + x * length, row * MAP_PITCH + top, Math.max(share * length, 1 / ratio), height);
  };
  const runs = mapRuns(map, layout, layout.perRow / (length * ratio * 2));
  for (const fate of Object.keys(LOOKS) as Fate[]) {
    const { colour, pattern } = LOOKS[fate];
    ctx.fillStyle = fillOf(ctx, palette[colour], pattern, ratio);
    for (const run of runs) if (run.fate === fate) fill(run.from, run.to, BAR_TOP, BAR);
  }
  const { starts, perRow } = layout;
  const placeOf = (item: number): number => starts[Math.min(item, map.length)] ?? 0;
  ctx.fillStyle = palette.again;
  map.forEach(({ readAgain }, at) => {
    if (readAgain === true) fill(placeOf(at), placeOf(at + 1), AGAIN_TOP, AGAIN);
  });
  ctx.fillStyle = palette.panel;
  const gap = (GAP_FROM * perRow) / length;
  map.forEach((_, at) => {
    if (placeOf(at + 1) - placeOf(at) >= gap && at > 0) vertical(placeOf(at), BAR_TOP, BAR, 1);
  });
  paintTexts();

  function paintTexts(): void {
    if (ctx === null) return;
    ctx.font = '11px system-ui, sans-serif';
    ctx.fillStyle = palette.muted;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'right';
    for (let row = 0; row < layout.rows; row++) {
      const first = starts.findIndex((start) => start >= row * perRow - 0.5);
      ctx.fillText(figure(Math.min(first, map.length - 1)), MAP_GUTTER - 8, row * MAP_PITCH + BAR_TOP + BAR / 2);
    }
    ctx.textAlign = 'left';
    ctx.textBaseline = 'alphabetic';
    let free = -Infinity;
    for (const { turn, fromItem } of turns) {
      const place = placeOf(fromItem);
      vertical(place, 4, BAR_TOP - 4, 1);
      const label = turn === 1 ? 'turn 1' : figure(turn);
      const { row, x } = spotOf(place);
      const at = row * width + x;
      const labelWidth = ctx.measureText(label).width;
      if (at < free || x + labelWidth > width) continue;
      ctx.fillText(label, x + 3, row * MAP_PITCH + BAR_TOP - 3);
      free = at + labelWidth + 8;
    }
    const cut = cutOf(map);
    if (cut === undefined) return;
    const { row, x } = spotOf(placeOf(cut));
    ctx.fillStyle = palette.ink;
    vertical(placeOf(cut), 1, MAP_PITCH - 6, 2);
    ctx.font = '600 11px system-ui, sans-serif';
    const isRight = x > width - 40;
    ctx.textAlign = isRight ? 'right' : 'left';
    ctx.lineWidth = 3;
    ctx.lineJoin = 'round';
    ctx.strokeStyle = palette.panel;
    const [labelX, labelY] = [isRight ? x - 4 : x + 5, row * MAP_PITCH + BAR_TOP - 3];
    ctx.strokeText('✂ cut', labelX, labelY);
    ctx.fillText('✂ cut', labelX, labelY);
  }

  function spotOf(place: number): { readonly row: number; readonly x: number } {
    const row = Math.min(layout.rows - 1, Math.floor(place / perRow));
    return { row, x: MAP_GUTTER + Math.round((place / perRow - row) * length) };
  }

  function vertical(place: number, top: number, height: number, thick: number): void {
    const { row, x } = spotOf(place);
    ctx?.fillRect(x - Math.floor(thick / 2), row * MAP_PITCH + top, thick, height);
  }
}

/** Paints the look of a fate for a legend. */
export function paintSwatch(canvas: HTMLCanvasElement, fate: Fate | 'read again'): void {
  const [width, height] = [20, 12];
  const ctx = fitted(canvas, width, height);
  if (ctx === null) return;
  const { colour, pattern } =
    fate === 'read again' ? { colour: 'again' as const, pattern: 'solid' as const } : LOOKS[fate];
  ctx.fillStyle = fillOf(ctx, colours()[colour], pattern, devicePixelRatio);
  if (fate === 'read again') ctx.fillRect(0, height - AGAIN - 2, width, AGAIN);
  else ctx.fillRect(0, 0, width, height);
}

/** The canvas at a size, empty. */
function fitted(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  canvas.style.width = `${String(width)}px`;
  canvas.style.height = `${String(height)}px`;
  const context = canvas.getContext('2d');
  context?.scale(devicePixelRatio, devicePixelRatio);
  return context;
}
