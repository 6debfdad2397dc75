/** Cycles of a directed graph. */

/** For each node the nodes that follow it, with the reason of the edge in words. */
export type Edges = readonly ReadonlyMap<number, string>[];

/**
 * A shortest cycle through each node that lies on one, each cycle once: from its lowest node back to it. So every node and
 * every knot of cycles is named, not only the first.
 */
export function findCycles(edges: Edges): readonly (readonly number[])[] {
  const found = new Map<string, readonly number[]>();
  for (const start of edges.keys()) {
    const cycle = shortestCycle(edges, start);
    if (cycle === undefined) continue;
    const rotated = fromLowest(cycle);
    found.set(rotated.join(), [...rotated, rotated[0] as number]);
  }
  return [...found.values()];
}

/** The nodes of a shortest way from `start` back to it, breadth first; undefined where there is none. */
function shortestCycle(edges: Edges, start: number): readonly number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const next of edges[node]?.keys() ?? []) {
      if (next === start) return wayBack(cameFrom, start, node);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return undefined;
}

function wayBack(cameFrom: ReadonlyMap<number, number>, start: number, end: number): readonly number[] {
  const way = [end];
  for (let node = end; node !== start;) {
    node = cameFrom.get(node) as number;
    way.unshift(node);
  }
  return way;
}

function fromLowest(cycle: readonly number[]): readonly number[] {
  const at = cycle.indexOf(Math.min(...cycle));
  return [...cycle.slice(at), ...cycle.slice(0, at)];
}
