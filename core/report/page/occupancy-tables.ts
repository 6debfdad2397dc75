/** What the chart of occupancy draws, as tables: its prunes and compactions, and its requests. */
import type { Report } from '../report';
import { chooser } from './cells';
import { h } from './dom';
import type { Part } from './dom';
import { figure, percent, shown } from './figures';
import { eventInWords } from './occupancy-series';
import { table } from './table';

/** Prunes and compactions; `choose` goes to a request, 1-based. */
export function eventsPart(choose: (request: number) => void): Part<Report> {
  const title = 'Prunes and compactions';
  const events = table(
    title,
    [
      { title: 'What', isHeader: true },
      { title: 'Before request', isNumber: true },
      { title: 'At item', isNumber: true },
      { title: 'Tokens before', isNumber: true },
      { title: 'After', isNumber: true },
      { title: 'Saved', isNumber: true },
      { title: 'Outcome' },
    ],
    { class: 'short' },
  );
  const none = h('p', { class: 'empty' }, 'Nothing was pruned or compacted.');
  const element = h('div', { class: 'events' }, h('h3', {}, title), events.element, none);
  return {
    element,
    update({ events: all, occupancy }) {
      none.hidden = all.length > 0;
      events.element.hidden = all.length === 0;
      events.fill(
        all.map((event) => {
          const { kind, request, item, before, after, outcome, compaction } = event;
          const name = kind === 'prune' ? 'Prune' : `Compaction ${compaction === undefined ? '' : figure(compaction)}`;
          const isSent = request <= occupancy.length;
          return [
            name.trim(),
            isSent ? chooser(figure(request), `Show ${eventInWords(event)}`, () => choose(request)) : 'the next',
            figure(item),
            before === undefined ? '–' : figure(before),
            after === undefined ? '–' : figure(after),
            before === undefined || after === undefined ? '–' : percent(before - after, before),
            kind === 'prune' ? '' : shown(outcome ?? 'done'),
          ];
        }),
      );
    },
  };
}

/** All requests. */
export function requestsTable(): Part<Report> {
  const requests = table('Requests', [
    { title: 'Request', isNumber: true, isHeader: true },
    { title: 'Items', isNumber: true },
    { title: 'Tokens', isNumber: true },
    { title: 'Of the limit', isNumber: true },
    { title: 'How it is known' },
    { title: 'What came before it' },
  ]);
  return {
    element: requests.element,
    update({ occupancy, events, limit }) {
      const before = new Map<number, string>();
      for (const { kind, request } of events) before.set(request, [before.get(request) ?? [], kind].flat().join(', '));
      requests.fill(
        occupancy.map(({ request, item, tokens, source }) => [
          figure(request),
          figure(item),
          figure(tokens),
          limit === undefined ? '–' : percent(tokens, limit),
          source === 'measured' ? 'measured' : `estimated (${source})`,
          before.get(request) ?? '',
        ]),
      );
    },
  };
}
