/** What the context is made of: tables whose bars and figures say the same. */
import type { Report } from '../report';
import type { ContextKind } from '../../agent/inspect';
import { bar } from './cells';
import { folded, h, section } from './dom';
import type { Part } from './dom';
import { counted, figure, percent, shown } from './figures';
import { KIND_NAMES } from './names';
import { table } from './table';
import type { Cell, Table } from './table';

/** Tools that are shown at once. */
const MOST_TOOLS = 10;

export function kindsPart(): Part<Report> {
  const kinds = sharesTable('Tokens by kind', 'Kind');
  const empty = h('p', { class: 'empty' }, 'The context is empty.');
  return {
    element: section('kinds', 'What the context holds', kinds.element, empty),
    update({ tokens }) {
      const shares = Object.entries(tokens.byKind).map(
        ([kind, count]) => [KIND_NAMES[kind as ContextKind] ?? shown(kind), count] as const,
      );
      empty.hidden = shares.length > 0;
      kinds.element.hidden = shares.length === 0;
      kinds.fill(shareRows(shares, tokens.total));
    },
  };
}

export function toolsPart(): Part<Report> {
  const first = sharesTable('Tokens of calls and results by tool', 'Tool');
  const others = folded<readonly (readonly Cell[])[]>('Other tools', () => {
    const rest = sharesTable('Other tools', 'Tool');
    return { element: rest.element, update: (rows) => rest.fill(rows) };
  });
  const empty = h('p', { class: 'empty' }, 'The context holds no call of a tool.');
  const element = section('tools', 'Tools', first.element, others.element, empty);
  return {
    element,
    update({ tokens }) {
      const rows = shareRows(
        Object.entries(tokens.byTool).map(([tool, count]) => [shown(tool), count] as const),
        tokens.total,
      );
      empty.hidden = rows.length > 0;
      first.element.hidden = rows.length === 0;
      others.element.hidden = rows.length <= MOST_TOOLS;
      first.fill(rows.slice(0, MOST_TOOLS));
      const label = others.element.querySelector('summary');
      if (label !== null) label.textContent = counted(rows.length - MOST_TOOLS, 'more tool');
      others.update(rows.slice(MOST_TOOLS));
    },
  };
}

function sharesTable(caption: string, what: string): Table {
  return table(
    caption,
    [
      { title: what, isHeader: true, class: 'name' },
      { title: h('span', { class: 'unseen' }, 'Share as a bar'), class: 'bar' },
      { title: 'Tokens', isNumber: true },
      { title: 'Share', isNumber: true },
    ],
    { class: 'shares' },
  );
}

function shareRows(shares: readonly (readonly [string, number])[], total: number): readonly (readonly Cell[])[] {
  const most = Math.max(1, ...shares.map(([, tokens]) => tokens));
  return shares.map(([name, tokens]) => [name, bar(tokens / most), figure(tokens), percent(tokens, total)]);
}
