/** Writes a context as Anthropic `{ system, messages }` (S12.1). */
import type { ContextView } from '../../context/view';
import type { Part, ReasoningItem } from '../../session/items';
import { markOf } from '../bound-reasoning';
import { imageNote, sentImage } from './images';
import { systemTexts, turnsOf } from './turns';
import type { JsonObject, Said, WrittenResult } from './turns';

/** A context in the shape of the Anthropic API. */
export interface AnthropicContext {
  readonly system: readonly AnthropicText[];
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: readonly AnthropicBlock[] }[];
}

interface AnthropicText {
  readonly type: 'text';
  readonly text: string;
}

interface AnthropicImage {
  readonly type: 'image';
  readonly source:
    | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
}

/** A block of the content of an Anthropic message. */
export type AnthropicBlock =
  | AnthropicText
  | AnthropicImage
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: JsonObject }
  | {
      readonly type: 'tool_result';
      readonly tool_use_id: string;
      readonly content: string | readonly (AnthropicText | AnthropicImage)[];
      readonly is_error?: true;
    };

/**
 * User and assistant take turns: neighbouring messages of one role are one message with several blocks. The results of a
 * reply stand together at the head of the user message behind it. Thinking is written where its signature is known.
 */
export function writeAnthropic(context: Pick<ContextView, 'system' | 'items'>): AnthropicContext {
  const messages: { role: 'user' | 'assistant'; content: AnthropicBlock[] }[] = [];
  const put = (role: 'user' | 'assistant', blocks: readonly AnthropicBlock[]): void => {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) messages.push({ role, content: [...blocks] });
  };
  for (const turn of turnsOf(context)) {
    if (turn.from === 'user') {
      put('user', turn.parts.map(blockOf));
      continue;
    }
    put('assistant', turn.said.flatMap(blocksOf));
    put('user', turn.results.map(resultOf));
  }
  return { system: systemTexts(context).map((text) => ({ type: 'text', text })), messages };
}

function blocksOf(said: Said): readonly AnthropicBlock[] {
  switch (said.kind) {
    case 'message':
      return said.parts.map((part) => (part.type === 'text' ? textOf(part.text) : textOf(imageNote(part))));
    case 'call':
      return [{ type: 'tool_use', id: said.id, name: said.name, input: said.input }];
    case 'reasoning':
      return thinkingOf(said.item);
  }
}

function thinkingOf(item: ReasoningItem): readonly AnthropicBlock[] {
  const type = markOf(item, 'anthropic')?.['type'];
  if (item.opaque === undefined || !item.opaque.isWellFormed()) return [];
  if (type === 'thinking') return [{ type, thinking: item.text ?? '', signature: item.opaque }];
  return type === 'redacted_thinking' ? [{ type, data: item.opaque }] : [];
}

/** Errors may hold text only, so with an image the flag is left out. */
function resultOf(result: WrittenResult): AnthropicBlock {
  const [only] = result.parts;
  const plain = result.parts.length === 1 && only?.type === 'text' ? only.text : undefined;
  const blocks = result.parts.map(blockOf);
  return {
    type: 'tool_result',
    tool_use_id: result.id,
    content: plain ?? blocks,
    ...(result.isError && blocks.every((block) => block.type === 'text') && { is_error: true as const }),
  };
}

function blockOf(part: Part): AnthropicText | AnthropicImage {
  if (part.type === 'text') return textOf(part.text);
  const image = sentImage(part);
  if (image === undefined) return textOf(imageNote(part));
  if ('url' in image) return { type: 'image', source: { type: 'url', url: image.url } };
  return { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.data } };
}

function textOf(text: string): AnthropicText {
  return { type: 'text', text };
}
