/**
 * A context as a list of segments: stretches of the projection's own list and the few groups that edits changed. Reading
 * costs what is read; an edit costs what it touches; nothing is copied.
 */
import { PithError } from '../errors';
import type { Item } from '../session/items';
import type { Edit } from '../session/records';
import type { Estimate } from '../tokens/occupancy';
import { digestContext } from './digest';
import { ChangeTable, END, faultOfInsert } from './edits';
import { faultOfGroup, flattenGroup } from './groups';
import type { Group } from './groups';
import type { ContextView, SystemPart } from './view';

/** What a view reads: a projection at one moment. */
export interface Snapshot {
  readonly system: readonly SystemPart[];
  readonly entries: readonly Item[];
  /** Start of each group in `entries`; groups of which nothing is sent share the start of the next. */
  readonly starts: readonly number[];
  readonly groups: readonly Group[];
  readonly changes: ChangeTable;
  /** Digests of whole blocks of entries; filled as they are asked for. */
  readonly digests: string[];
  groupOf(id: string): number | undefined;
}

/** Tokens of a snapshot (S6.3), and of items that are not in it. */
export interface Meter {
  /** The request with the first `length` entries. */
  at(length: number): Estimate;
  between(from: number, to: number): number;
  weigh(items: Iterable<Item>): number;
}

interface Segment {
  /** First position in the view. */
  readonly start: number;
  readonly length: number;
  /** First entry of the snapshot, or the items that stand instead. */
  readonly source: number | readonly Item[];
}

/** A part of a segment, by offsets in it. */
interface Stretch {
  readonly segment: Segment;
  readonly begin: number;
  readonly end: number;
}

/** The context as the log gives it. */
export function viewOf(snapshot: Snapshot, meter: Meter): ContextView {
  const length = snapshot.entries.length;
  return new SegmentView(snapshot, meter, [{ start: 0, length, source: 0 }], snapshot.changes, new Set());
}

class SegmentView implements ContextView {
  readonly #snapshot: Snapshot;
  readonly #meter: Meter;
  readonly #segments: readonly Segment[];
  readonly #changes: ChangeTable;
  readonly #touched: ReadonlySet<number>;
  readonly #entries: number;
  readonly length: number;
  #digest: string | undefined;
  #groups: readonly number[] | undefined;

  constructor(
    snapshot: Snapshot,
    meter: Meter,
    segments: readonly Segment[],
    changes: ChangeTable,
    touched: ReadonlySet<number>,
  ) {
    this.#snapshot = snapshot;
    this.#meter = meter;
    this.#segments = segments;
    this.#changes = changes;
    this.#touched = touched;
    const last = segments.at(-1);
    this.length = last === undefined ? 0 : last.start + last.length;
    this.#entries = snapshot.entries.length;
  }

  get system(): readonly SystemPart[] {
    return this.#snapshot.system;
  }

  get digest(): string {
    return (this.#digest ??= this.digestOf(this.length));
  }

  digestOf(length: number): string {
    const isPlain = this.#segments.every(({ source }) => source === 0);
    return digestContext(
      this.system,
      length,
      (from, to) => this.items(from, to),
      isPlain ? this.#snapshot.digests : [],
    );
  }

  at(index: number): Item {
    const segment = index < 0 ? undefined : this.#segments[this.#segmentAt(index)];
    if (segment === undefined) throw new RangeError(`Item ${index} is outside a context of ${this.length} items.`);
    return this.#itemOf(segment, index - segment.start);
  }

  *items(from = 0, to = this.length): Iterable<Item> {
    for (const { segment, begin, end } of this.#stretches(from, to))
      for (let offset = begin; offset < end; offset++) yield this.#itemOf(segment, offset);
  }

  groups(): readonly number[] {
    return (this.#groups ??= this.#findGroups());
  }

  #findGroups(): readonly number[] {
    const begins: number[] = [];
    const { starts } = this.#snapshot;
    const groupAt = (entry: number): number => firstFrom(starts.length, (group) => (starts[group] as number) >= entry);
    for (const { start, length, source } of this.#segments) {
      if (typeof source !== 'number') {
        begins.push(start);
        continue;
      }
      const end = groupAt(source + length);
      for (let group = groupAt(source); group < end; group++) {
        const begin = start + (starts[group] as number) - source;
        if (begins.at(-1) !== begin) begins.push(begin);
      }
    }
    return begins;
  }

  with(edits: readonly Edit[]): ContextView {
    const changes = new ChangeTable(this.#changes);
    const touched = new Set(this.#touched);
    for (const edit of edits) {
      const fault = edit.edit === 'insert' ? faultOfInsert(edit.item) : undefined;
      if (fault !== undefined) throw new PithError('PITH_EDIT_INVALID', `An edit breaks the context: ${fault}.`);
      for (const id of changes.add(edit)) {
        if (id === END) continue;
        const group = this.#snapshot.groupOf(id);
        if (group === undefined)
          throw new PithError('PITH_EDIT_INVALID', `An edit names item "${id}", which is not in this context.`);
        touched.add(group);
      }
    }
    const segments: Segment[] = [];
    let start = 0;
    let source = 0;
    const put = (length: number, from: number | readonly Item[]): void => {
      if (length > 0) segments.push({ start, length, source: from });
      start += length;
    };
    for (const index of [...touched].sort((a, b) => a - b)) {
      const group = this.#snapshot.groups[index] as Group;
      const fault = faultOfGroup(group, changes);
      // What recorded edits broke before is mended as it is sent; nobody is blamed for it later.
      if (fault !== undefined && faultOfGroup(group, this.#changes) === undefined)
        throw new PithError('PITH_EDIT_INVALID', `An edit breaks the context: ${fault}.`);
      put((this.#snapshot.starts[index] as number) - source, source);
      const items = flattenGroup(group, changes);
      put(items.length, items);
      source = this.#snapshot.starts[index + 1] ?? this.#entries;
    }
    put(this.#entries - source, source);
    const appended = changes.insertedBefore(END);
    put(appended.length, appended);
    return new SegmentView(this.#snapshot, this.#meter, segments, changes, touched);
  }

  occupancy(): Estimate {
    return this.prefix(this.length);
  }

  prefix(length: number): Estimate {
    const [first] = this.#segments;
    const end = Math.min(length, this.length);
    // Up to the first change, what is sent is what the meter knows.
    if (end <= (first?.source === 0 ? first.length : 0)) return this.#meter.at(end);
    const tokens = this.#meter.at(0).tokens + this.tokens(0, end);
    const whole = this.#meter.at(this.#entries);
    if (whole.source === 'counted' || whole.source === 'offset')
      return { ...whole, tokens, margin: Math.ceil((whole.margin * tokens) / Math.max(1, whole.tokens)) };
    let replaced = 0;
    for (const { segment } of this.#stretches(0, end))
      if (typeof segment.source !== 'number') replaced += this.#meter.weigh(segment.source);
    return { tokens, margin: Math.max(1024, Math.ceil(replaced / 4), whole.margin), source: 'extrapolated' };
  }

  tokens(from: number, to = this.length): number {
    let tokens = 0;
    for (const { segment, begin, end } of this.#stretches(from, to))
      tokens +=
        typeof segment.source === 'number'
          ? this.#meter.between(segment.source + begin, segment.source + end)
          : this.#meter.weigh(segment.source.slice(begin, end));
    return tokens;
  }

  /** The parts of segments that lie between two positions of the view. */
  *#stretches(from: number, to: number): Iterable<Stretch> {
    for (let at = this.#segmentAt(from); at < this.#segments.length; at++) {
      const segment = this.#segments[at] as Segment;
      const begin = Math.max(0, from - segment.start);
      const end = Math.min(segment.length, to - segment.start);
      if (end <= begin) return;
      yield { segment, begin, end };
    }
  }

  #itemOf({ source }: Segment, offset: number): Item {
    return (typeof source === 'number' ? this.#snapshot.entries[source + offset] : source[offset]) as Item;
  }

  /** Number of the segment that holds a position; the number of segments where none does. */
  #segmentAt(index: number): number {
    return firstFrom(this.#segments.length, (at) => {
      const { start, length } = this.#segments[at] as Segment;
      return start + length > index;
    });
  }
}

/** The first number below `count` from which on a test holds, by bisection; `count` where it holds for none. */
function firstFrom(count: number, holds: (number: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
