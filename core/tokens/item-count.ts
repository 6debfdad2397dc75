/** What one item sends (S6.2): text, bounded image tokens, opaque characters. */
import type { Item, Json, Part } from '../session/items';
import type { ItemCount } from '../session/records';

/** Base64 characters of opaque reasoning that are envelope, not reasoning. */
const OPAQUE_ENVELOPE = 600;

/** Tokens per character of opaque reasoning beyond its envelope, before any usage has been seen (S6.2). */
export const OPAQUE_RATE = 0.17;

/** How the parts of an item are counted: by a tokenizer and the image rule of a model. */
export interface PartCounter {
  text(text: string): number;
  image(part: Extract<Part, { type: 'image' }>): number;
}

/** Counts an item by its parts. */
export function countParts(item: Item, counter: PartCounter): ItemCount {
  switch (item.kind) {
    case 'message':
      return counted(item.parts, counter);
    case 'tool_call':
      return { text: counter.text(item.name + argumentsText(item.arguments)), images: 0, opaque: 0 };
    case 'tool_result':
      return item.content === undefined
        ? { text: counter.text(item.summary), images: 0, opaque: 0 }
        : counted(item.content, counter);
    case 'reasoning':
      return {
        text: item.text === undefined ? 0 : counter.text(item.text),
        images: 0,
        opaque: Math.max(0, (item.opaque?.length ?? 0) - OPAQUE_ENVELOPE),
      };
  }
}

/** Tokens of an item as a plain number for budgets, with opaque reasoning at its start rate. */
export function tokensOf(count: ItemCount): number {
  return count.images + Math.max(count.text, Math.ceil(count.opaque * OPAQUE_RATE));
}

/** The arguments of a call as they are sent: JSON, or the text itself where it is not JSON. */
export function argumentsText(json: Json): string {
  return typeof json === 'string' ? json : JSON.stringify(json);
}

function counted(parts: readonly Part[], counter: PartCounter): ItemCount {
  let text = 0;
  let images = 0;
  for (const part of parts) {
    if (part.type === 'text') text += counter.text(part.text);
    else images += counter.image(part);
  }
  return { text, images, opaque: 0 };
}
