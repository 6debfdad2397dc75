/**
 * How full a context is (S6.3): the provider's measurements of its prefixes are the truth, counted tokens with calibrated
 * rates fill what lies between and after them. A ledger follows one context and knows its entries by their counts alone.
 */
import type { Usage } from '../session/records';
import { Anchors, type Anchor } from './anchors';
import { Calibration, type ModelCalibration } from './calibration';
import { EntryWeights, type LedgerEntry } from './entry-weights';
import { FixedPartLedger, type FixedPart } from './fixed-part';
import { inputProblem, type Measured } from './measurement';
import { learnRates, learnReasoning, learnRetention } from './lessons';
import { sameModel } from './model-name';
import { reasoningOutput, settleReply, type Reply } from './reply';
import { estimateOf, levelAt, levelBefore, levelBetween, levelBeyond, uncertaintyOf, type Level } from './level';
import type { Estimate } from './occupancy';

/** A fall of the measured size by more than this share has a reason that the ledger was not told (S6.3). */
const UNEXPLAINED_FALL = 0.03;

const APPLIED: Measured = { outcome: 'applied' };

/** The occupancy of one context. Appending and measuring cost in proportion to what is new (S6.4). */
export class TokenLedger {
  readonly #calibration: Calibration;
  readonly #weights: EntryWeights;
  readonly #fixed: FixedPartLedger;
  readonly #anchors = new Anchors();
  #reply: Reply | undefined;
  /** Reasoning of the turns that ended since the last measurement. */
  #passed = 0;
  #lineage = 0;

  /** @param calibration what is known of how models count; shared by all ledgers of a process. */
  constructor(calibration: Calibration = new Calibration(), fixed: FixedPartLedger = new FixedPartLedger()) {
    this.#calibration = calibration;
    this.#fixed = fixed;
    this.#weights = new EntryWeights(calibration.of(undefined));
  }

  /** Number of entries. */
  get length(): number {
    return this.#weights.length;
  }

  /** Changes whenever earlier measurements stop to describe this context; tags a request whose usage is still to come. */
  get lineage(): number {
    return this.#lineage;
  }

  /** Says what every request carries beside the entries. Measurements with another model or fixed part stop to count. */
  setFixed(part: FixedPart): void {
    this.#use(part, part.model ?? this.#model.name);
  }

  /** Adds an entry at the end. */
  append(entry: LedgerEntry): void {
    if (entry.shape === 'prompt') this.#settle();
    this.#weights.append(entry);
    if (entry.shape === 'prompt') this.#openTurn();
  }

  /**
   * Replaces the entries from `from` on, as kept edits, a compaction or an undo do. Measurements of what was replaced stop
   * to count; rates and the size of the fixed part stay.
   */
  rewrite(from: number, entries: Iterable<LedgerEntry>): void {
    this.#settle();
    const liveBefore = this.#weights.liveFrom;
    this.#weights.truncate(from);
    this.#weights.updateLive();
    const stale = this.#weights.liveFrom < liveBefore;
    const lost = this.#anchors.truncate(stale ? -1 : from);
    if (this.#reply !== undefined && (lost || this.#reply.end > from)) this.#reply = undefined;
    for (const entry of entries) this.append(entry);
    this.#passed = 0;
    this.#lineage += 1;
    // A short measured start says less about a long context than the kept size of the fixed part does.
    if (lost && uncertaintyOf(this.#level(this.length)) > uncertaintyOf(this.#unmeasured(this.length)))
      this.#startLineage();
  }

  /**
   * Applies what the provider measured for a request of the first `entries` entries. Figures that cannot be true are not
   * applied; the outcome says so.
   *
   * @param lineage {@link lineage} when the request was sent, where it may have changed since.
   */
  measure(usage: Usage, entries: number, lineage: number = this.#lineage): Measured {
    if (lineage !== this.#lineage || !Number.isInteger(entries) || entries < 0 || entries > this.length) {
      return { outcome: 'stale', message: 'The usage was measured on another context; it is not applied to this one.' };
    }
    if (usage.model !== undefined && !this.#follow(usage.model)) {
      return {
        outcome: 'other-model',
        message: `The usage of ${usage.model} is not applied to a context for ${this.#model.name}.`,
      };
    }
    this.#settle();
    const problem = inputProblem(usage, this.#level(entries).tokens, this.#fixed.part.contextWindow);
    return problem ?? this.#apply(usage, entries);
  }

  /** Tokens of the whole context: fixed part and all entries. */
  total(): Estimate {
    return this.at(this.length);
  }

  /** Tokens of the fixed part and the first `entries` entries. */
  at(entries: number): Estimate {
    this.#settle();
    return estimateOf(this.#level(entries));
  }

  /** Tokens of the entries `from` to `to` (exclusive; default all that follow). */
  between(from: number, to: number = this.length): number {
    this.#settle();
    return this.#level(to).tokens - this.#level(from).tokens;
  }

  /** Tokens that entries would take which are not part of this context. */
  weigh(entries: Iterable<LedgerEntry>): number {
    const weights = new EntryWeights(this.#model);
    for (const entry of entries) weights.append(entry);
    return weights.between(0, weights.length);
  }

  /** The ledger of another context of the same session, as after a compaction: all that was learnt holds, nothing is measured. */
  foresee(part: FixedPart, entries: Iterable<LedgerEntry>): TokenLedger {
    const other = new TokenLedger(this.#calibration, this.#fixed.fork());
    other.#weights.model = this.#model;
    other.setFixed(part);
    for (const entry of entries) other.append(entry);
    return other;
  }

  get #model(): ModelCalibration {
    return this.#weights.model;
  }

  #use(part: FixedPart, name: string): void {
    const model = this.#calibration.of(name);
    const changed = this.#fixed.change(part, this.#model, model);
    this.#weights.model = model;
    if (changed) this.#startLineage();
  }

  /** Whether usage of a model describes this context. A context for no model in particular follows its measurements. */
  #follow(name: string): boolean {
    const wanted = this.#fixed.part.model;
    if (wanted === undefined) this.#use(this.#fixed.part, name);
    return wanted === undefined || sameModel(wanted, name);
  }

  #startLineage(): void {
    this.#anchors.truncate(-1);
    this.#reply = undefined;
    this.#passed = 0;
    this.#lineage += 1;
  }

  /** After a prompt: reasoning of the turn before may no longer be sent, whatever was measured with it. */
  #openTurn(): void {
    const weights = this.#weights;
    const from = weights.liveFrom;
    this.#passed += weights.passedReasoning();
    weights.updateLive();
    if (weights.liveFrom > from) this.#anchors.drop(from, ({ entries }) => weights.reasoning(from, entries));
  }

  #settle(): void {
    if (this.#reply !== undefined) this.#reply = settleReply(this.#weights, this.#reply);
  }

  #apply(usage: Usage, entries: number): Measured {
    const tokens = usage.inputTokens;
    const previous = this.#anchors.last;
    const outcome =
      previous !== undefined && entries >= previous.entries ? this.#compare(previous, tokens, entries) : APPLIED;
    this.#anchors.add({ entries, tokens, dropped: 0 });
    if (this.#anchors.last?.entries === entries)
      this.#reply = { start: entries, end: entries, usage, reported: undefined };
    this.#passed = 0;
    this.#fixed.learn(this.#model, tokens - this.#weights.between(0, entries));
    return outcome;
  }

  /** Learns from the growth since the measurement before, unless the context cannot be what it was grown from. */
  #compare(previous: Anchor, tokens: number, entries: number): Measured {
    const reasoning = this.#reply && reasoningOutput(this.#reply.usage);
    if (this.#reply !== undefined && reasoning !== undefined) learnReasoning(this.#weights, this.#reply, reasoning);
    if (learnRetention(this.#weights, this.#passed, this.#level(entries).tokens, tokens)) this.#anchors.truncate(-1);
    else if (tokens >= (1 - UNEXPLAINED_FALL) * previous.tokens)
      learnRates(this.#weights, previous, { entries, tokens });
    else {
      this.#startLineage();
      const fall = `from ${Math.round(previous.tokens)} to ${tokens} tokens`;
      return { outcome: 'new-lineage', message: `The context fell ${fall} without a recorded reason.` };
    }
    return APPLIED;
  }

  #level(entries: number): Level {
    const below = this.#anchors.atOrBefore(entries);
    if (below?.entries === entries) return levelAt(below);
    const above = this.#anchors.after(entries);
    if (above !== undefined) {
      return below === undefined
        ? levelBefore(above, this.#weights, entries)
        : levelBetween(below, above, this.#weights, entries);
    }
    return below === undefined
      ? this.#unmeasured(entries)
      : levelBeyond(below, this.#weights, entries, this.#reply?.reported);
  }

  /** Without a measurement: the fixed part as known, and the entries by weight. */
  #unmeasured(entries: number): Level {
    const { tokens, source } = this.#fixed.tokens(this.#model);
    return { tokens: tokens + this.#weights.between(0, entries), source, unmeasured: tokens };
  }
}
