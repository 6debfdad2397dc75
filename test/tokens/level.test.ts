import type { Anchor } from '../../core/tokens/anchors';
import { ModelCalibration } from '../../core/tokens/calibration';
import { EntryWeights } from '../../core/tokens/entry-weights';
import {
  estimateOf,
  levelAt,
  levelBefore,
  levelBetween,
  levelBeyond,
  marginOf,
  uncertaintyOf,
  type Level,
} from '../../core/tokens/level';
import { entry } from './entries';

const anchor = (entries: number, tokens: number, dropped = 0): Anchor => ({ entries, tokens, dropped });
const level = (source: Level['source'], tokens: number, unmeasured = 0): Level => ({ source, tokens, unmeasured });

/** Entries of images alone, so that each weighs exactly what it says beside its frame of 4.2. */
function weightsOf(...images: number[]): EntryWeights {
  const weights = new EntryWeights(new ModelCalibration('gpt-5'));
  for (const tokens of images) weights.append(entry('input', 0, { images: tokens - 4.2 }));
  return weights;
}

describe('how far a level may be off', () => {
  it.each([
    [level('measured', 80_000, 5000), 0, 0],
    [level('interpolated', 80_000, 4000), 1024, 1000],
    [level('interpolated', 80_000, 4097), 1025, 1024.25],
    [level('extrapolated', 80_000, 40_000), 10_000, 10_000],
    [level('extrapolated', 80_000, 0), 1024, 0],
    [level('offset', 10_001, 10_000), 801, 800.08],
    [level('counted', 10_001, 10_000), 2501, 2500.25],
  ])('is told by its source: %j', (of, margin, uncertainty) => {
    expect(marginOf(of)).toBe(margin);
    expect(uncertaintyOf(of)).toBeCloseTo(uncertainty, 9);
    expect(estimateOf(of)).toEqual({ tokens: of.tokens, margin, source: of.source });
  });

  it('goes with rounded tokens', () => {
    expect(estimateOf(level('extrapolated', 10.6)).tokens).toBe(11);
  });
});

describe('a level', () => {
  it('at a measurement is measured but for what was dropped since', () => {
    expect(levelAt(anchor(3, 500))).toEqual(level('measured', 500));
    expect(levelAt(anchor(3, 500, 40))).toEqual(level('interpolated', 500, 40));
  });

  it('before the first measurement is what it measured less what stands between', () => {
    const before = levelBefore(anchor(2, 5000, 30), weightsOf(1000, 2000), 1);
    expect(before.tokens).toBeCloseTo(3000, 9);
    expect(before.unmeasured).toBeCloseTo(2030, 9);
    expect(before.source).toBe('interpolated');
  });

  it('between two measurements is as certain as the nearer of them', () => {
    const weights = weightsOf(1000, 3000);
    const near = levelBetween(anchor(0, 1000, 50), anchor(2, 9000, 70), weights, 1);
    expect(near.tokens).toBeCloseTo(3000, 9);
    expect(near.unmeasured).toBeCloseTo(2050, 9);
    const far = levelBetween(anchor(0, 1000, 50), anchor(2, 9000, 70), weightsOf(3000, 1000), 1);
    expect(far.tokens).toBeCloseTo(7000, 9);
    expect(far.unmeasured).toBeCloseTo(2070, 9);
  });

  it('beyond the last measurement adds what follows, a reported reply by its figure', () => {
    const weights = weightsOf(1000, 3000, 500);
    const plain = levelBeyond(anchor(0, 1000, 20), weights, 3, undefined);
    expect(plain.tokens).toBeCloseTo(5500, 9);
    expect(plain.unmeasured).toBeCloseTo(4520, 9);
    const reply = { start: 0, end: 2, output: 6000 };
    expect(levelBeyond(anchor(0, 1000), weights, 3, reply).tokens).toBeCloseTo(7500, 9);
    expect(levelBeyond(anchor(0, 1000), weights, 1, reply).tokens).toBeCloseTo(2500, 9);
    expect(levelBeyond(anchor(0, 1000), weights, 3, { ...reply, start: 1 }).tokens).toBeCloseTo(5500, 9);
  });
});
