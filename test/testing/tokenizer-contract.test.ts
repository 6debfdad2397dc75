import { createTiktoken } from '../../core';
import type { Item, Tokenizer } from '../../core';
import { tokenizerContract } from '../../core/testing';
import type { TokenizerUnderTest } from '../../core/testing';
import { countParts, tokensOf } from '../../core/tokens/item-count';
import { expectEachToFail } from './contract-can-fail';

/** The plainest tokenizer that holds: four bytes are a token. */
function byBytes(): Tokenizer {
  const count = (text: string): number => {
    if (typeof text !== 'string') throw new TypeError('no text');
    return Math.ceil(Buffer.byteLength(text) / 4);
  };
  const items = new WeakMap<Item, ReturnType<Tokenizer['countItem']>>();
  const countItem: Tokenizer['countItem'] = (item) => {
    const known = items.get(item) ?? countParts(item, { text: count, image: () => 1000 });
    items.set(item, known);
    return known;
  };
  const kept = (text: string, bytes: number, from: 'head' | 'tail'): string => {
    const all = Buffer.from(text);
    const isInside = (at: number): boolean => at > 0 && at < all.length && ((all[at] ?? 0) & 0xc0) === 0x80;
    let cut = from === 'head' ? bytes : all.length - bytes;
    while (isInside(cut)) cut += from === 'head' ? -1 : 1;
    return (from === 'head' ? all.subarray(0, cut) : all.subarray(cut)).toString();
  };
  return {
    id: 'bytes@1',
    countText: count,
    countItem,
    remember: (item, known) => void items.set(item, known),
    countItems: (list) => [...list].reduce((sum, item) => sum + tokensOf(countItem(item)), 0),
    countTools: (tools) => tools.reduce((sum, tool) => sum + count(JSON.stringify(tool)), 0),
    truncate(text, max, from) {
      const tokens = count(text);
      if (tokens <= max) return { text, tokens, truncated: false };
      const rest = kept(text, Math.max(0, max) * 4, from);
      return { text: rest, tokens: count(rest), truncated: true };
    },
  };
}

describe('the contract of tokenizers holds for', () => {
  describe('the stock tokenizer', () => {
    test.each(tokenizerContract({ create: createTiktoken }))('$name', ({ run }) => run());
  });
  describe('the stock tokenizer with another encoding', () => {
    test.each(tokenizerContract({ create: () => createTiktoken('gpt-4') }))('$name', ({ run }) => run());
  });
  describe('an estimate by bytes', () => {
    test.each(tokenizerContract({ create: byBytes }))('$name', ({ run }) => run());
  });
});

/** The estimate with something else in place of what it does. */
const but = (broken: (good: Tokenizer) => Partial<Tokenizer>): TokenizerUnderTest => ({
  create() {
    const good = byBytes();
    return { ...good, ...broken(good) };
  },
});

let made = 0;

describe('the contract of tokenizers', () => {
  expectEachToFail(tokenizerContract, {
    'nothing has no tokens, and every text a whole number of them, at least one and at most one for each byte': but(
      () => ({ countText: (text) => text.length / 4 }),
    ),
    'a text always counts the same, in every tokenizer of the id, whatever was counted before': but(({ countText }) => {
      const nth = made++;
      return { countText: (text) => countText(text) + (nth % 2) };
    }),
    'the marks of a model are plain text in content: they are counted as they are spelled': but(({ countText }) => ({
      countText: (text) => countText(text.replace(/<\|.*?\|>/g, '!')),
    })),
    'text that is not well-formed is counted, not refused': but(({ countText }) => ({
      countText: (text) => (encodeURIComponent(text) === '' ? 0 : countText(text)),
    })),
    'what is no text is refused with a TypeError': but(({ countText }) => ({
      countText: (text) => countText(String(text)),
    })),
    'a text counts what its parts count, but for the one word that the cut parts': but(({ countText }) => ({
      countText: (text) => Math.ceil(countText(text) ** 1.2),
    })),
    'a longer text never counts less than its beginning, but for the word at its end': but(({ countText }) => ({
      countText: (text) => (text.length > 250 ? 1 : countText(text)),
    })),
    'a million characters of anything are counted to their end: twice the text has twice the tokens': but(
      ({ countText }) => ({ countText: (text) => countText(text.slice(0, 65_536)) }),
    ),
    'what is kept of a text is a piece of it from the end that was asked for': but(({ truncate }) => ({
      truncate: (text, max) => truncate(text, max, 'head'),
    })),
    'what is kept has never more tokens than the limit, and is told as it counts': but(({ truncate }) => ({
      truncate: (text, max, end) => truncate(text, max + 1, end),
    })),
    'a text that fits is kept whole': but(({ truncate }) => ({
      truncate: (text, max, end) => truncate(text, max - 1, end),
    })),
    'a cut uses at least half of the limit': but(({ truncate }) => ({
      truncate: (text, max, end) =>
        truncate(text, max, end).truncated ? truncate(text, 3, end) : truncate(text, max, end),
    })),
    'a cut never parts a character': but(({ countText, truncate }) => ({
      truncate(text, max, end) {
        const cut = truncate(text, max, end);
        const kept = end === 'head' ? cut.text.slice(0, -1) : cut.text.slice(1);
        return cut.truncated ? { text: kept, tokens: countText(kept), truncated: true } : cut;
      },
    })),
    'a cut text is not cut again at the same limit': but(({ truncate }) => ({
      truncate(text, max, end) {
        const cut = truncate(text, max, end);
        return { ...cut, truncated: cut.truncated || cut.tokens === max };
      },
    })),
    'a million characters of anything are cut near the limit': but(({ truncate }) => ({
      truncate: (text, max, end) => (text.length > 100_000 ? truncate(text, max / 4, end) : truncate(text, max, end)),
    })),
    'an item counts what its texts count: message, arguments of a call, content of a result, reasoning': but(
      ({ countItem }) => ({
        countItem: (item) => (item.kind === 'tool_call' ? { text: 3, images: 0, opaque: 0 } : countItem(item)),
      }),
    ),
    'a result without content counts its summary, and only then': but(({ countItem, countText }) => ({
      countItem: (item) =>
        item.kind === 'tool_result' ? { text: countText(item.summary), images: 0, opaque: 0 } : countItem(item),
    })),
    'an image counts a bounded amount, never its base64 as text': but(({ countText }) => ({
      countItem: (item) => ({ text: countText(JSON.stringify(item)), images: 0, opaque: 0 }),
    })),
    'reasoning that nobody can read counts by its length beyond the envelope': but(({ countItem }) => ({
      countItem: (item) =>
        item.kind === 'reasoning' ? { text: item.opaque?.length ?? 0, images: 0, opaque: 0 } : countItem(item),
    })),
    'an item is counted once: the same object has the same count, or the one that was remembered': but(
      ({ countItem }) => ({ countItem: (item) => ({ ...countItem({ ...item }) }) }),
    ),
    'a list of items counts the sum of them': but(({ countItems }) => ({
      countItems: (items) => countItems(items) + 3,
    })),
    'a tool counts its name, its description and its parameters, each tool by itself': but(({ countTools }) => ({
      countTools: (tools) => countTools(tools.map(({ parameters: _, ...tool }) => tool)),
    })),
  });
});
