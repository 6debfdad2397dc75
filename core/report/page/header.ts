/** The head of the page: what it is about, and how full the context is. */
import type { Report } from '../report';
import { h, setAttribute, setText } from './dom';
import type { Part } from './dom';
import { factList } from './facts';
import { counted, figure, percent, shown } from './figures';
import { chartLines } from './occupancy-series';
import { themeChoice } from './theme';

export function headerPart(status: HTMLElement): Part<Report> {
  const title = h('h1');
  const facts = h('div');
  const meter = meterPart();
  const bar = h('div', { class: 'top' }, title, h('div', { class: 'controls' }, status, themeChoice()));
  const element = h('header', {}, bar, facts, meter.element);
  let known = '';
  return {
    element,
    update(report) {
      setText(title, shown(report.title));
      const key = JSON.stringify(report.source);
      if (key !== known) facts.replaceChildren(factsOf(report));
      known = key;
      meter.update(report);
    },
  };
}

function factsOf({ source, madeAt }: Report): HTMLElement {
  return factList([
    ['Model', source.model === undefined ? 'not known' : shown(source.model)],
    ['Items', figure(source.items)],
    ['Turns', figure(source.turns)],
    ['Requests', figure(source.requests)],
    ['Format', shown(source.format)],
    ['Session', shown(source.sessionId)],
    ['File', source.path === undefined ? undefined : shown(source.path)],
    ['Report made', timeOf(madeAt)],
  ]);
}

/** The same wherever it is read: the time of the world, to the minute. */
function timeOf(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? '' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Tokens of the context against the limit of the model. */
function meterPart(): Part<Report> {
  const said = h('p', { class: 'meter-text' });
  const amount = h('strong');
  const rest = h('span');
  said.append(amount, ' ', rest);
  const filled = h('div', { class: 'filled' });
  const marks = h('div', { class: 'marks' });
  const meter = h('div', { class: 'meter', 'aria-label': 'Tokens of the context' }, filled, marks);
  return {
    element: h('div', { class: 'occupancy-now' }, said, meter),
    update({ tokens: { total, source }, limit, thresholds }) {
      const how = source === 'measured' ? 'measured by the provider' : `estimated (${source})`;
      setText(amount, figure(total));
      const of =
        limit === undefined
          ? 'tokens; the limit of the model is not known'
          : `of ${counted(limit, 'token')}, ${percent(total, limit)}`;
      setText(rest, `${of}; ${how}`);
      meter.hidden = limit === undefined;
      if (limit === undefined) return;
      setAttribute(meter, 'role', 'meter');
      setAttribute(meter, 'aria-valuemin', 0);
      setAttribute(meter, 'aria-valuemax', limit);
      setAttribute(meter, 'aria-valuenow', Math.min(total, limit));
      setAttribute(meter, 'aria-valuetext', `${figure(total)} of ${figure(limit)} tokens, ${percent(total, limit)}`);
      filled.style.width = `${String(Math.min(100, (100 * total) / limit))}%`;
      filled.classList.toggle(
        'over',
        thresholds.some(({ tokens }) => total >= tokens),
      );
      const lines = chartLines({ thresholds }).filter(({ tokens }) => tokens <= limit);
      if (marks.children.length !== lines.length)
        marks.replaceChildren(
          ...lines.map(({ name, tokens }) => {
            const mark = h('i', { title: `${name}: ${figure(tokens)}` });
            mark.style.left = `${String((100 * tokens) / limit)}%`;
            return mark;
          }),
        );
    },
  };
}
