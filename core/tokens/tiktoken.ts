/** The stock tokenizer (S6.1). */
import type { Item } from '../session/items';
import type { ItemCount, ToolSchema } from '../session/records';
import { countText } from './counting';
import { encoderOf } from './encoder';
import { encodingOf } from './encodings';
import { imageTokens } from './image-tokens';
import { countParts, tokensOf } from './item-count';
import { RecentCounts } from './recent-counts';
import type { Tokenizer } from './tokenizer';
import { truncateText } from './truncation';

/**
 * A tokenizer on the vocabulary that is packaged with `tiktoken`: no network, nothing loaded before the first count, one
 * encoder per encoding and process however many tokenizers there are (see `releaseEncoders`).
 *
 * @param model chooses encoding and image rule; an encoding's own name chooses that encoding. Default `o200k_base`.
 */
export function createTiktoken(model?: string): Tokenizer {
  const encoding = encodingOf(model);
  const encoder = encoderOf(encoding);
  const items = new WeakMap<Item, ItemCount>();
  const schemas = new WeakMap<ToolSchema, number>();
  const recent = new RecentCounts();

  function count(text: string): number {
    if (typeof text !== 'string') throw new TypeError(`countText: a string is expected, not ${typeof text}`);
    return countText(encoder, text);
  }

  function countItem(item: Item): ItemCount {
    let known = items.get(item);
    if (known === undefined) {
      known = countParts(item, { text: count, image: (part) => imageTokens(part, model) });
      items.set(item, known);
    }
    return known;
  }

  function countTool(tool: ToolSchema): number {
    let known = schemas.get(tool);
    if (known === undefined) {
      known = count(JSON.stringify({ name: tool.name, description: tool.description, parameters: tool.parameters }));
      schemas.set(tool, known);
    }
    return known;
  }

  return {
    id: `${encoding}@1`,
    countText: (text) => recent.of(text, count),
    countItem,
    remember: (item, known) => void items.set(item, known),
    countItems: (list) => {
      let tokens = 0;
      for (const item of list) tokens += tokensOf(countItem(item));
      return tokens;
    },
    countTools: (tools) => tools.reduce((tokens, tool) => tokens + countTool(tool), 0),
    truncate: (text, max, from) => {
      if (typeof text !== 'string') throw new TypeError(`truncate: a string is expected, not ${typeof text}`);
      return truncateText(encoder, text, max, from);
    },
  };
}
