/** What a measurement teaches about the model that it was made with (S6.3). */
import type { Anchor } from './anchors';
import type { EntryWeights } from './entry-weights';

/** Fewer counted tokens than this say nothing about rates. */
const LEAST_TEXT = 10;

/** From this size on, the reasoning of a turn shows whether the provider dropped it. */
const TELLING_REASONING = 1024;

/** Learns the rates of text and wrapping from the growth between two measurements; images would blur it. */
export function learnRates(weights: EntryWeights, before: Anchor, after: Pick<Anchor, 'entries' | 'tokens'>): void {
  const features = weights.features(before.entries, after.entries);
  const grown = after.tokens - before.tokens - weights.live(before.entries, after.entries);
  if (features[0] < LEAST_TEXT || grown <= 0 || weights.hasImages(before.entries, after.entries)) return;
  weights.model.text.observe(features, grown);
}

/** Learns what opaque reasoning costs from the reported reasoning tokens of the reply that holds it. */
export function learnReasoning(
  weights: EntryWeights,
  reply: { readonly start: number; readonly end: number },
  tokens: number,
): void {
  const features = weights.opaqueFeatures(reply.start, reply.end);
  if (features[1] > 0) weights.model.opaque.observe(features, tokens);
}

/**
 * Learns whether the provider drops the reasoning of earlier turns. Returns whether that is otherwise than was believed.
 *
 * @param passed tokens of reasoning whose turns ended since the measurement before.
 * @param expected tokens of the request by what was believed, and `measured` what it took.
 */
export function learnRetention(weights: EntryWeights, passed: number, expected: number, measured: number): boolean {
  const { model } = weights;
  const otherwise = expected + (model.reasoning === 'dropped' ? passed : -passed);
  if (passed < TELLING_REASONING || 2 * Math.abs(measured - otherwise) >= Math.abs(measured - expected)) return false;
  model.reasoning = model.reasoning === 'dropped' ? 'kept' : 'dropped';
  weights.updateLive();
  return true;
}
