/** What a model reads of an item, and the words of a text. */
import type { Item, Json, Part } from '../../../core';

/** All text of an item: of a call its tool and what is said in its arguments. */
export function textOf(item: Item): string {
  switch (item.kind) {
    case 'message':
      return partsText(item.parts);
    case 'tool_call':
      return `${item.name}\n${valuesOf(item.arguments).join('\n')}`;
    case 'tool_result':
      return item.content === undefined ? item.summary : partsText(item.content);
    case 'reasoning':
      return item.text ?? '';
  }
}

/** The texts in the arguments of a call, without their keys: those are known from the tool itself. */
export function valuesOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value as Readonly<Record<string, Json>>).flatMap(valuesOf);
}

function partsText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

const WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])[\p{L}\p{N}])+/gu;

/** The words of a text in lower case, without what stands between them; each sign of a script without blanks is one. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** A text with each stretch of white space as one blank. */
export function collapsed(text: string): string {
  return text.replace(/\s+/g, ' ');
}
