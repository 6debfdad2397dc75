/** What the entries of a context cost: by their counts, as calibrated, without the reasoning that is no longer sent (S6.2). */
import type { ItemCount } from '../session/records';
import type { ModelCalibration } from './calibration';
import { FRAME_UNITS, isReply, type EntryShape } from './entry-shape';
import { OPAQUE_RATE } from './item-count';
import { PrefixSums } from './prefix-sums';

/** An entry of a context as far as its tokens go. */
export interface LedgerEntry {
  readonly shape: EntryShape;
  readonly count: ItemCount;
}

/** The entries of one context, weighed for one model. Every question is answered without looking at the entries again. */
export class EntryWeights {
  /** How the entries count; replaced when another model is asked. */
  model: ModelCalibration;
  readonly #sums = new PrefixSums();
  /** Indexes of the prompts, ascending. */
  readonly #prompts: number[] = [];
  #liveFrom = 0;

  constructor(model: ModelCalibration) {
    this.model = model;
  }

  /** Number of entries. */
  get length(): number {
    return this.#sums.length;
  }

  /** Reasoning before this entry is no longer sent. */
  get liveFrom(): number {
    return this.#liveFrom;
  }

  append({ shape, count }: LedgerEntry): void {
    const isReasoning = shape === 'reasoning';
    const isOpaque = isReasoning && opaqueText(count) > count.text;
    if (shape === 'prompt') this.#prompts.push(this.length);
    this.#sums.append(shape, {
      text: isReasoning ? 0 : count.text,
      frames: isReasoning ? 0 : FRAME_UNITS[shape],
      prompts: shape === 'prompt' ? 1 : 0,
      images: count.images,
      opaqueItems: isOpaque ? 1 : 0,
      opaque: isOpaque ? count.opaque : 0,
      reasoning: isReasoning ? this.#reasoningOf(count) : 0,
    });
  }

  /** Forgets the entries from `from` on. */
  truncate(from: number): void {
    this.#sums.truncate(from);
    while ((this.#prompts.at(-1) ?? -1) >= from) this.#prompts.pop();
  }

  /** Decides anew from which entry on reasoning is sent: behind the last prompt, where the provider drops what is older. */
  updateLive(): void {
    this.#liveFrom = this.model.reasoning === 'dropped' ? (this.#prompts.at(-1) ?? 0) : 0;
  }

  /** Reasoning of the turn that the last prompt ended. */
  passedReasoning(): number {
    return this.reasoning(this.#prompts.at(-2) ?? 0, this.#prompts.at(-1) ?? 0);
  }

  /** Tokens of the entries `from` to `to` (exclusive) as the context is now. */
  between(from: number, to: number): number {
    return this.visible(from, to) + this.live(from, to);
  }

  /** Tokens beside reasoning. */
  visible(from: number, to: number): number {
    return this.model.text.expect(this.features(from, to)) + this.#sums.sum('images', from, to);
  }

  /** Tokens of reasoning that is still sent. */
  live(from: number, to: number): number {
    return this.reasoning(Math.max(from, this.#liveFrom), Math.max(to, this.#liveFrom));
  }

  /** Tokens of reasoning whether or not it is still sent. */
  reasoning(from: number, to: number): number {
    return this.#sums.sum('reasoning', from, to);
  }

  /** Counted tokens, frame units and prompts: what the rates of a model apply to. */
  features(from: number, to: number): readonly [text: number, frames: number, prompts: number] {
    return [this.#sums.sum('text', from, to), this.#sums.sum('frames', from, to), this.#sums.sum('prompts', from, to)];
  }

  /** Characters and items of opaque reasoning. */
  opaqueFeatures(from: number, to: number): readonly [characters: number, items: number] {
    return [this.#sums.sum('opaque', from, to), this.#sums.sum('opaqueItems', from, to)];
  }

  hasImages(from: number, to: number): boolean {
    return this.#sums.sum('images', from, to) > 0;
  }

  /** Index behind the reply entries that follow `from` without a gap. */
  replyEnd(from: number): number {
    let end = from;
    while (end < this.length && isReply(this.#sums.shape(end) as EntryShape)) end += 1;
    return end;
  }

  /** Puts reported reasoning tokens in place of the estimate for the opaque reasoning `from` to `to`. */
  settleReasoning(from: number, to: number, tokens: number): void {
    const [characters, items] = this.opaqueFeatures(from, to);
    this.#sums.reweigh(from, to, (opaque) => (tokens * (opaque + 1)) / (characters + items) + this.model.rates[1]);
  }

  /** Opaque reasoning holds the readable reasoning beside it, so an item costs the larger of both. */
  #reasoningOf(count: ItemCount): number {
    const [rate, frame] = this.model.rates;
    if (opaqueText(count) <= count.text) return rate * count.text;
    return Math.max(0, this.model.opaque.expect([count.opaque, 1])) + frame;
  }
}

/** Tokens of opaque reasoning at the rate that everything starts from. */
function opaqueText(count: ItemCount): number {
  return count.opaque * OPAQUE_RATE;
}
