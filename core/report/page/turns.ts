/** The turns of the session. */
import type { Report } from '../report';
import { bar, chooser } from './cells';
import { h, section } from './dom';
import type { Part } from './dom';
import { figure, shown } from './figures';
import { table } from './table';

export function turnsPart(showItem: (item: number) => void): Part<Report> {
  const listed = table(
    'Turns',
    [
      { title: 'Turn', isNumber: true, isHeader: true },
      { title: 'From item', isNumber: true },
      { title: 'Requests', isNumber: true },
      { title: 'Tokens', isNumber: true },
      { title: h('span', { class: 'unseen' }, 'Tokens as a bar'), class: 'bar' },
      { title: 'Prompt', class: 'beginning' },
    ],
    { class: 'turns' },
  );
  const empty = h('p', { class: 'empty' }, 'Nobody has asked anything yet.');
  return {
    element: section('turns', 'Turns', listed.element, empty),
    update({ turns }) {
      empty.hidden = turns.length > 0;
      listed.element.hidden = turns.length === 0;
      const most = turns.reduce((max, { tokens }) => Math.max(max, tokens), 1);
      listed.fill(
        turns.map(({ turn, fromItem, requests, tokens, prompt }) => [
          figure(turn),
          chooser(figure(fromItem), `Show item ${figure(fromItem)} on the map`, () => showItem(fromItem)),
          figure(requests),
          figure(tokens),
          bar(tokens / most),
          shown(prompt),
        ]),
      );
    },
  };
}
