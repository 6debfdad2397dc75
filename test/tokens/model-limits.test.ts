import { fitsInput, inputLimit, modelLimits } from '../../core/tokens/model-limits';
import { FAMILY_LIMITS, MODEL_LIMITS } from '../../core/tokens/model-limit-table';

describe('the limits of a model', () => {
  it('come from the table, whatever edition or provider is named', () => {
    expect(modelLimits('gpt-5')).toEqual({
      contextWindow: 400_000,
      maxOutput: 128_000,
      maxInput: 272_000,
      source: 'table',
    });
    expect(modelLimits('openai/gpt-4o-2024-08-06')).toEqual({
      contextWindow: 128_000,
      maxOutput: 16_384,
      source: 'table',
    });
    expect(modelLimits('anthropic/claude-opus-4.5')).toEqual({
      contextWindow: 200_000,
      maxOutput: 64_000,
      source: 'table',
    });
  });

  it('prefer the very name over another edition of it', () => {
    expect(modelLimits('gpt-4-1106-preview').contextWindow).toBe(128_000);
    expect(modelLimits('kimi-k2-0905').contextWindow).toBe(262_144);
    expect(modelLimits('kimi-k2').contextWindow).toBe(131_072);
  });

  it('come from the nearest family where a model is not listed', () => {
    expect(modelLimits('gpt-7-turbo')).toEqual({
      contextWindow: 400_000,
      maxOutput: 128_000,
      maxInput: 272_000,
      source: 'family',
    });
    expect(modelLimits('us.anthropic.claude-sonnet-4-6-v1:0')).toMatchObject({
      contextWindow: 200_000,
      source: 'family',
    });
    expect(modelLimits('gpt-4.1-anything').contextWindow).toBe(1_047_576);
    expect(modelLimits('gpt-4o-audio-preview').contextWindow).toBe(128_000);
  });

  it('are assumed, and said to be, where nothing is known', () => {
    const assumed = { contextWindow: 128_000, maxOutput: 8_000, source: 'default' };
    expect(modelLimits('my-finetune')).toEqual(assumed);
    expect(modelLimits(undefined)).toEqual(assumed);
    expect(modelLimits('constructor')).toEqual(assumed);
    expect(modelLimits('__proto__')).toEqual(assumed);
  });

  it('are what the user says first', () => {
    expect(modelLimits('gpt-5', { contextWindow: 50_000 })).toEqual({
      contextWindow: 50_000,
      maxOutput: 25_000,
      source: 'user',
    });
    expect(modelLimits('gpt-5', { maxOutput: 10_000 })).toEqual({
      contextWindow: 400_000,
      maxOutput: 10_000,
      maxInput: 272_000,
      source: 'table',
    });
    expect(modelLimits('my-finetune', { contextWindow: 32_000, maxOutput: 30_000 })).toEqual({
      contextWindow: 32_000,
      maxOutput: 30_000,
      source: 'user',
    });
  });

  it('leave half of a small window to the input unless the user says otherwise', () => {
    expect(modelLimits('gpt-4')).toEqual({ contextWindow: 8_192, maxOutput: 4_096, source: 'table' });
    expect(inputLimit(modelLimits('gpt-4'))).toBe(4_096);
    expect(inputLimit(modelLimits('gpt-oss-120b'))).toBe(65_536);
  });
});

describe('the input that a model takes', () => {
  it('is the window less the reply allowance', () => {
    expect(inputLimit(modelLimits('claude-sonnet-4-5'))).toBe(136_000);
    expect(inputLimit(modelLimits(undefined))).toBe(120_000);
  });

  it('is what the provider takes where that is less', () => {
    expect(inputLimit(modelLimits('gpt-5'))).toBe(272_000);
    expect(inputLimit(modelLimits('gpt-5', { maxOutput: 1000 }))).toBe(272_000);
    expect(inputLimit(modelLimits('gpt-5', { maxOutput: 300_000 }))).toBe(100_000);
  });

  it('is never below nothing', () => {
    expect(inputLimit({ contextWindow: 1000, maxOutput: 4000, source: 'user' })).toBe(0);
    expect(fitsInput(0, { contextWindow: 1000, maxOutput: 4000, source: 'user' })).toBe(true);
  });
});

describe('the tables', () => {
  it('hold plausible figures only', () => {
    const rows = [...Object.values(MODEL_LIMITS), ...FAMILY_LIMITS.map(([, row]) => row)];
    expect(rows.length).toBeGreaterThan(100);
    for (const [contextWindow, maxOutput, maxInput] of rows) {
      expect(contextWindow).toBeGreaterThanOrEqual(4096);
      expect(maxOutput).toBeGreaterThan(0);
      expect(maxOutput).toBeLessThanOrEqual(contextWindow);
      expect(maxInput ?? 0).toBeLessThan(contextWindow);
    }
  });

  it('name models in lower case without a provider', () => {
    for (const name of Object.keys(MODEL_LIMITS)) expect(name).toMatch(/^[a-z][a-z0-9.-]*$/);
  });
});
