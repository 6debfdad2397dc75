/** Well-formed Unicode and emptiness (S5.6): what may be sent of an item. */
import type { Item, Json, NewItem, Part } from './items';

/** Whether an item says anything: a message with text or image, reasoning with text or opaque data; calls and results always do. */
export function hasContent(item: NewItem): boolean {
  if (item.kind === 'message') return item.parts.some((part) => part.type === 'image' || part.text.trim() !== '');
  if (item.kind === 'reasoning') return Boolean(item.text) || Boolean(item.opaque) || item.provider !== undefined;
  return true;
}

/** Whether every string of an item is well-formed Unicode. */
export function isWellFormed(item: Item): boolean {
  switch (item.kind) {
    case 'message':
      return item.parts.every(isWellFormedPart);
    case 'tool_call':
      return item.name.isWellFormed() && isWellFormedJson(item.arguments);
    case 'tool_result':
      return item.summary.isWellFormed() && (item.content ?? []).every(isWellFormedPart);
    case 'reasoning':
      return (item.text ?? '').isWellFormed();
  }
}

/** The item with lone surrogates replaced; the very same object where there are none. */
export function wellFormed(item: Item): Item {
  if (isWellFormed(item)) return item;
  switch (item.kind) {
    case 'message':
      return Object.freeze({ ...item, parts: item.parts.map(wellFormedPart) });
    case 'tool_call':
      return Object.freeze({ ...item, name: item.name.toWellFormed(), arguments: wellFormedJson(item.arguments) });
    case 'tool_result':
      return Object.freeze({
        ...item,
        summary: item.summary.toWellFormed(),
        ...(item.content !== undefined && { content: item.content.map(wellFormedPart) }),
      });
    case 'reasoning':
      return Object.freeze({ ...item, ...(item.text !== undefined && { text: item.text.toWellFormed() }) });
  }
}

function isWellFormedPart(part: Part): boolean {
  return part.type === 'image' || part.text.isWellFormed();
}

function wellFormedPart(part: Part): Part {
  return part.type === 'image' ? part : { ...part, text: part.text.toWellFormed() };
}

function isWellFormedJson(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return (value as readonly Json[]).every(isWellFormedJson);
  return Object.entries(value as Record<string, Json>).every(
    ([key, inner]) => key.isWellFormed() && isWellFormedJson(inner),
  );
}

export function wellFormedJson(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(wellFormedJson);
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([key, inner]) => [key.toWellFormed(), wellFormedJson(inner)]),
  );
}
