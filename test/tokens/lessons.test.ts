import { ModelCalibration } from '../../core/tokens/calibration';
import { EntryWeights } from '../../core/tokens/entry-weights';
import { learnReasoning, learnRetention } from '../../core/tokens/lessons';
import { entry } from './entries';

const weightsFor = (model: string): EntryWeights => new EntryWeights(new ModelCalibration(model));

describe('whether a provider drops reasoning', () => {
  it('is learnt from a telling amount of it, where the figure fits far better without or with it', () => {
    const weights = weightsFor('claude-sonnet-4-5');
    expect(learnRetention(weights, 1023, 10_000, 8977)).toBe(false);
    expect(weights.model.reasoning).toBe('kept');
    expect(learnRetention(weights, 1024, 10_000, 8976)).toBe(true);
    expect(weights.model.reasoning).toBe('dropped');
    expect(learnRetention(weights, 1024, 10_000, 11_024)).toBe(true);
    expect(weights.model.reasoning).toBe('kept');
  });

  it('stays as believed unless the other belief is at least twice as good', () => {
    const weights = weightsFor('claude-sonnet-4-5');
    expect(learnRetention(weights, 3000, 10_000, 8000)).toBe(false);
    expect(learnRetention(weights, 3000, 10_000, 10_100)).toBe(false);
    expect(learnRetention(weights, 3000, 10_000, 7999)).toBe(true);
  });
});

describe('what reasoning costs', () => {
  it('is learnt from replies that hold some', () => {
    const weights = weightsFor('gpt-5');
    const before = weights.model.opaque.state();
    weights.append(entry('text', 100));
    learnReasoning(weights, { start: 0, end: 1 }, 5000);
    expect(weights.model.opaque.state()).toEqual(before);
    weights.append(entry('reasoning', 0, { opaque: 4000 }));
    learnReasoning(weights, { start: 0, end: 2 }, 800);
    expect(weights.model.opaque.state()).not.toEqual(before);
  });
});
