/** Logs whose entries name their parent: an append-only file in which a rewind starts a new branch (S12.3). */

/** How one entry hangs in the tree: the id of its parent, `null` for a root, undefined where the log does not say. */
interface Link {
  readonly id: string | undefined;
  readonly parent: string | null | undefined;
}

/** The parent of a root. */
export const ROOT = -1;

/**
 * The index of each entry's parent. An entry whose parent is not told, or is not among the entries before it, follows the
 * entry directly before it: a damaged log is read on in file order. Where ids repeat, the nearest entry before counts. So no
 * chain has a cycle, whatever the log says.
 */
export function parentsOf(links: readonly Link[]): Int32Array {
  const places = new Map<string, number>();
  const parents = new Int32Array(links.length);
  links.forEach((link, place) => {
    const told = typeof link.parent === 'string' ? places.get(link.parent) : undefined;
    parents[place] = told ?? (link.parent === null ? ROOT : place - 1);
    if (link.id !== undefined) places.set(link.id, place);
  });
  return parents;
}

/** The entries from a root down to `leaf`, in order. */
export function chainTo(leaf: number, parents: Int32Array): readonly number[] {
  const chain: number[] = [];
  for (let place = leaf; place >= 0; place = parents[place] ?? ROOT) chain.push(place);
  return chain.reverse();
}
