/** The map of the session: all items as a ribbon, their tokens as length, with what became of them. */
import type { Fate, MapItem, Report } from '../report';
import { folded, h, section, setAttribute } from './dom';
import type { Part } from './dom';
import { counted, figure, percent, shown } from './figures';
import { cutOf, fateTotals, itemAt, layoutMap, rowPieces } from './map-layout';
import type { MapLayout } from './map-layout';
import { MAP_GUTTER, MAP_PITCH, mapHeight, paintMap, paintSwatch } from './map-painting';
import { FATE_NAMES, ITEM_NAMES } from './names';
import { onColours } from './palette';
import { ReadOut } from './read-out';
import { table } from './table';

/** The map, and the way to an item of it. */
export interface SessionMap extends Part<Report> {
  /** Goes to an item, 0-based, and gives the map the focus. */
  choose(item: number): void;
}

export function mapPart(): SessionMap {
  let report: Report | undefined;
  let layout: MapLayout = layoutMap([], 1);
  /** Pixels in which the map was drawn. */
  let width = 0;
  const canvas = h('canvas', { role: 'img' });
  const marker = h('div', { class: 'map-marker', 'aria-hidden': 'true' });
  const surface = h('div', { class: 'map-surface', 'aria-describedby': 'map-keys' }, marker);
  const holder = h('div', { class: 'map' }, canvas, surface);
  const readOut = new ReadOut({ surface, label: 'Item of the map', say, point });
  const legend = h('ul', { class: 'legend' });
  const help = h('p', { class: 'help', id: 'map-keys' }, 'Arrow keys go from item to item, page keys ten at a time.');
  const body = h('div', { class: 'stack' }, legend, holder, readOut.element, help);
  const empty = h('p', { class: 'empty' }, 'The session has no items.');
  const items = folded('All items as a table', itemsTable);
  const element = section('map', 'Map of the session', empty, body, items.element);

  new ResizeObserver(() => holder.clientWidth !== width && draw()).observe(holder);
  onColours(draw);
  surface.addEventListener('pointermove', (event) => readOut.hover(under(event)));
  surface.addEventListener('pointerleave', () => readOut.hover(undefined));
  surface.addEventListener('click', (event) => readOut.choose(under(event)));

  return {
    element,
    update(next) {
      const isSame = report?.map === next.map && report.turns === next.turns;
      report = next;
      if (isSame) return;
      const isEmpty = next.map.length === 0;
      empty.hidden = !isEmpty;
      body.hidden = items.element.hidden = isEmpty;
      setAttribute(canvas, 'aria-label', mapInWords(next));
      draw();
      items.update(next);
    },
    choose(item) {
      surface.scrollIntoView({ block: 'center' });
      readOut.choose(item);
      surface.focus({ preventScroll: true });
    },
  };

  function draw(): void {
    if (report === undefined || report.map.length === 0 || holder.clientWidth === 0) return;
    width = holder.clientWidth;
    layout = layoutMap(report.map, width - MAP_GUTTER);
    paintMap(canvas, width, report, layout);
    holder.style.height = `${String(mapHeight(layout))}px`;
    fillLegend(legend, report.map);
    readOut.update(report.map.length);
  }

  function under({ offsetX, offsetY }: MouseEvent): number {
    const row = Math.min(layout.rows - 1, Math.max(0, Math.floor(offsetY / MAP_PITCH)));
    return itemAt(layout, (row + offsetX / Math.max(1, surface.clientWidth)) * layout.perRow);
  }

  function say(at: number): string {
    const item = report?.map[at];
    return item === undefined ? '' : itemInWords(item, at);
  }

  function point(at: number | undefined): void {
    const pieces = at === undefined ? [] : rowPieces(layout, layout.starts[at] ?? 0, layout.starts[at + 1] ?? 0);
    const width = surface.clientWidth;
    marker.replaceChildren(
      ...pieces.map((piece) => {
        const box = h('i');
        box.style.transform = `translate(${String(Math.round(piece.x * width) - 2)}px, ${String(piece.row * MAP_PITCH)}px)`;
        box.style.width = `${String(Math.max(1, Math.round(piece.width * width)) + 4)}px`;
        return box;
      }),
    );
  }
}

const LEGEND: readonly (Fate | 'read again')[] = ['kept', 'changed', 'summarised', 'dropped', 'read again'];

function fillLegend(legend: HTMLElement, map: Report['map']): void {
  const totals = fateTotals(map);
  legend.replaceChildren(
    ...LEGEND.flatMap((fate) => {
      const total = totals.get(fate);
      if (total === undefined) return [];
      const swatch = h('canvas', { class: 'swatch', 'aria-hidden': 'true' });
      paintSwatch(swatch, fate);
      const name = fate === 'read again' ? fate : FATE_NAMES[fate];
      return [
        h(
          'li',
          {},
          swatch,
          h('span', {}, name),
          h('small', {}, `${counted(total.items, 'item')}, ${figure(total.tokens)} tokens`),
        ),
      ];
    }),
  );
}

function mapInWords({ map, turns }: Report): string {
  const totals = fateTotals(map);
  const fates = LEGEND.flatMap((fate) => {
    const total = totals.get(fate);
    const name = fate === 'read again' ? fate : FATE_NAMES[fate];
    return total === undefined ? [] : [`${figure(total.items)} ${name} (${figure(total.tokens)} tokens)`];
  });
  const cut = cutOf(map);
  const where = cut === undefined ? '' : ` The cut is before item ${figure(cut)}.`;
  return `${counted(map.length, 'item')} in ${counted(turns.length, 'turn')}: ${fates.join(', ')}.${where}`;
}

/** One item in words. */
function itemInWords({ kind, tool, tokens, fate, readAgain, text }: MapItem, at: number): string {
  const what = `${ITEM_NAMES[kind]}${tool === undefined ? '' : ` of ${shown(tool)}`}`;
  const again = readAgain === true ? ', read again' : '';
  return `Item ${figure(at)}: ${what}, ${figure(tokens)} tokens, ${FATE_NAMES[fate]}${again}. ${shown(text)}`;
}

function itemsTable(): Part<Report> {
  const items = table('Items', [
    { title: 'Item', isNumber: true, isHeader: true },
    { title: 'Kind' },
    { title: 'Tool' },
    { title: 'Tokens', isNumber: true },
    { title: 'Share', isNumber: true },
    { title: 'What became of it' },
    { title: 'Beginning', class: 'beginning' },
  ]);
  return {
    element: items.element,
    update({ map }) {
      const total = map.reduce((sum, { tokens }) => sum + tokens, 0);
      items.fill(
        map.map(({ kind, tool, tokens, fate, readAgain, text }, at) => [
          figure(at),
          ITEM_NAMES[kind],
          shown(tool ?? ''),
          figure(tokens),
          percent(tokens, total),
          `${FATE_NAMES[fate]}${readAgain === true ? ', read again' : ''}`,
          shown(text),
        ]),
      );
    },
  };
}
