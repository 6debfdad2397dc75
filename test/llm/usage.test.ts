import fc from 'fast-check';
import { normaliseUsage } from '../../core/llm/usage';

const v3 = (reported: unknown): unknown => normaliseUsage(reported, { model: 'm', version: 'v3' });
const v2 = (reported: unknown, providerMetadata?: unknown): unknown =>
  normaliseUsage(reported, { model: 'm', version: 'v2', providerMetadata });

const nested = (input: object, output: object = { total: 5 }): object => ({ inputTokens: input, outputTokens: output });

test('the whole prompt is counted with its cached part, once', () => {
  expect(v3(nested({ total: 100, noCache: 10, cacheRead: 60, cacheWrite: 30 }, { total: 7, reasoning: 3 }))).toEqual({
    inputTokens: 100,
    cacheReadTokens: 60,
    cacheWriteTokens: 30,
    outputTokens: 7,
    reasoningTokens: 3,
    model: 'm',
  });
});

test('a prompt that is told in parts only is their sum', () => {
  expect(v3(nested({ noCache: 10, cacheRead: 60 }))).toMatchObject({ inputTokens: 70, cacheReadTokens: 60 });
});

test('a prompt that is smaller than its cached part did not hold it', () => {
  expect(v3(nested({ total: 10, cacheRead: 60, cacheWrite: 30 }))).toMatchObject({ inputTokens: 100 });
});

test('version 2 counts the cached part within the prompt, but for Anthropic', () => {
  expect(v2({ inputTokens: 100, cachedInputTokens: 60, outputTokens: 5, totalTokens: 105 })).toEqual({
    inputTokens: 100,
    cacheReadTokens: 60,
    outputTokens: 5,
    model: 'm',
  });
  const metadata = { anthropic: { cacheCreationInputTokens: 30 } };
  expect(v2({ inputTokens: 10, cachedInputTokens: 60, outputTokens: 5 }, metadata)).toMatchObject({
    inputTokens: 100,
    cacheReadTokens: 60,
    cacheWriteTokens: 30,
  });
});

describe('C18: what is no figure is not reported', () => {
  test.each([
    ['missing', undefined],
    ['null', null],
    ['zeros', nested({ total: 0, noCache: 0, cacheRead: 0 }, { total: 0 })],
    ['only output', nested({}, { total: 10 })],
    ['NaN', nested({ total: NaN }, { total: 10 })],
    ['negative', nested({ total: -5 })],
    ['infinite', nested({ total: Infinity })],
    ['strings', nested({ total: '100' }, { total: '5' })],
  ])('%s', (_, reported) => {
    expect(v3(reported)).toBeUndefined();
  });

  test('one bad figure does not spoil the others', () => {
    expect(v3(nested({ total: 100, cacheRead: NaN, cacheWrite: -1 }, { total: 'five' }))).toEqual({
      inputTokens: 100,
      model: 'm',
    });
  });

  test('whatever is reported, all figures are finite and not negative, and the prompt holds its cached part', () => {
    const figure = fc.oneof(fc.nat(), fc.double(), fc.string(), fc.constant(undefined));
    const parts = fc.record({
      total: figure,
      noCache: figure,
      cacheRead: figure,
      cacheWrite: figure,
      reasoning: figure,
    });
    fc.assert(
      fc.property(parts, parts, (input, output) => {
        const usage = normaliseUsage(nested(input, output), { model: 'm', version: 'v3' });
        if (usage === undefined) return;
        const { model: _, outputFinal: __, ...figures } = usage;
        for (const value of Object.values(figures)) {
          expect(Number.isFinite(value)).toBe(true);
          expect(value).toBeGreaterThanOrEqual(0);
        }
        expect(usage.inputTokens).toBeGreaterThan(0);
        expect(usage.inputTokens).toBeGreaterThanOrEqual((usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0));
      }),
    );
  });
});
