/** What a model reads of an item, and the words of a text. */
import type { Item, Part } from '../../../core';

/** All text of an item; the arguments of a call with their line breaks and quotes as they are meant. */
export function textOf(item: Item): string {
  switch (item.kind) {
    case 'message':
      return partsText(item.parts);
    case 'tool_call':
      return `${item.name} ${JSON.stringify(item.arguments).replaceAll('\\n', '\n').replaceAll('\\"', '"')}`;
    case 'tool_result':
      return item.content === undefined ? item.summary : partsText(item.content);
    case 'reasoning':
      return item.text ?? '';
  }
}

function partsText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])[\p{L}\p{N}])+/gu;

/** The words of a text in lower case, without what stands between them; each sign of a script without blanks is one. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** A text with each stretch of white space as one blank. */
export function collapsed(text: string): string {
  return text.replace(/\s+/g, ' ');
}
