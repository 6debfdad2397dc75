/** Anthropic messages: blocks as items, and back. System content stands beside the messages. */
import { REDACTED_THINKING, SIGNED_THINKING } from '../../formats/bound-reasoning';
import { argumentsOf, fieldsOf, listOf, stringOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import { imageNote, sentImage } from '../../formats/write/images';
import type { Item, NewItem, Part, ReasoningItem } from '../../session/items';
import type { HostCodec } from '../host-codec';
import { isSame } from '../same-item';
import { readParts, sentParts } from './text-of';

/** Neighbouring blocks of a message that are one item. */
interface Piece {
  readonly item: NewItem;
  readonly blocks: readonly Fields[];
}

/** Reads and writes Anthropic messages. Blocks of tools that run at the provider stay as they are. */
export const anthropicCodec: HostCodec<object> = {
  wholeReplies: true,
  read: (message) => piecesOf(message as Fields).map(({ item }) => item),
  edit(message, items) {
    const content = piecesOf(message as Fields).flatMap((piece, at) => {
      const item = items[at];
      if (item === undefined) return [];
      return isSame(item, piece.item) ? piece.blocks : rewritten(piece, item);
    });
    return content.length === 0 ? undefined : { ...message, content };
  },
  join: (one, other) => ({ ...one, content: [...contentIn(one), ...contentIn(other)] }),
  write: (items) =>
    items.map((item) => ({
      role:
        item.kind === 'tool_result' || (item.kind === 'message' && item.role !== 'assistant') ? 'user' : 'assistant',
      content: blocksOf(item),
    })),
};

function contentIn(message: object): readonly Fields[] {
  const { content } = message as Fields;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(fieldsOf);
}

function piecesOf(message: Fields): readonly Piece[] {
  const { role } = message;
  const blocks = contentIn(message);
  if (role === 'assistant') return blocks.map((block) => ({ blocks: [block], item: saidIn(block) }));
  return role === 'user' ? piecesOfUser(blocks) : [];
}

/** Results are items of their own; all else between them is one message. */
function piecesOfUser(blocks: readonly Fields[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let said: Fields[] = [];
  const close = (): void => {
    if (said.length > 0) pieces.push({ blocks: said, item: { kind: 'message', role: 'user', parts: readParts(said) } });
    said = [];
  };
  for (const block of blocks) {
    if (block['type'] !== 'tool_result') {
      said.push(block);
      continue;
    }
    close();
    pieces.push({ blocks: [block], item: resultIn(block) });
  }
  close();
  return pieces;
}

function resultIn({ tool_use_id: id, content, is_error: isError }: Fields): NewItem {
  const parts = readParts(content);
  return {
    kind: 'tool_result',
    callId: stringOf(id) ?? '',
    summary: '',
    ...(parts.length > 0 && { content: parts }),
    ...(isError === true && { isError }),
  };
}

function saidIn(block: Fields): NewItem {
  switch (block['type']) {
    case 'tool_use':
      return {
        kind: 'tool_call',
        callId: stringOf(block['id']) ?? '',
        name: stringOf(block['name']) ?? '',
        arguments: argumentsOf(block['input']),
      };
    case 'thinking':
      return reasoningOf(block['thinking'], block['signature'], SIGNED_THINKING.provider);
    case 'redacted_thinking':
      return reasoningOf('', block['data'], REDACTED_THINKING.provider);
    default:
      return { kind: 'message', role: 'assistant', parts: readParts([block]) };
  }
}

function reasoningOf(text: unknown, bound: unknown, provider: ReasoningItem['provider']): NewItem {
  const opaque = stringOf(bound);
  return { kind: 'reasoning', text: stringOf(text) ?? '', ...(opaque && { opaque }), ...(provider && { provider }) };
}

/** What stands in the place of blocks whose item changed. */
function rewritten({ blocks }: Piece, item: Item): readonly object[] {
  const [block] = blocks;
  if (item.kind === 'message') return blocksOf(item);
  if (item.kind === 'tool_result') return [{ ...block, content: contentOf(sentParts(item)) }];
  if (item.kind === 'tool_call') return [{ ...block, name: item.name, input: item.arguments }];
  return blocks;
}

function blocksOf(item: Item): readonly object[] {
  switch (item.kind) {
    case 'message':
      return item.parts.filter(says).map(blockOf);
    case 'tool_result': {
      const isError = item.isError === true ? { is_error: true } : {};
      return [{ type: 'tool_result', tool_use_id: item.callId, content: contentOf(sentParts(item)), ...isError }];
    }
    case 'tool_call':
      return [{ type: 'tool_use', id: item.callId, name: item.name, input: item.arguments }];
    case 'reasoning':
      return [{ type: 'text', text: item.text ?? '' }];
  }
}

function contentOf(parts: readonly Part[]): string | readonly object[] {
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' ? only.text : parts.filter(says).map(blockOf);
}

function blockOf(part: Part): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const image = sentImage(part);
  if (image === undefined) return { type: 'text', text: imageNote(part) };
  if ('url' in image) return { type: 'image', source: { type: 'url', url: image.url } };
  return { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.data } };
}

/** Blank texts are taken by no provider as a block of their own. */
function says(part: Part): boolean {
  return part.type === 'image' || part.text.trim() !== '';
}
