/** The session: an append-only log of records with the indexes that reading it needs (S5). */
import { PithError } from '../errors';
import type { SessionToken } from '../kernel/token';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Item, ItemId, NewItem } from './items';
import type { ItemCount, Position, RecordBody, RecordDraft, SessionPlace, SessionRecord } from './records';
import type { QueuedPrompt, Session, SessionState } from './session';
import { walkable } from './nesting';
import type { LogWriter } from './store';

/** Values that exist once per session; the kernel makes them. */
export interface SessionServices {
  get<T>(token: SessionToken<T>): T;
  dispose(): Promise<void>;
}

/** What a session is made of. */
export interface SessionOptions {
  readonly id: string;
  /** Where the files of the session are. */
  readonly root?: string;
  /** The format the session was imported from. */
  readonly source?: string;
  /** Milliseconds since the epoch; stamps the records. */
  readonly now?: () => number;
  /** Takes every record; memory only where left out. */
  readonly writer?: LogWriter;
  /** Counts an item once, as it is appended; what its record carries along is never counted again (S5.2). */
  readonly count?: (item: Item) => { readonly count: ItemCount; readonly enc: string };
  /** Makes the services of this session; without it `get` throws `PITH_SERVICE_MISSING`. */
  readonly services?: (session: Session) => SessionServices;
}

/** Begins a session. */
export function createSession(options: SessionOptions): Session {
  const { id, root, source } = options;
  const session = new LogSession(options, { id, root });
  session.begin({
    t: 'session',
    schema: 'pith.session/1',
    id,
    ...(root !== undefined && { root }),
    ...(source !== undefined && { source }),
  });
  return session;
}

/** Continues a session from its records; nothing is recounted or written again (S5.5). */
export function restoreSession(
  records: readonly SessionRecord[],
  options: Omit<SessionOptions, 'id' | 'root' | 'source'>,
): Session {
  const [header] = records;
  if (header?.t !== 'session')
    throw new PithError('PITH_SESSION_CORRUPT', 'The log does not begin with a session header.');
  const session = new LogSession(options, header);
  session.replay(records);
  return session;
}

/** What a header says of its session. */
interface SessionFacts {
  readonly id: string;
  readonly root?: string | undefined;
  readonly forkedFrom?: SessionPlace | undefined;
}

class LogSession implements Session {
  readonly id: string;
  readonly root: string | undefined;
  readonly forkedFrom: SessionPlace | undefined;
  readonly #now: () => number;
  readonly #writer: LogWriter | undefined;
  readonly #makeServices: ((session: Session) => SessionServices) | undefined;
  readonly #records: SessionRecord[] = [];
  readonly #items: Item[] = [];
  readonly #numbers = new Map<ItemId, number>();
  readonly #states = new Map<string, unknown>();
  readonly #observers = new Set<(record: SessionRecord) => void>();
  readonly #count: SessionOptions['count'];
  /** Positions of the checkpoints in force. */
  readonly #checkpoints: Position[] = [];
  readonly #queue = new Map<ItemId, QueuedPrompt>();
  #turn = 0;
  #turnOpen = false;
  #isParked = false;
  #interrupted = false;
  #services: SessionServices | undefined;
  #closed = false;

  constructor(options: Omit<SessionOptions, 'id' | 'root' | 'source'>, { id, root, forkedFrom }: SessionFacts) {
    this.id = id;
    this.root = root;
    this.forkedFrom = forkedFrom;
    this.#now = options.now ?? Date.now;
    this.#writer = options.writer;
    this.#makeServices = options.services;
    this.#count = options.count;
  }

  begin(header: Extract<RecordBody, { t: 'session' }>): void {
    this.#append(header);
  }

  replay(records: Iterable<SessionRecord>): void {
    for (const record of records) this.#keep(record);
    this.#interrupted = this.#turnOpen || this.#isParked;
  }

  get position(): Position {
    return this.#records.length - 1;
  }

  get turn(): number {
    return this.#turn;
  }

  get turnOpen(): boolean {
    return this.#turnOpen;
  }

  get lastRunInterrupted(): boolean {
    return this.#interrupted;
  }

  get compactedFrom(): Position | undefined {
    const newest = this.#checkpoints.at(-1);
    return newest === undefined ? undefined : newest - 1;
  }

  undoCompaction(): boolean {
    const checkpoint = this.#checkpoints.at(-1);
    if (checkpoint === undefined) return false;
    this.#append({ t: 'undo', checkpoint });
    return true;
  }

  get itemCount(): number {
    return this.#items.length;
  }

  *records(from: Position = 0, to: Position = this.#records.length): Iterable<SessionRecord> {
    for (let seq = from; seq < to; seq++) {
      const record = this.#records[seq];
      if (record !== undefined) yield record;
    }
  }

  item(index: number): Item {
    const item = this.#items[index];
    if (item === undefined) {
      throw new PithError(
        'PITH_SESSION_POSITION',
        `Item ${index} is not in session "${this.id}" (${this.#items.length} items).`,
      );
    }
    return item;
  }

  indexOf(id: ItemId): number | undefined {
    return this.#numbers.get(id);
  }

  *items(from = 0, to = this.#items.length): Iterable<Item> {
    for (let index = from; index < to; index++) {
      const item = this.#items[index];
      if (item !== undefined) yield item;
    }
  }

  append(items: readonly NewItem[], by?: string): readonly Item[] {
    return items.map((item) => {
      const named = this.#identify(by === undefined ? item : { ...item, by });
      this.#append({ t: 'item', item: named, ...this.#count?.(named) });
      return named;
    });
  }

  record(...drafts: readonly RecordDraft[]): void {
    for (const draft of drafts) {
      if (draft.t !== 'item') this.#append(draft);
      else {
        const item = this.#identify(draft.item);
        this.#append({ ...draft, item, ...(draft.count === undefined && this.#count?.(item)) });
      }
    }
  }

  queued(): readonly QueuedPrompt[] {
    return [...this.#queue.values()];
  }

  observe(observer: (record: SessionRecord) => void): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  state<T>(namespace: string, schema: StandardSchemaV1<unknown, T>): SessionState<T> {
    const validated = (value: unknown): T => {
      const result = schema['~standard'].validate(value);
      if (result instanceof Promise || result.issues !== undefined) {
        const why =
          result instanceof Promise
            ? 'its schema is asynchronous'
            : result.issues.map((issue) => issue.message).join('; ');
        throw new PithError('PITH_STATE_INVALID', `State "${namespace}" of session "${this.id}" is invalid: ${why}.`);
      }
      return result.value;
    };
    return {
      get: () => (this.#states.has(namespace) ? validated(this.#states.get(namespace)) : undefined),
      set: (value) => void this.#append({ t: 'state', namespace, value: validated(value) as never }),
    };
  }

  get<T>(token: SessionToken<T>): T {
    if (this.#services === undefined) {
      if (this.#makeServices === undefined) {
        throw new PithError(
          'PITH_SERVICE_MISSING',
          `Session "${this.id}" was opened without a kernel, so it has no "${token.name}".`,
        );
      }
      this.#services = this.#makeServices(this);
    }
    return this.#services.get(token);
  }

  async flush(): Promise<void> {
    await this.#writer?.flush();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#services?.dispose();
    await this.#writer?.close();
  }

  /** Gives an item its id: `i` and its number, so that summaries can cite it. `end` is the place behind all items, for edits. */
  #identify(item: NewItem): Item {
    const wanted = item.id;
    let id = wanted !== undefined && wanted !== 'end' && !this.#numbers.has(wanted) ? wanted : `i${this.#items.length}`;
    while (this.#numbers.has(id)) id = `${id}'`;
    return Object.freeze({ ...walkable(item), id });
  }

  #append(body: RecordBody): SessionRecord {
    if (this.#closed)
      throw new PithError('PITH_SESSION_CLOSED', `Session "${this.id}" is closed; open it again to go on.`);
    const record: SessionRecord = Object.freeze({ seq: this.#records.length, at: this.#now(), ...body });
    this.#writer?.append(record);
    this.#keep(record);
    for (const observer of this.#observers) observer(record);
    return record;
  }

  #keep(record: SessionRecord): void {
    this.#records.push(record);
    if (record.t === 'item') {
      this.#numbers.set(record.item.id, this.#items.length);
      this.#items.push(record.item);
      this.#queue.delete(record.item.id);
    } else if (record.t === 'prompt') {
      if (record.phase === 'dropped') this.#queue.delete(record.item);
      else if (record.items[0] !== undefined) this.#queue.set(record.items[0].id, record);
    } else if (record.t === 'state') {
      this.#states.set(record.namespace, record.value);
    } else if (record.t === 'checkpoint') {
      this.#checkpoints.push(record.seq);
    } else if (record.t === 'undo') {
      const undone = this.#checkpoints.indexOf(record.checkpoint);
      if (undone !== -1) this.#checkpoints.length = undone;
    } else if (record.t === 'turn') {
      this.#turn = record.turn;
      this.#turnOpen = record.phase === 'start';
      if (!this.#turnOpen) this.#interrupted = this.#isParked = false;
    } else if (record.t === 'run') {
      this.#isParked = record.outcome === 'yielded';
    }
  }
}

/* A session token of the kernel is made for the whole session. */
declare module '../kernel/plugin' {
  interface KernelSession extends Session {}
}
