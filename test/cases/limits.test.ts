import { fitsInput, inputLimit, modelLimits } from '../../core/tokens/model-limits';

describe('C24: the reply allowance comes out of the window', () => {
  const limits = modelLimits('some-model', { contextWindow: 131_072, maxOutput: 65_536 });

  it('so that the input may take what is left', () => {
    expect(inputLimit(limits)).toBe(65_536);
  });

  it.each([
    [64_000, true],
    [65_536, true],
    [65_537, false],
  ])('an input of %i fits: %s', (tokens, fits) => {
    expect(fitsInput(tokens, limits)).toBe(fits);
  });

  it('and the same holds for a worker with a summary allowance of its own', () => {
    const worker = modelLimits('some-model', { contextWindow: 131_072, maxOutput: 4000 });
    expect(fitsInput(127_072, worker)).toBe(true);
    expect(fitsInput(127_073, worker)).toBe(false);
  });
});
