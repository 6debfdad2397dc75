/** A reply of which something is sent otherwise or not at all, in every field that says so. */
import { fieldsOf, isFields, listOf, stringOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import type { Item, NewItem, ToolCallItem } from '../../session/items';
import { argumentsText } from '../../tokens/item-count';
import { isSame } from '../same-item';
import { blocksOf, blockWith, partOfBlock, textOf } from './contents';
import type { LangChainMessage } from './host-types';
import { changed } from './message-copies';
import { isCallBlock, piecesOf } from './pieces';
import type { Piece } from './pieces';

/** A piece of the reply, and what is sent of it. */
interface SentPiece extends Piece {
  readonly sent: Item | undefined;
}

/** The calls of a reply by their id. */
type SentCalls = ReadonlyMap<string, { readonly was: NewItem; readonly sent: ToolCallItem | undefined }>;

/**
 * The reply with these items, one for each piece of it. The ids by which the provider would ask for it as it was are left
 * out, and so is what it gave beside it as its own copy.
 */
export function replyWith(message: LangChainMessage, items: readonly (Item | undefined)[]): LangChainMessage {
  const pieces = piecesOf(message).map((piece, at) => ({ ...piece, sent: items[at] }));
  const calls = callsOf(pieces);
  const fields = message as LangChainMessage & Fields;
  const { output: _, ...metadata } = fieldsOf(fields.response_metadata);
  const inForm = (list: unknown): readonly unknown[] => listOf(list).flatMap((call) => callWith(call, calls));
  return changed(message, {
    id: undefined,
    content: contentWith(message.content, pieces, calls),
    tool_calls: inForm(fields.tool_calls),
    ...(Array.isArray(fields.tool_call_chunks) && { tool_call_chunks: inForm(fields.tool_call_chunks) }),
    additional_kwargs: besideWith(fieldsOf(fields.additional_kwargs), pieces, inForm),
    response_metadata: metadata,
  });
}

function callsOf(pieces: readonly SentPiece[]): SentCalls {
  return new Map(
    pieces.flatMap(({ item, sent }) =>
      item.kind === 'tool_call' ? [[item.callId, { was: item, sent: sent as ToolCallItem | undefined }]] : [],
    ),
  );
}

function contentWith(content: unknown, pieces: readonly SentPiece[], calls: SentCalls): unknown {
  const placed = pieces.filter(({ field }) => field === 'content');
  if (!Array.isArray(content)) {
    const [piece] = placed;
    return piece?.sent?.kind === 'message' ? textOf(piece.sent.parts) : '';
  }
  const byPlace = new Map(placed.map((piece) => [piece.at, piece]));
  return blocksOf(content).flatMap((block, at) => {
    if (isCallBlock(block)) return callWith(block, calls);
    const { item, sent } = byPlace.get(at) as SentPiece;
    if (sent === undefined) return [];
    if (sent.kind !== 'message' || isSame(sent, item)) return [block];
    return sent.parts.map((part) => blockWith(block, partOfBlock(block), part));
  });
}

/** What providers keep beside the content: reasoning, calls as they gave them, ids of those. */
function besideWith(more: Fields, pieces: readonly SentPiece[], inForm: (list: unknown) => readonly unknown[]): Fields {
  const gone = new Set(pieces.filter(({ sent }) => sent === undefined).map(({ field }): string => field));
  gone.add('__openai_function_call_ids__');
  const kept = Object.entries(more)
    .filter(([name]) => !gone.has(name) || name === 'tool_calls')
    .map(([name, value]): [string, unknown] => [name, name === 'tool_calls' ? inForm(value) : value])
    .filter(([name, value]) => name !== 'tool_calls' || listOf(value).length > 0);
  return Object.fromEntries(kept);
}

/** A call as it is sent, in the form in which it stands there. One without an id goes with the last that has one. */
function callWith(call: unknown, calls: SentCalls): readonly unknown[] {
  if (!isFields(call)) return [call];
  const known = calls.get(stringOf(call.id) ?? stringOf(call.call_id) ?? '');
  if (known === undefined) return calls.size > 0 && [...calls.values()].every(({ sent }) => !sent) ? [] : [call];
  const { was, sent } = known;
  if (sent === undefined) return [];
  if (isSame(sent, was)) return [call];
  const { callId: id, name, arguments: args } = sent;
  if (isFields(call.function))
    return [{ ...call, id, function: { ...call.function, name, arguments: argumentsText(args) } }];
  if ('input' in call) return [{ ...call, id, name, input: args }];
  return [{ ...call, id, name, args: typeof call.args === 'string' ? argumentsText(args) : args }];
}
