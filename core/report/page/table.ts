/** Tables that grow: only cells that say something else are drawn anew, so that what has the focus keeps it. */
import { h, setAttribute, setText } from './dom';
import type { Child } from './dom';

export interface Column {
  readonly title: Child;
  readonly isNumber?: boolean;
  /** The column says what its row is about. */
  readonly isHeader?: boolean;
  readonly class?: string;
}

/** A text, or what is drawn as long as its key stays the same. */
export type Cell = string | { readonly key: string; draw(): Node };

export interface Table {
  /** The table in a box that can be scrolled. */
  readonly element: HTMLElement;
  readonly heads: readonly HTMLTableCellElement[];
  fill(rows: readonly (readonly Cell[])[]): void;
}

/** A table under its caption. */
export function table(caption: string, columns: readonly Column[], options: { readonly class?: string } = {}): Table {
  const heads = columns.map(({ title, isNumber, class: name }) =>
    h('th', { scope: 'col', class: classes(isNumber, name) }, title),
  );
  const body = h('tbody');
  const keys: string[][] = [];
  const inner = h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, ...heads)), body);
  const element = h('div', { class: `scroll ${options.class ?? ''}`.trim() }, inner);
  const label = `Table: ${caption}`;
  reachable(element, label, true);
  const sizes = new ResizeObserver(() => reachable(element, label, mayScroll(element, inner)));
  sizes.observe(element);
  sizes.observe(inner);
  return { element, heads, fill };

  function fill(rows: readonly (readonly Cell[])[]): void {
    while (body.rows.length > rows.length) {
      body.rows[body.rows.length - 1]?.remove();
      keys.pop();
    }
    const added = document.createDocumentFragment();
    rows.forEach((cells, at) => {
      const row = keys[at] === undefined ? added.appendChild(h('tr', {}, ...columns.map(cellOf))) : body.rows[at];
      const known = (keys[at] ??= []);
      cells.forEach((cell, column) => {
        const key = typeof cell === 'string' ? cell : cell.key;
        const place = row?.cells[column];
        if (known[column] === key || place === undefined) return;
        known[column] = key;
        if (typeof cell === 'string') setText(place, cell);
        else place.replaceChildren(cell.draw());
      });
    });
    body.append(added);
  }
}

/** A box with more in it than it shows takes the focus, for the keys that scroll, and has a name then. */
function reachable(box: HTMLElement, label: string, isReachable: boolean): void {
  setAttribute(box, 'role', isReachable && 'region');
  setAttribute(box, 'tabindex', isReachable && 0);
  setAttribute(box, 'aria-label', isReachable && label);
}

/** Whether a box has more in it than it shows; of a table that is too far away to be drawn nobody knows. */
function mayScroll({ scrollHeight, clientHeight, scrollWidth, clientWidth }: HTMLElement, inner: HTMLElement): boolean {
  if (!inner.checkVisibility({ contentVisibilityAuto: true })) return true;
  return scrollHeight > clientHeight || scrollWidth > clientWidth;
}

function cellOf({ isNumber, isHeader, class: name }: Column): HTMLTableCellElement {
  const cell = isHeader === true ? h('th', { scope: 'row' }) : h('td');
  setAttribute(cell, 'class', classes(isNumber, name));
  return cell;
}

function classes(isNumber: boolean | undefined, name: string | undefined): string | undefined {
  const all = [isNumber === true ? 'number' : '', name ?? ''].filter(Boolean).join(' ');
  return all === '' ? undefined : all;
}
