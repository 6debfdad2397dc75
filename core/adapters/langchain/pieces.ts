/** Messages of LangChain as items: where in a message each of them stands (S5.1). */
import { reasoningIn, REDACTED_THINKING, SIGNED_THINKING } from '../../formats/bound-reasoning';
import type { ItemExtras } from '../../formats/draft';
import { joinText, partsOf } from '../../formats/parts';
import { argumentsOf, fieldsOf, isFields, listOf, stringOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import type { NewItem } from '../../session/items';
import { partOfBlock, partsOfContent } from './contents';
import type { LangChainMessage } from './host-types';

/** One item of a message, and the field that holds it. */
export interface Piece {
  readonly item: NewItem;
  readonly field: 'content' | 'tool_calls' | 'reasoning_content' | 'reasoning';
  /** Position in the list of the field. */
  readonly at?: number;
}

/** The items of a message in the order in which the model sees them. */
export function piecesOf(message: LangChainMessage): readonly Piece[] {
  const fields = message as LangChainMessage & Fields;
  switch (speakerOf(message)) {
    case 'human':
    case 'user':
      return [{ field: 'content', item: { kind: 'message', role: 'user', parts: partsOfContent(message.content) } }];
    case 'system':
    case 'developer':
      return [{ field: 'content', item: { kind: 'message', role: 'system', parts: partsOfContent(message.content) } }];
    case 'ai':
    case 'assistant':
      return [...piecesBeside(fields), ...piecesOfContent(message.content), ...callsOf(fields)];
    case 'tool':
      return [{ field: 'content', item: resultOf(fields) }];
    default:
      return [];
  }
}

/** Whether the model made the message. */
export function isReply(message: LangChainMessage): boolean {
  const speaker = speakerOf(message);
  return speaker === 'ai' || speaker === 'assistant';
}

/** Whether a block of a content is a call, which stands in `tool_calls` as well. */
export function isCallBlock(block: unknown): block is Fields {
  return isFields(block) && CALL_BLOCKS.has(block.type);
}

const CALL_BLOCKS: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_call',
  'tool_call_chunk',
  'input_json_delta',
  'invalid_tool_call',
  'function_call',
  'functionCall',
]);

/** Messages of a role that LangChain does not know say it themselves. */
function speakerOf(message: LangChainMessage): unknown {
  const { type, role } = message as LangChainMessage & Fields;
  return type === 'generic' ? role : type;
}

function resultOf({ tool_call_id: id, content, status }: Fields): NewItem {
  const parts = partsOfContent(content);
  return {
    kind: 'tool_result',
    callId: stringOf(id) ?? '',
    summary: '',
    ...(parts.length > 0 && { content: parts }),
    ...(status === 'error' && { isError: true }),
  };
}

/** Reasoning that providers give beside the content: as an item of the OpenAI responses API, or as text. */
function piecesBeside({ additional_kwargs: more }: Fields): readonly Piece[] {
  const { reasoning_content: said, reasoning } = fieldsOf(more);
  const { id, summary, encrypted_content: opaque } = fieldsOf(reasoning);
  const pieces: Piece[] = [];
  if (isFields(reasoning)) {
    const itemId = argumentsOf(id);
    pieces.push({
      field: 'reasoning',
      item: reasoningOf(joinText(partsOf(summary)), opaque, { provider: { openai: { itemId } } }),
    });
  }
  if (stringOf(said) !== undefined) {
    const field = 'reasoning_content';
    pieces.push({ field, item: reasoningOf(said, undefined, reasoningIn(field)) });
  }
  return pieces;
}

function piecesOfContent(content: unknown): readonly Piece[] {
  if (!Array.isArray(content)) {
    const parts = partsOfContent(content);
    return parts.length === 0 ? [] : [{ field: 'content', item: { kind: 'message', role: 'assistant', parts } }];
  }
  return listOf(content).flatMap((block, at): readonly Piece[] =>
    isCallBlock(block) ? [] : [{ field: 'content', at, item: itemOf(block) }],
  );
}

function itemOf(block: unknown): NewItem {
  const { type, thinking, signature, data, reasoning, summary, encrypted_content: opaque } = fieldsOf(block);
  switch (type) {
    case 'thinking':
      return reasoningOf(thinking, signature, SIGNED_THINKING);
    case 'redacted_thinking':
      return reasoningOf(undefined, data, REDACTED_THINKING);
    case 'reasoning':
      return reasoningOf(reasoning ?? joinText(partsOf(summary)), signature ?? opaque);
    default:
      return { kind: 'message', role: 'assistant', parts: [partOfBlock(block)] };
  }
}

function reasoningOf(said: unknown, hidden: unknown, extras: ItemExtras = {}): NewItem {
  const [text, opaque] = [stringOf(said), stringOf(hidden)];
  return { kind: 'reasoning', ...(text !== undefined && { text }), ...(opaque !== undefined && { opaque }), ...extras };
}

/** Calls that the agent can run. What a model got wrong of a call is neither run nor answered. */
function callsOf({ tool_calls: calls }: Fields): readonly Piece[] {
  return listOf(calls).map((call, at) => {
    const { id, name, args } = fieldsOf(call);
    const [callId, named] = [stringOf(id) ?? '', stringOf(name) ?? 'unknown'];
    return { field: 'tool_calls', at, item: { kind: 'tool_call', callId, name: named, arguments: argumentsOf(args) } };
  });
}
