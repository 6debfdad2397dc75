/** How keys move along the points of a chart. Pure. */

/** Points that a page key passes over. */
const PAGE = 10;

/** The point that a key leads to, from one of `count` that are numbered from 0; undefined for a key that leads nowhere. */
export function steppedTo(key: string, at: number, count: number): number | undefined {
  const to = target(key, at, count - 1);
  return to === undefined || count < 1 ? undefined : Math.min(count - 1, Math.max(0, to));
}

function target(key: string, at: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return at - 1;
    case 'ArrowRight':
    case 'ArrowUp':
      return at + 1;
    case 'PageDown':
      return at - PAGE;
    case 'PageUp':
      return at + PAGE;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
