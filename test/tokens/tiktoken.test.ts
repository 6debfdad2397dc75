import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { get_encoding } from 'tiktoken';
import { releaseEncoders } from '../../core/tokens/encoder';
import { createTiktoken } from '../../core/tokens/tiktoken';
import type { Item } from '../../core/session/items';
import { anyText, sourceText } from './texts';

const plain = get_encoding('o200k_base');
const countOf = (text: string): number => plain.encode_ordinary(text).length;
const tokenizer = createTiktoken();

afterAll(() => {
  plain.free();
  releaseEncoders();
});

describe('counting text', () => {
  it('gives exactly what the encoder gives for text without overlong runs', () => {
    fc.assert(fc.property(sourceText(), (text) => expect(tokenizer.countText(text)).toBe(countOf(text))));
  });

  it('stays within a fraction of a percent for long texts of any language', () => {
    const texts = [
      'The quick brown fox jumps over the lazy dog, again and again. '.repeat(2000),
      'function add(left: number, right: number) {\n  return left + right;\n}\n'.repeat(1000),
      '文字を数えるのは簡単ではありませんが、決まった手順があります。'.repeat(800),
      'Считать слова легко, если знать правила языка. '.repeat(1000),
    ];
    for (const text of texts) {
      const whole = countOf(text);
      expect(Math.abs(tokenizer.countText(text) - whole)).toBeLessThanOrEqual(whole * 0.001);
    }
  });

  it('never counts a text less than its parts by more than the cut between them can explain', () => {
    fc.assert(
      fc.property(anyText(), anyText(), (left, right) => {
        const apart = tokenizer.countText(left) + tokenizer.countText(right);
        const together = tokenizer.countText(left + right);
        // A cut parts at most one run, which may be counted in other pieces then.
        expect(Math.abs(together - apart)).toBeLessThanOrEqual(8 + 0.04 * apart);
      }),
    );
  });

  it('counts nothing for nothing and a lone surrogate like the replacement character', () => {
    expect(tokenizer.countText('')).toBe(0);
    expect(tokenizer.countText('a\ud800b')).toBe(tokenizer.countText('a\ufffdb'));
  });

  it('samples long unbroken runs of base64 and hex closely', () => {
    let state = 7;
    const random = (alphabet: string): string => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return alphabet[Math.floor(state / 65536) % alphabet.length] as string;
    };
    const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    for (const alphabet of [base64, '0123456789abcdef']) {
      const text = `data: ${Array.from({ length: 150_000 }, () => random(alphabet)).join('')} end`;
      const whole = countOf(text);
      expect(Math.abs(tokenizer.countText(text) - whole)).toBeLessThanOrEqual(whole * 0.02);
    }
  });

  it('counts a run below the sampling length exactly as its chunks', () => {
    const text = 'dead8eef42'.repeat(6000);
    expect(tokenizer.countText(text)).toBe(countOf(text));
  });

  it('refuses what is no string with a TypeError', () => {
    for (const value of [undefined, null, 12, {}]) {
      expect(() => tokenizer.countText(value as unknown as string)).toThrow(TypeError);
      expect(() => tokenizer.truncate(value as unknown as string, 5, 'head')).toThrow(TypeError);
    }
  });
});

describe('a tokenizer', () => {
  it('is named by its encoding, which follows the model', () => {
    expect(createTiktoken().id).toBe('o200k_base@1');
    expect(createTiktoken('gpt-4').id).toBe('cl100k_base@1');
    expect(createTiktoken('claude-sonnet-4-5').id).toBe('o200k_base@1');
  });

  it('counts with the encoding of its name', () => {
    const old = get_encoding('cl100k_base');
    const text = 'Straßenbahnhaltestelle und 漢字';
    expect(createTiktoken('cl100k_base').countText(text)).toBe(old.encode_ordinary(text).length);
    old.free();
  });

  it('counts an item once and hands out the same count', () => {
    const item: Item = { id: '1', kind: 'message', role: 'user', parts: [{ type: 'text', text: 'hello world' }] };
    expect(tokenizer.countItem(item)).toEqual({ text: 2, images: 0, opaque: 0 });
    expect(tokenizer.countItem(item)).toBe(tokenizer.countItem(item));
  });

  it('sums items and tool schemas', () => {
    const items: Item[] = [
      { id: '1', kind: 'message', role: 'user', parts: [{ type: 'text', text: 'hello world' }] },
      { id: '2', kind: 'reasoning', opaque: 'x'.repeat(1600) },
    ];
    expect(tokenizer.countItems(items)).toBe(2 + 170);
    const schema = { name: 'read', description: 'Reads a file', parameters: { type: 'object' } } as const;
    const one = countOf('{"name":"read","description":"Reads a file","parameters":{"type":"object"}}');
    expect(tokenizer.countTools([schema, { ...schema }])).toBe(2 * one);
    expect(tokenizer.countTools([])).toBe(0);
    expect(tokenizer.countTools([{ name: 'stop' }])).toBe(countOf('{"name":"stop"}'));
  });

  it('loads no vocabulary before the first count', () => {
    const script = `
      require('ts-node').register({ transpileOnly: true });
      const { createTiktoken } = require('./core/tokens/tiktoken');
      const loaded = () => Object.keys(require.cache).some((path) => path.includes('tiktoken_bg'));
      const tokenizer = createTiktoken();
      const before = loaded();
      tokenizer.countText('hello');
      console.log(JSON.stringify([before, loaded()]));`;
    expect(JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }))).toEqual([false, true]);
  });
});
