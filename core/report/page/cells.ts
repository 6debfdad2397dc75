/** What stands in cells of tables beside texts. */
import { h } from './dom';
import type { Cell } from './table';

/** A bar of a length between 0 and 1. */
export function bar(share: number): Cell {
  const width = `${String(Math.round(share * 1_000) / 10)}%`;
  return {
    key: width,
    draw() {
      const filled = h('div', { class: 'filled' });
      filled.style.width = width;
      return h('div', { class: 'track', 'aria-hidden': 'true' }, filled);
    },
  };
}

/** A number that leads to its place in a chart. */
export function chooser(text: string, label: string, onclick: () => void): Cell {
  return {
    key: `${text} ${label}`,
    draw: () => h('button', { type: 'button', class: 'link', 'aria-label': label, onclick }, text),
  };
}
