/** Levels of a context: measured, between measurements, beyond them, or without any (S6.3). */
import type { Anchor } from './anchors';
import type { EntryWeights } from './entry-weights';
import type { Estimate, EstimateSource } from './occupancy';

/** A level before rounding, with the part of it that no measurement covers. */
export interface Level {
  readonly tokens: number;
  readonly source: EstimateSource;
  readonly unmeasured: number;
}

/** A reported reply: from one entry to another, with its output tokens beside reasoning. */
export interface ReportedReply {
  readonly start: number;
  readonly end: number;
  readonly output: number;
}

/** The least margin of what is not measured, and the share of it that may be wrong. */
const LEAST_MARGIN = 1024;
const UNMEASURED_SHARE = 0.25;
const OFFSET_SHARE = 0.08;
const COUNTED_SHARE = 0.25;

/** How far a level may be off, in tokens. */
export function marginOf(level: Level): number {
  const isPartlyMeasured = level.source === 'interpolated' || level.source === 'extrapolated';
  return Math.ceil(Math.max(isPartlyMeasured ? LEAST_MARGIN : 0, uncertaintyOf(level)));
}

/** How uncertain a level is, in tokens, to choose between two. */
export function uncertaintyOf({ tokens, source, unmeasured }: Level): number {
  switch (source) {
    case 'measured':
      return 0;
    case 'interpolated':
    case 'extrapolated':
      return UNMEASURED_SHARE * unmeasured;
    case 'offset':
      return OFFSET_SHARE * tokens;
    case 'counted':
      return COUNTED_SHARE * tokens;
  }
}

/** A level as it is told. */
export function estimateOf(level: Level): Estimate {
  return { tokens: Math.round(level.tokens), margin: marginOf(level), source: level.source };
}

/** At a measurement. What the provider dropped since by estimate is no longer measured. */
export function levelAt({ tokens, dropped }: Anchor): Level {
  return { tokens, source: dropped > 0 ? 'interpolated' : 'measured', unmeasured: dropped };
}

/** Before the first measurement: what it measured less what stands between. */
export function levelBefore(first: Anchor, weights: EntryWeights, entries: number): Level {
  const tokens = Math.max(0, first.tokens - weights.between(entries, first.entries));
  return { tokens, source: 'interpolated', unmeasured: first.tokens - tokens + first.dropped };
}

/** Between two measurements: the measured growth, spread by weight. */
export function levelBetween(below: Anchor, above: Anchor, weights: EntryWeights, entries: number): Level {
  const whole = weights.between(below.entries, above.entries);
  const share = whole > 0 ? weights.between(below.entries, entries) / whole : 0;
  const tokens = below.tokens + (above.tokens - below.tokens) * share;
  const unmeasured = Math.min(tokens - below.tokens + below.dropped, above.tokens - tokens + above.dropped);
  return { tokens, source: 'interpolated', unmeasured };
}

/** Beyond the last measurement: what follows by weight, and the reply to it by its reported output. */
export function levelBeyond(
  last: Anchor,
  weights: EntryWeights,
  entries: number,
  reply: ReportedReply | undefined,
): Level {
  let grown = weights.between(last.entries, entries);
  if (reply?.start === last.entries) {
    const whole = weights.visible(reply.start, reply.end);
    const part = weights.visible(reply.start, Math.min(entries, reply.end));
    if (whole > 0) grown += part * (reply.output / whole - 1);
  }
  return { tokens: last.tokens + grown, source: 'extrapolated', unmeasured: grown + last.dropped };
}
