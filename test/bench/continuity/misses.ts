/** The biggest things that a context lacked: what, how long ago it was seen, and what the context had instead. */
import { fileCalls } from '../../../core';
import type { Item, LineRange } from '../../../core';
import type { RealSession } from './corpus';
import type { Miss } from './measures';
import type { Row } from './replay';

/** Something that was missing at one cut or more of a session. */
export interface BigMiss {
  readonly kind: Miss['kind'];
  readonly session: string;
  readonly what: string;
  /** How much of the mean over sessions it costs, as a share. */
  readonly cost: number;
  readonly cuts: number;
  /** At the cut where it costs most: the items before it, and the tool calls since it was seen. */
  readonly example: { readonly cut: number; readonly callsAgo: number; readonly because: string };
}

interface Lack {
  readonly miss: Miss;
  readonly row: Row;
  readonly what: string;
  readonly cost: number;
}

/** The misses of rows of one policy, budget and horizon that cost most, `most` of each kind. */
export function biggestMisses(
  rows: readonly Row[],
  sessions: readonly RealSession[],
  most: number,
): readonly BigMiss[] {
  const lacks = new Map<string, Lack[]>();
  for (const row of rows)
    for (const miss of row.misses) {
      const what = whatOf(miss);
      const key = [miss.kind, row.session, what].join('\n');
      lacks.set(key, [...(lacks.get(key) ?? []), { miss, row, what, cost: costOf(miss, row, rows) }]);
    }
  const misses = [...lacks.values()].map((of) => bigMiss(of, sessions));
  const kinds: readonly Miss['kind'][] = ['lines', 'reads', 'names', 'directives', 'named'];
  return kinds.flatMap((kind) =>
    misses
      .filter((miss) => miss.kind === kind)
      .sort((a, b) => b.cost - a.cost || (a.what < b.what ? -1 : 1))
      .slice(0, most),
  );
}

function bigMiss(lacks: readonly Lack[], sessions: readonly RealSession[]): BigMiss {
  const { miss, row, what } = lacks.reduce((worst, next) => (next.cost > worst.cost ? next : worst));
  const items = sessions.find(({ name }) => name === row.session)?.items.slice(0, row.cut) ?? [];
  return {
    kind: miss.kind,
    session: row.session,
    what,
    cost: lacks.reduce((sum, { cost }) => sum + cost, 0),
    cuts: lacks.length,
    example: { cut: row.cut, callsAgo: callsSince(miss, items), because: becauseOf(miss) },
  };
}

function whatOf(miss: Miss): string {
  switch (miss.kind) {
    case 'names':
      return `${miss.name.kind} ${miss.name.name}`;
    case 'directives':
      return miss.directive.sentence;
    case 'lines':
    case 'reads':
    case 'named':
      return miss.path;
  }
}

/** The share of the mean over sessions that a miss costs: a session weighs as much as any other, and so does a cut within it. */
function costOf(miss: Miss, row: Row, rows: readonly Row[]): number {
  const counted = rows.filter(({ needed }) => needed[miss.kind] > 0);
  const sessions = new Set(counted.map(({ session }) => session)).size;
  const cuts = counted.filter(({ session }) => session === row.session).length;
  const lost = miss.kind === 'lines' ? miss.numbers.length : 1;
  return lost / row.needed[miss.kind] / cuts / sessions;
}

/** Tool calls between the one that showed it last, or touched the file last, and the cut. */
function callsSince(miss: Miss, items: readonly Item[]): number {
  const from =
    miss.kind === 'names'
      ? miss.name.lastSeen
      : miss.kind === 'directives'
        ? miss.directive.item
        : lastTouch(miss.path, items);
  return items.slice(from + 1).filter(({ kind }) => kind === 'tool_call').length;
}

function lastTouch(path: string, items: readonly Item[]): number {
  const name = path.slice(path.lastIndexOf('/'));
  return items.findLastIndex(
    (item) =>
      item.kind === 'tool_call' &&
      fileCalls(item.name, item.arguments).some((call) => call.path === path || call.path.endsWith(name)),
  );
}

function becauseOf(miss: Miss): string {
  switch (miss.kind) {
    case 'names':
      return miss.standing === 'absent' ? 'it stands nowhere' : 'it stands without what it stood with';
    case 'directives':
      return miss.directive.because === 'active' ? 'of the prompt that is worked on' : 'it is said again later';
    case 'named':
      return 'the file is named nowhere';
    case 'lines':
    case 'reads': {
      const lines = rangesText(asRanges(miss.numbers));
      const { ranges, named } = miss.shown;
      if (ranges.length > 0) return `lines ${lines} are missing, shown are ${rangesText(ranges)}`;
      return `lines ${lines}: the file is ${named ? 'only named' : 'not even named'}`;
    }
  }
}

function asRanges(numbers: readonly number[]): readonly LineRange[] {
  const ranges: { fromLine: number; toLine: number }[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    // Blank lines are not asked for, so they part nothing.
    if (last !== undefined && number <= last.toLine + 3) last.toLine = number;
    else ranges.push({ fromLine: number, toLine: number });
  }
  return ranges;
}

function rangesText(ranges: readonly LineRange[]): string {
  const texts = ranges.map(({ fromLine, toLine }) => `${String(fromLine)}-${String(toLine)}`);
  return texts.length > 4 ? `${texts.slice(0, 4).join(', ')} and ${String(texts.length - 4)} more` : texts.join(', ');
}
