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
    const [only] = this.#segments;
    const isPlain = this.#segments.length === 1 && only?.source === 0;
    return digestContext(
      this.system,
      length,
      (from, to) => this.items(from, to),
      isPlain ? this.#snapshot.digests : [],
    );
  }

  at(index: number): Item {
    const segment = this.#segments[this.#segmentAt(index)];
    const item = segment === undefined ? undefined : this.#itemIn(segment, index - segment.start);
    if (item === undefined) throw new RangeError(`Item ${index} is outside a context of ${this.length} items.`);
    return item;
  }

  *items(from = 0, to = this.length): Iterable<Item> {
    const end = Math.min(to, this.length);
    for (let at = this.#segmentAt(from), index = from; index < end; at++) {
      const segment = this.#segments[at];
      if (segment === undefined) return;
      for (const stop = Math.min(end, segment.start + segment.length); index < stop; index++) {
        const item = this.#itemIn(segment, index - segment.start);
        if (item !== undefined) yield item;
      }
    }
  }

  groups(): readonly number[] {
    return (this.#groups ??= this.#findGroups());
  }

  #findGroups(): readonly number[] {
    const begins: number[] = [];
    const { starts } = this.#snapshot;
    for (const { start, length, source } of this.#segments) {
      if (typeof source !== 'number') {
        begins.push(start);
        continue;
      }
      for (let group = firstAtOrAfter(starts, source); group < starts.length; group++) {
        const begin = starts[group] ?? 0;
        if (begin >= source + length) break;
        if ((starts[group + 1] ?? this.#entries) > begin) begins.push(start + begin - source);
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
      const group = this.#snapshot.groups[index];
      if (group === undefined) continue;
      const fault = faultOfGroup(group, changes);
      // What recorded edits broke before is mended as it is sent; nobody is blamed for it later.
      if (fault !== undefined && faultOfGroup(group, this.#changes) === undefined)
        throw new PithError('PITH_EDIT_INVALID', `An edit breaks the context: ${fault}.`);
      const begin = this.#snapshot.starts[index] ?? source;
      put(begin - source, source);
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
    const [only] = this.#segments;
    if (this.#segments.length <= 1 && (only === undefined || only.source === 0))
      return this.#meter.at(Math.min(length, this.#entries));
    const base = this.#meter.at(0);
    const tokens = base.tokens + this.tokens(0, length);
    const whole = this.#meter.at(this.#entries);
    if (whole.source === 'counted' || whole.source === 'offset')
      return { ...whole, tokens, margin: Math.ceil((whole.margin * tokens) / Math.max(1, whole.tokens)) };
    let replaced = 0;
    for (const segment of this.#segments)
      if (typeof segment.source !== 'number') replaced += this.#meter.weigh(segment.source);
    return { tokens, margin: Math.max(1024, Math.ceil(replaced / 4), whole.margin), source: 'extrapolated' };
  }

  tokens(from: number, to = this.length): number {
    let tokens = 0;
    for (let at = this.#segmentAt(from); at < this.#segments.length; at++) {
      const segment = this.#segments[at];
      if (segment === undefined || segment.start >= to) break;
      const begin = Math.max(0, from - segment.start);
      const end = Math.min(segment.length, to - segment.start);
      if (end <= begin) continue;
      tokens +=
        typeof segment.source === 'number'
          ? this.#meter.between(segment.source + begin, segment.source + end)
          : this.#meter.weigh(segment.source.slice(begin, end));
    }
    return tokens;
  }

  #itemIn(segment: Segment, offset: number): Item | undefined {
    return typeof segment.source === 'number'
      ? this.#snapshot.entries[segment.source + offset]
      : segment.source[offset];
  }

  #segmentAt(index: number): number {
    let low = 0;
    let high = this.#segments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const segment = this.#segments[middle];
      if (segment !== undefined && segment.start + segment.length <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Index of the first number that is not below `value` in an ascending list. */
function firstAtOrAfter(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
