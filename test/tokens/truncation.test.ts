import fc from 'fast-check';
import { releaseEncoders } from '../../core/tokens/encoder';
import { createTiktoken } from '../../core/tokens/tiktoken';
import { anyText, sourceText } from './texts';

const tokenizer = createTiktoken();

afterAll(() => releaseEncoders());

const ends = fc.constantFrom('head' as const, 'tail' as const);

describe('truncating a text', () => {
  it('keeps a slice from the asked end, never above the limit, with all pairs whole', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 0, max: 300 }), ends, (text, max, from) => {
        const { text: kept, tokens, truncated } = tokenizer.truncate(text, max, from);
        expect(from === 'head' ? text.startsWith(kept) : text.endsWith(kept)).toBe(true);
        expect(tokens).toBe(tokenizer.countText(kept));
        expect(tokens).toBeLessThanOrEqual(max);
        expect(truncated).toBe(kept.length < text.length);
        if (text.isWellFormed()) expect(kept.isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the whole text exactly when it fits', () => {
    fc.assert(
      fc.property(sourceText(), ends, (text, from) => {
        const whole = tokenizer.countText(text);
        expect(tokenizer.truncate(text, whole, from)).toEqual({ text, tokens: whole, truncated: false });
        if (whole > 0) expect(tokenizer.truncate(text, whole - 1, from).truncated).toBe(true);
      }),
    );
  });

  it('wastes hardly any of the limit', () => {
    fc.assert(
      fc.property(sourceText(), fc.integer({ min: 10, max: 400 }), ends, (text, max, from) => {
        const { tokens, truncated } = tokenizer.truncate(text, max, from);
        if (truncated) expect(tokens).toBeGreaterThanOrEqual(max - 4);
      }),
    );
  });

  it('cuts long texts of every kind near the limit', () => {
    const texts = [
      'All work and no play. '.repeat(60_000),
      'あ'.repeat(200_000),
      '👨‍👩‍👧 '.repeat(60_000),
      'a'.repeat(500_000),
      'ab12'.repeat(100_000),
    ];
    for (const text of texts) {
      for (const from of ['head', 'tail'] as const) {
        const { text: kept, tokens } = tokenizer.truncate(text, 2000, from);
        expect(tokens).toBeLessThanOrEqual(2000);
        expect(tokens).toBeGreaterThanOrEqual(1980);
        expect(kept.isWellFormed()).toBe(true);
      }
    }
  });

  it('keeps nothing for a limit of nothing, and all for no limit', () => {
    expect(tokenizer.truncate('some text', 0, 'head')).toEqual({ text: '', tokens: 0, truncated: true });
    expect(tokenizer.truncate('some text', -3, 'tail')).toEqual({ text: '', tokens: 0, truncated: true });
    expect(tokenizer.truncate('', 0, 'tail')).toEqual({ text: '', tokens: 0, truncated: false });
    expect(tokenizer.truncate('some text', Infinity, 'head')).toEqual({
      text: 'some text',
      tokens: 2,
      truncated: false,
    });
  });

  it('drops a character whose bytes do not all fit', () => {
    const kept = tokenizer.truncate('𓀀漢字😀', 1, 'head');
    expect(kept.text).toBe('');
    expect(tokenizer.truncate('𓀀漢字😀', 1, 'tail').text).toBe('😀');
    expect(tokenizer.truncate('😀𓀀', 1, 'tail').text).toBe('');
  });

  it('does not lose a byte-order mark', () => {
    const text = '\ufeffhello world, and more';
    expect(text.startsWith(tokenizer.truncate(text, 3, 'head').text)).toBe(true);
    expect(tokenizer.truncate(text, 3, 'head').text.length).toBeGreaterThan(5);
  });
});
