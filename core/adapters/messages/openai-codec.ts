/** OpenAI chat messages: what stands in which field, and back. */
import { REASONING_FIELDS, reasoningIn, SIGNED_THINKING } from '../../formats/bound-reasoning';
import { argumentsOf, fieldsOf, isFields, listOf, stringOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import { imageNote, sentImage } from '../../formats/write/images';
import type { Item, NewItem, Part } from '../../session/items';
import type { HostCodec } from '../host-codec';
import { isSame } from '../same-item';
import { readParts, sentParts } from './text-of';

/** Where in its message an item stands. */
interface Piece {
  readonly item: NewItem;
  readonly field: string;
  /** Position in the list of the field. */
  readonly at?: number;
}

/** Reads and writes OpenAI chat messages; system content is a message of its own. */
export const openAiCodec: HostCodec<object> = {
  wholeReplies: true,
  read: (message) => piecesOf(message as Fields).map(({ item }) => item),
  edit: (message, items) => edited(message as Fields, items),
  write: (items) => items.map(written),
  system: (texts) => texts.map((content) => ({ role: 'system', content })),
};

function piecesOf(message: Fields): readonly Piece[] {
  const { role, content } = message;
  switch (role) {
    case 'system':
    case 'developer':
      return [{ field: 'content', item: { kind: 'message', role: 'system', parts: readParts(content) } }];
    case 'user':
      return [{ field: 'content', item: { kind: 'message', role: 'user', parts: readParts(content) } }];
    case 'assistant':
      return piecesOfReply(message);
    case 'tool':
    case 'function':
      return [{ field: 'content', item: resultOf(callIdOf(message), content) }];
    default:
      return [];
  }
}

function resultOf(callId: string, content: unknown): NewItem {
  const parts = readParts(content);
  return { kind: 'tool_result', callId, summary: '', ...(parts.length > 0 && { content: parts }) };
}

/** Calls from before there were call ids: the name alone links a result to its call. */
function callIdOf({ tool_call_id: id, name }: Fields): string {
  return stringOf(id) ?? `function:${stringOf(name) ?? ''}`;
}

function piecesOfReply(message: Fields): readonly Piece[] {
  const pieces: Piece[] = [];
  const thinking = listOf(message['thinking_blocks']).map(fieldsOf);
  thinking.forEach(({ thinking: text, signature }, at) => {
    const opaque = stringOf(signature);
    const item: NewItem = {
      kind: 'reasoning',
      text: stringOf(text) ?? '',
      ...(opaque && { opaque }),
      ...SIGNED_THINKING,
    };
    pieces.push({ field: 'thinking_blocks', at, item });
  });
  const field = REASONING_FIELDS.find((name) => stringOf(message[name]) !== undefined);
  if (field !== undefined && thinking.length === 0)
    pieces.push({ field, item: { kind: 'reasoning', text: String(message[field]), ...reasoningIn(field) } });
  const said = stringOf(message['refusal']) === undefined ? 'content' : 'refusal';
  const parts = readParts(message[said]);
  if (parts.length > 0) pieces.push({ field: said, item: { kind: 'message', role: 'assistant', parts } });
  listOf(message['tool_calls']).forEach((call, at) => {
    const { id, function: named, custom } = fieldsOf(call);
    const { name, arguments: args, input } = fieldsOf(named ?? custom);
    const callId = stringOf(id) ?? '';
    pieces.push({
      field: 'tool_calls',
      at,
      item: { kind: 'tool_call', callId, name: stringOf(name) ?? '', arguments: argumentsOf(args ?? input) },
    });
  });
  const called = message['function_call'];
  if (isFields(called)) {
    const name = stringOf(called['name']) ?? '';
    const args = argumentsOf(called['arguments']);
    pieces.push({
      field: 'function_call',
      item: { kind: 'tool_call', callId: `function:${name}`, name, arguments: args },
    });
  }
  return pieces;
}

function edited(message: Fields, items: readonly (Item | undefined)[]): object | undefined {
  const pieces = piecesOf(message);
  if (items.every((item) => item === undefined)) return undefined;
  if (message['role'] !== 'assistant') {
    const [item] = items;
    return item === undefined ? undefined : { ...message, ...asSent(item) };
  }
  const sent = new Map(Object.entries(message));
  for (const field of new Set(pieces.map((piece) => piece.field))) {
    const kept = pieces.flatMap((piece, at) => {
      const item = items[at];
      if (piece.field !== field || item === undefined) return [];
      const was = piece.at === undefined ? message[field] : listOf(message[field])[piece.at];
      return [isSame(item, piece.item) ? was : rewritten(was, item)];
    });
    const isList = Array.isArray(message[field]) && field !== 'content';
    if (kept.length > 0) sent.set(field, isList ? kept : kept[0]);
    else if (field === 'content') sent.set(field, null);
    else sent.delete(field);
  }
  return Object.fromEntries(sent);
}

/** The content of a message that is none of the model's; a note of the system comes as the user's. */
function asSent(item: Item): object {
  if (item.kind === 'tool_result') return { content: textOf(sentParts(item)) };
  if (item.kind !== 'message') return {};
  return { ...(item.role === 'user' && { role: 'user' }), content: contentOf(item.parts) };
}

/** A field of a reply, or an element of its list, with what stands there instead. */
function rewritten(was: unknown, item: Item): unknown {
  if (item.kind === 'message') return textOf(item.parts);
  if (item.kind === 'reasoning') return item.text;
  if (item.kind !== 'tool_call') return was;
  const named = { name: item.name, arguments: JSON.stringify(item.arguments) };
  return isFields(was) && isFields(was['function']) ? { ...was, function: named } : was;
}

function written(item: Item): object {
  switch (item.kind) {
    case 'message':
      return { role: item.role === 'assistant' ? 'assistant' : 'user', content: contentOf(item.parts) };
    case 'tool_result':
      return { role: 'tool', tool_call_id: item.callId, content: textOf(sentParts(item)) };
    case 'tool_call': {
      const named = { name: item.name, arguments: JSON.stringify(item.arguments) };
      return { role: 'assistant', content: null, tool_calls: [{ id: item.callId, type: 'function', function: named }] };
    }
    case 'reasoning':
      return { role: 'assistant', content: item.text ?? '' };
  }
}

/** Plain text wherever there is no image, as many endpoints take nothing else. */
function contentOf(parts: readonly Part[]): string | readonly object[] {
  if (!parts.some((part) => part.type === 'image' && sentImage(part) !== undefined)) return textOf(parts);
  return parts.map((part) => {
    const image = part.type === 'image' ? sentImage(part) : undefined;
    if (image === undefined) return { type: 'text', text: textOf([part]) };
    const url = 'url' in image ? image.url : `data:${image.mediaType};base64,${image.data}`;
    return { type: 'image_url', image_url: { url } };
  });
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : imageNote(part))).join('\n\n');
}
