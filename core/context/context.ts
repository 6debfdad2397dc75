/**
 * The context of a session: projection and occupancy kept in step with the log. It catches up with what is new whenever it
 * is asked, so that a request costs what was added since the last one (S6.4).
 */
import { createHash } from 'node:crypto';
import { PithError } from '../errors';
import { createSessionToken } from '../kernel/token';
import type { Checkpoint, Edit, MeasuredOn, Position, SessionRecord, ToolSchema, Usage } from '../session/records';
import type { Item, ItemId } from '../session/items';
import type { Session } from '../session/session';
import { inSlices } from '../session/slices';
import { Calibration } from '../tokens/calibration';
import { shapeOf } from '../tokens/entry-shape';
import type { FixedPart } from '../tokens/fixed-part';
import type { LedgerEntry } from '../tokens/entry-weights';
import { TokenLedger } from '../tokens/ledger';
import { inputLimit, modelLimits } from '../tokens/model-limits';
import type { LimitsOf, ModelLimits } from '../tokens/model-limits';
import type { Tokenizer } from '../tokens/tokenizer';
import { END } from './edits';
import { Projection } from './projection';
import type { PlacedCheckpoint } from './projection';
import { viewOf } from './segment-view';
import type { Meter } from './segment-view';
import type { ContextView } from './view';

/** A measurement that did not count, and why. */
export interface UnusedUsage {
  readonly seq: Position;
  readonly usage: Usage;
  readonly message: string;
}

/** The context of one session: what its next request sends, and how full that is. */
export interface SessionContext {
  /**
   * Catches up with the log in slices, so that a long one holds nothing up; all else here does so at once. To be awaited after
   * a restore, before anything is asked.
   */
  prepare(): Promise<void>;
  /** What the next request sends. */
  view(): ContextView;
  /** What would be sent after this checkpoint, with its occupancy; nothing is recorded. */
  foresee(checkpoint: Checkpoint): ContextView;
  /** Records edits that stay in force. Throws `PITH_EDIT_INVALID` where the context would not stay whole (S5.6). */
  keep(edits: readonly Edit[], by: string, reason?: string): void;
  /** The checkpoint that later contexts start from. */
  checkpoint(): PlacedCheckpoint | undefined;
  /** An item as the next request sends it among the conversation; undefined where it does not. */
  sent(id: ItemId): Item | undefined;
  /** Numbers of the items that opened turns, ascending. */
  openings(): readonly number[];
  /** Entries that the model has seen in a request: all before its newest reply. */
  seen(): number;
  /** System prompt, tools and model as they were recorded last. */
  settings(): { readonly system?: string; readonly tools: readonly ToolSchema[]; readonly model?: string };
  /** The model of the session, where it is known. */
  model(): string | undefined;
  /** Limits of that model, or what is assumed of an unknown one. */
  limits(): ModelLimits;
  /**
   * Pins an item of the log or a text (S5.1); a text under a key takes the place of what was pinned under that key. Throws `PITH_PINS_TOO_LARGE` where the pins would take more than a fifth of the
   * input that the model accepts, and `PITH_SESSION_POSITION` for an unknown item.
   */
  pin(pinned: ItemId | { readonly text: string; readonly key?: string }): void;
  /** Measurements that were not applied, with the reason (S6.3). */
  unused(): readonly UnusedUsage[];
}

/** Share of the input window that pins may take (S5.1). */
const PINS_SHARE = 0.2;

/** The context of a session. */
export const CONTEXT = createSessionToken<SessionContext>('pith/context');

/** What the context of a session is counted with. */
export interface ContextOptions {
  readonly tokenizer: Tokenizer;
  /** What is known of how models count; shared by all sessions of a process. */
  readonly calibration?: Calibration;
  /** Limits of models; those of the table by default. */
  readonly limitsOf?: LimitsOf;
}

/** Records that may change what has been sent before. */
const REWRITING: ReadonlySet<SessionRecord['t']> = new Set([
  'settings',
  'pin',
  'edits',
  'compaction',
  'checkpoint',
  'undo',
]);

/** What a context reads of a session; {@link SessionContext.keep} alone writes. */
export type ContextLog = Pick<Session, 'records' | 'record' | 'item' | 'indexOf'>;

/** Opens the context of a session. */
export function createContext(session: ContextLog, options: ContextOptions): SessionContext {
  return new LiveContext(session, options);
}

class LiveContext implements SessionContext {
  readonly #session: ContextLog;
  readonly #options: ContextOptions;
  readonly #projection: Projection;
  readonly #ledger: TokenLedger;
  readonly #unused: UnusedUsage[] = [];
  #next: Position = 0;
  #measured = 0;

  constructor(session: ContextLog, options: ContextOptions) {
    this.#session = session;
    this.#options = options;
    this.#projection = new Projection(session);
    this.#ledger = new TokenLedger(options.calibration ?? new Calibration());
  }

  async prepare(): Promise<void> {
    let answered = false;
    await inSlices(this.#session.records(this.#next), (record) => {
      if (record.seq < this.#next) return; // Whoever asked meanwhile has caught up.
      if (record.t === 'item') {
        const isResult = record.item.kind === 'tool_result';
        // Where all results of a reply are in, the session looked at its context too.
        if (answered && !isResult) this.#sync();
        answered = isResult;
      }
      this.#take(record);
    });
    this.#catchUp();
  }

  view(): ContextView {
    this.#catchUp();
    return this.#viewOf(this.#projection, {
      at: (length) => this.#ledger.at(length),
      between: (from, to) => this.#ledger.between(from, to),
      weigh: (items) => this.#ledger.weigh(this.#entriesOf(items)),
    });
  }

  foresee(checkpoint: Checkpoint): ContextView {
    this.#catchUp();
    const projection = this.#projection.foresee(checkpoint);
    const ledger = this.#ledger.foresee(this.#fixedPart(projection), this.#entriesOf(projection.entries));
    return this.#viewOf(projection, {
      at: (length) => ledger.at(length),
      between: (from, to) => ledger.between(from, to),
      weigh: (items) => ledger.weigh(this.#entriesOf(items)),
    });
  }

  keep(edits: readonly Edit[], by: string, reason?: string): void {
    if (edits.length === 0) return;
    if (edits.some((edit) => edit.edit === 'insert' && edit.before === END)) {
      throw new PithError(
        'PITH_EDIT_INVALID',
        `"${by}" keeps an insert at the end, which has no place later; append the item to the log instead.`,
      );
    }
    this.view().with(edits);
    this.#session.record({ t: 'edits', by, edits, ...(reason !== undefined && { reason }) });
  }

  checkpoint(): PlacedCheckpoint | undefined {
    this.#catchUp();
    return this.#projection.checkpoint;
  }

  sent(id: ItemId): Item | undefined {
    this.#catchUp();
    return this.#projection.sent(id);
  }

  openings(): readonly number[] {
    this.#catchUp();
    return this.#projection.openings;
  }

  seen(): number {
    this.#catchUp();
    return Math.max(this.#measured, this.#projection.replyStart);
  }

  settings(): Projection['settings'] {
    this.#catchUp();
    return this.#projection.settings;
  }

  model(): string | undefined {
    return this.settings().model;
  }

  limits(): ModelLimits {
    return this.#limitsOf(this.model());
  }

  pin(pinned: ItemId | { readonly text: string; readonly key?: string }): void {
    this.#catchUp();
    const number = typeof pinned === 'string' ? this.#session.indexOf(pinned) : undefined;
    if (typeof pinned === 'string' && number === undefined) {
      throw new PithError('PITH_SESSION_POSITION', `Item "${pinned}" cannot be pinned: it is not in the log.`);
    }
    const { tokenizer } = this.#options;
    const { pins } = this.#projection;
    const replaced = typeof pinned === 'string' ? undefined : pinned.key;
    // What stands there already takes nothing more: a host pins its instructions at every start.
    if (typeof pinned !== 'string' && pins.some(({ text }) => text === pinned.text)) return;
    let tokens = typeof pinned === 'string' ? 0 : tokenizer.countText(pinned.text);
    if (number !== undefined) tokens += tokenizer.countItems([this.#session.item(number)]);
    for (const { text, key } of pins) if (key === undefined || key !== replaced) tokens += tokenizer.countText(text);
    const most = Math.floor(inputLimit(this.limits()) * PINS_SHARE);
    if (tokens > most) {
      throw new PithError(
        'PITH_PINS_TOO_LARGE',
        `Pinned items would take ${tokens} tokens; a fifth of the input window, ${most}, is the most. Pin less, or shorten what is pinned.`,
      );
    }
    if (typeof pinned === 'string') this.#session.record({ t: 'pin', item: pinned });
    else this.#session.record({ t: 'pin', text: pinned.text, ...(replaced !== undefined && { key: replaced }) });
  }

  unused(): readonly UnusedUsage[] {
    this.#catchUp();
    return this.#unused;
  }

  #limitsOf(model: string | undefined): ModelLimits {
    return (this.#options.limitsOf ?? modelLimits)(model);
  }

  #viewOf(projection: Projection, meter: Meter): ContextView {
    const { entries, starts, groups, digests } = projection.share();
    const { system, changes } = projection;
    return viewOf(
      { system, entries, starts, groups, changes, digests, groupOf: (id) => projection.groupOf(id) },
      meter,
    );
  }

  #catchUp(): void {
    for (const record of this.#session.records(this.#next)) this.#take(record);
    this.#sync();
  }

  #take(record: SessionRecord): void {
    this.#next = record.seq + 1;
    if (record.t === 'usage') return this.#measure(record.seq, record.usage, record.on);
    const { tokenizer } = this.#options;
    if (record.t === 'item' && record.count !== undefined && record.enc === tokenizer.id)
      tokenizer.remember(record.item, record.count);
    if (!REWRITING.has(record.t)) return this.#projection.apply(record);
    // Looked at on both sides, so that estimates do not depend on when somebody asks.
    this.#sync();
    this.#projection.apply(record);
    this.#sync();
  }

  /** Brings the ledger up to the projection. */
  #sync(): void {
    const { from, rebuilt, fixed } = this.#projection.takeChanges();
    if (rebuilt || fixed) this.#ledger.setFixed(this.#fixedPart(this.#projection));
    const start = rebuilt ? 0 : from;
    if (rebuilt) this.#measured = 0;
    const { entries } = this.#projection;
    if (start < this.#ledger.length) {
      this.#measured = Math.min(this.#measured, start);
      this.#ledger.rewrite(start, this.#entriesOf(entries.slice(start)));
    } else {
      for (let index = start; index < entries.length; index++)
        this.#ledger.append(this.#entryOf(entries[index] as Item));
    }
  }

  /** Usage that names no place was measured on all that stands before the newest reply. */
  #measure(seq: Position, usage: Usage, on: MeasuredOn | undefined): void {
    this.#sync();
    const entries = on?.entries ?? this.#projection.replyStart;
    if (on?.projection !== undefined) return;
    const { outcome, message } = this.#ledger.measure(usage, entries);
    if (outcome === 'applied' || outcome === 'new-lineage') this.#measured = Math.max(this.#measured, entries);
    else this.#unused.push({ seq, usage, message: message ?? outcome });
  }

  #entryOf(item: Item): LedgerEntry {
    return { shape: shapeOf(item), count: this.#options.tokenizer.countItem(item) };
  }

  *#entriesOf(items: Iterable<Item>): Iterable<LedgerEntry> {
    for (const item of items) yield this.#entryOf(item);
  }

  #fixedPart(projection: Projection): FixedPart {
    const { tokenizer } = this.#options;
    const { system = '', tools, model } = projection.settings;
    const { contextWindow, source } = this.#limitsOf(model);
    const known = system !== '' || tools.length > 0;
    let blocks = 0;
    for (const part of projection.system) if (part.kind !== 'prompt') blocks += tokenizer.countText(part.text);
    return {
      ...(model !== undefined && { model }),
      ...(known && {
        key: createHash('sha256')
          .update(JSON.stringify([system, tools]))
          .digest('base64url'),
      }),
      system: tokenizer.countText(system),
      tools: tokenizer.countTools(tools),
      blocks,
      ...(source !== 'default' && { contextWindow }),
    };
  }
}
