/** The files that the session touched, with what the compaction made of them. */
import type { ReadRange, Report, ReportFile } from '../report';
import { chooser } from './cells';
import { h, section, setAttribute, setText } from './dom';
import type { Part } from './dom';
import { counted, figure, shown } from './figures';
import { nextOrder, orderedFiles, tokensOf } from './file-order';
import type { FileColumn, FileOrder } from './file-order';
import { table } from './table';

const COLUMNS: readonly (readonly [FileColumn | undefined, string])[] = [
  ['path', 'Path'],
  ['reads', 'Reads'],
  ['writes', 'Writes'],
  ['lastItem', 'Last item'],
  ['tokens', 'Tokens read again'],
  [undefined, 'In the new context, and why'],
];

export function filesPart(showItem: (item: number) => void): Part<Report> {
  let files: readonly ReportFile[] = [];
  let order: FileOrder = { by: 'lastItem', isDescending: true };
  const filter = h('input', {
    id: 'file-filter',
    type: 'search',
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: show,
  });
  filter.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || filter.value === '') return;
    event.preventDefault();
    filter.value = '';
    show();
  });
  const count = h('span', { class: 'count', role: 'status' });
  const listed = table(
    'Files that the session touched',
    COLUMNS.map(([column, title], at) => ({
      title:
        column === undefined
          ? title
          : h('button', { type: 'button', class: 'sort', onclick: () => sort(column) }, title),
      isHeader: at === 0,
      isNumber: at > 0 && column !== undefined,
      class: at === 0 ? 'path' : at === COLUMNS.length - 1 ? 'place' : '',
    })),
    { class: 'files' },
  );
  const tools = h('div', { class: 'tools' }, h('label', { for: 'file-filter' }, 'Filter'), filter, count);
  const empty = h('p', { class: 'empty' }, 'The session touched no file.');
  return {
    element: section('files', 'Files', tools, listed.element, empty),
    update(report) {
      files = report.files;
      empty.hidden = files.length > 0;
      tools.hidden = listed.element.hidden = files.length === 0;
      show();
    },
  };

  function sort(column: FileColumn): void {
    order = nextOrder(order, column);
    show();
  }

  function show(): void {
    const chosen = orderedFiles(files, order, filter.value);
    COLUMNS.forEach(([column], at) => {
      const head = listed.heads[at];
      const sorted = column === order.by ? (order.isDescending ? 'descending' : 'ascending') : 'none';
      if (head !== undefined && column !== undefined) setAttribute(head, 'aria-sort', sorted);
    });
    setText(
      count,
      chosen.length === files.length
        ? counted(files.length, 'file')
        : `${figure(chosen.length)} of ${counted(files.length, 'file')}`,
    );
    listed.fill(
      chosen.map((file) => [
        shown(file.path),
        figure(file.reads),
        figure(file.writes),
        chooser(figure(file.lastItem), `Show item ${figure(file.lastItem)} on the map`, () => showItem(file.lastItem)),
        file.ranges.length === 0 ? '–' : figure(tokensOf(file)),
        { key: JSON.stringify([file.ranges, file.note]), draw: () => placeOf(file) },
      ]),
    );
  }
}

/** Where a file stands in the new context: by its ranges, by its name, or not at all. */
function placeOf({ ranges, note }: ReportFile): HTMLElement {
  const named = note === undefined ? [] : [h('li', {}, note === '' ? 'named' : `named: ${shown(note)}`)];
  return h('ul', { class: 'ranges' }, ...ranges.map(rangeOf), ...named);
}

function rangeOf({ fromLine, toLine, tokens, reason }: ReadRange): HTMLElement {
  return h(
    'li',
    {},
    h('b', {}, `${figure(fromLine)}–${figure(toLine)}`),
    ` ${counted(tokens, 'token')}`,
    reason === undefined || reason === '' ? '' : `: ${shown(reason)}`,
  );
}
