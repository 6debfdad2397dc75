/** The script of the page of a report: reads its data, draws it, and follows the session where it is a live one. */
import type { Report } from '../report';
import { kindsPart, toolsPart } from './composition';
import { h } from './dom';
import type { Part } from './dom';
import { filesPart } from './files';
import { headerPart } from './header';
import { follow, liveStatus } from './live';
import { occupancyPart } from './occupancy';
import { integrityPart, outlookPart } from './outlook';
import { watchColours } from './palette';
import { mapPart } from './session-map';
import { compactionPart } from './sides';
import { summaryPart } from './summary';
import { turnsPart } from './turns';

/** The mark of `performance` that is set whenever everything was drawn. */
const DRAWN = 'pith.drawn';

function start(root: HTMLElement, report: Report): void {
  const url = root.dataset['events'];
  const status = liveStatus();
  status.element.hidden = url === undefined;
  const map = mapPart();
  const parts: readonly Part<Report>[] = [
    occupancyPart(),
    kindsPart(),
    toolsPart(),
    map,
    compactionPart(),
    summaryPart(),
    filesPart(map.choose),
    turnsPart(map.choose),
    outlookPart(),
    integrityPart(),
  ];
  const header = headerPart(status.element);
  const links = parts.map(({ element }) =>
    h('li', {}, h('a', { href: `#${element.id}` }, element.querySelector('h2')?.textContent ?? '')),
  );
  root.replaceChildren(
    header.element,
    h('nav', { 'aria-label': 'Sections' }, h('ul', {}, ...links)),
    h('main', {}, ...parts.map(({ element }) => element)),
  );
  watchColours();
  draw(report);
  if (url !== undefined) follow(url, report, status, draw);

  function draw(shown: Report): void {
    for (const part of [header, ...parts]) part.update(shown);
    performance.clearMarks(DRAWN);
    performance.mark(DRAWN);
  }
}

const root = document.getElementById('report');
const data = document.getElementById('data');
if (root !== null && data !== null) start(root, JSON.parse(data.textContent) as Report);
