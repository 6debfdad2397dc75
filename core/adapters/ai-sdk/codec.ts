/**
 * Prompts and model messages of the AI SDK. Both have the same parts; what is written here either takes, in the words of one
 * version of the model interface.
 */
import { isFields } from '../../formats/shape';
import { turnsIn } from '../../formats/write/turns';
import type { ModelVersion } from '../../llm/language-model';
import { outputOf, turnMessages } from '../../llm/prompt';
import type { Reader } from '../../llm/prompt';
import type { Item, MessageItem, Part } from '../../session/items';
import { hasContent } from '../../session/well-formed';
import type { HostCodec } from '../host-codec';
import { isSame } from '../same-item';
import type { AiSdkMessage, AiSdkPart } from './host-types';
import { itemOf, itemsOf, partsOfPart } from './items';

/** The codec for models of a version: 2 of AI SDK 5, 3 of AI SDK 6, 4 of AI SDK 7. System content is messages. */
export function codecOf(version: ModelVersion): HostCodec<AiSdkMessage> {
  return { ...codecBeside(version), system: (texts) => texts.map((content) => ({ role: 'system', content })) };
}

/** The codec where system content stands beside the messages. */
export function codecBeside(version: ModelVersion): HostCodec<AiSdkMessage> {
  return {
    wholeReplies: true,
    read: itemsOf,
    edit: (message, items) => edited(message, items, version),
    write: (items) => turnsIn(items).flatMap((turn) => turnMessages(turn, readerOf(version))),
  };
}

/** Everything is written, since nothing is known of the provider but that its package takes what it gave. */
function readerOf(version: ModelVersion): Reader {
  return {
    model: '',
    profile: { system: 'many' },
    traits: { resultImages: 'inside', reasoning: 'any' },
    version,
    keepsReplies: true,
  };
}

/** Parts that are sent as they were stay the very same objects. */
function edited(
  message: AiSdkMessage,
  items: readonly (Item | undefined)[],
  version: ModelVersion,
): AiSdkMessage | undefined {
  if (items.every((item) => item === undefined)) return undefined;
  const [first] = items;
  if (message.role === 'user' || message.role === 'system') {
    if (first?.kind !== 'message') return undefined;
    return { ...message, role: first.role, ...userContent(message, first, version) };
  }
  if (typeof message.content === 'string')
    return first?.kind === 'message' ? { ...message, content: textOf(first.parts) } : undefined;
  const content: AiSdkPart[] = [];
  let at = 0;
  for (const part of message.content) {
    const read = itemOf(part);
    const item = read === undefined ? undefined : items[at++];
    if (read === undefined) content.push(part);
    else if (item !== undefined) content.push(isSame(read, item) ? part : editedPart(part, item, version));
  }
  return { ...message, content };
}

function editedPart(part: AiSdkPart, item: Item, version: ModelVersion): AiSdkPart {
  switch (item.kind) {
    case 'message':
      return { ...part, ...{ type: 'text', text: textOf(item.parts) } };
    case 'reasoning':
      return { ...part, ...{ text: item.text ?? '' } };
    case 'tool_call':
      return { ...part, ...{ input: isFields(item.arguments) ? item.arguments : { input: item.arguments } } };
    case 'tool_result': {
      const { content, summary, isError = false } = item;
      const says = content !== undefined && hasContent({ kind: 'message', role: 'user', parts: content });
      const parts: readonly Part[] = says ? content : [{ type: 'text', text: summary }];
      return { ...part, ...{ output: outputOf({ parts, isError }, version) } };
    }
  }
}

/** Files stay in any case: what is shortened is the text of a message. */
function userContent(
  { role, content }: AiSdkMessage,
  sent: MessageItem,
  version: ModelVersion,
): Pick<AiSdkMessage, 'content'> {
  if (typeof content === 'string' && role === sent.role) return { content: textOf(sent.parts) };
  const own = typeof content === 'string' ? [] : [...content];
  const kept = sent.parts.flatMap((part): readonly AiSdkPart[] => {
    const at = own.findIndex((one) => partsOfPart(one).some((read) => samePart(read, part)));
    return at === -1 ? written(part, version) : own.splice(at, 1);
  });
  return { content: [...kept, ...own.filter(({ type }) => type !== 'text')] };
}

function written(part: Part, version: ModelVersion): readonly AiSdkPart[] {
  const turn = { from: 'user' as const, parts: [part], end: 1 };
  return turnMessages(turn, readerOf(version)).flatMap(({ content }): readonly AiSdkPart[] =>
    typeof content === 'string' ? [] : content,
  );
}

function samePart(one: Part, other: Part): boolean {
  if (one.type === 'text') return other.type === 'text' && one.text === other.text;
  return other.type === 'image' && one.data === other.data && one.url === other.url;
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
