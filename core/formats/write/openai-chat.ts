/** Writes a context as OpenAI chat messages (S12.1), which OpenAI-compatible endpoints take too. */
import type { ContextView } from '../../context/view';
import type { Part } from '../../session/items';
import { markOf } from '../bound-reasoning';
import { imageNote, sentImage } from './images';
import { systemTexts, turnsOf } from './turns';
import type { ReplyTurn, Said, WrittenResult } from './turns';

/** An array for `messages`. */
export type OpenAiMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly OpenAiPart[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }
  | ({ readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly OpenAiCall[] } & {
      readonly [field in 'reasoning_content' | 'reasoning']?: string;
    });

type OpenAiPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

interface OpenAiCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What the writer of OpenAI chats is to mind. */
export interface OpenAiChatOptions {
  /** `one` system message, its pieces joined by blank lines, as many compatible endpoints ask for (default), or `many`. */
  readonly system?: 'many' | 'one';
}

/**
 * Text and calls of one reply stand in one message. Content is a plain string wherever it holds no image, since many
 * endpoints take nothing else. Tool messages take text only: an image in a result is named there and follows in a user
 * message behind all results of the reply.
 */
export function writeOpenAiChat(
  context: Pick<ContextView, 'system' | 'items'>,
  options: OpenAiChatOptions = {},
): readonly OpenAiMessage[] {
  const texts = systemTexts(context);
  const system = options.system === 'many' || texts.length === 0 ? texts : [texts.join('\n\n')];
  const messages: OpenAiMessage[] = system.map((content) => ({ role: 'system', content }));
  for (const turn of turnsOf(context)) {
    if (turn.from === 'user') {
      messages.push({ role: 'user', content: userContent(turn.parts) });
      continue;
    }
    if (turn.said.length > 0) messages.push(assistantMessage(turn));
    for (const result of turn.results)
      messages.push({ role: 'tool', tool_call_id: result.id, content: plainText(result.parts) });
    const shown = turn.results.flatMap(imagesOf);
    if (shown.length > 0) messages.push({ role: 'user', content: shown });
  }
  return messages;
}

function assistantMessage(turn: ReplyTurn): OpenAiMessage {
  const texts = turn.said.flatMap((one) =>
    one.kind === 'message' && one.parts.length > 0 ? [plainText(one.parts)] : [],
  );
  const calls = turn.said.flatMap((one) => (one.kind === 'call' ? [callOf(one)] : []));
  return {
    role: 'assistant',
    ...reasoningOf(turn.said),
    content: texts.length === 0 ? null : texts.join('\n\n'),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function callOf(call: Extract<Said, { kind: 'call' }>): OpenAiCall {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } };
}

/** Readable reasoning goes back in the field it came in; endpoints that gave none refuse the field. */
function reasoningOf(said: readonly Said[]): { readonly [field: string]: string } {
  const fields: Record<string, string> = {};
  for (const one of said) {
    if (one.kind !== 'reasoning') continue;
    const field = markOf(one.item, 'openaiChat')?.['field'];
    if ((field !== 'reasoning_content' && field !== 'reasoning') || one.item.text === undefined) continue;
    const before = fields[field];
    fields[field] = before === undefined ? one.item.text : `${before}\n\n${one.item.text}`;
  }
  return fields;
}

function userContent(parts: readonly Part[]): string | readonly OpenAiPart[] {
  const hasImage = parts.some((part) => part.type === 'image' && sentImage(part) !== undefined);
  return hasImage ? parts.map(partOf) : plainText(parts);
}

function partOf(part: Part): OpenAiPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const image = sentImage(part);
  if (image === undefined) return { type: 'text', text: imageNote(part) };
  return {
    type: 'image_url',
    image_url: { url: 'url' in image ? image.url : `data:${image.mediaType};base64,${image.data}` },
  };
}

function imagesOf(result: WrittenResult): readonly OpenAiPart[] {
  const images = result.parts.filter((part) => part.type === 'image' && sentImage(part) !== undefined).map(partOf);
  return images.length === 0
    ? []
    : [{ type: 'text', text: `[Images of the result of ${result.name}, call ${result.id}]` }, ...images];
}

function plainText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : imageNote(part))).join('\n\n');
}
