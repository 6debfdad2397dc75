/** Messages of pi as items and back (S5.1). */
import { REASONING_FIELDS } from '../../formats/bound-reasoning';
import { partsOf } from '../../formats/parts';
import { argumentsOf, fieldsOf, isFields, listOf, stringOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import { imageNote, sentImage } from '../../formats/write/images';
import type { Item, NewItem, Part, ToolCallItem, ToolResultItem } from '../../session/items';
import type { HostCodec } from '../host-codec';
import { isSame } from '../same-item';
import type { PiMessage } from './host-types';

/**
 * Reads and writes the messages of one conversation. `shownOf` gives what the model sees of a message that is neither a reply
 * nor a result. System content is a message of the user, which is known by {@link systemTextsOf}.
 */
export function piCodec(shownOf: (message: PiMessage) => readonly Part[]): HostCodec<PiMessage> {
  /** What is called, by the id of the call: results say it too. */
  const names = new Map<string, string>();
  return {
    wholeReplies: true,
    read(message) {
      if (message.role === 'toolResult') return [resultIn(message as PiMessage & Fields)];
      if (message.role === 'assistant') {
        const items = isBroken(message) ? [] : blocksIn(message).map(itemOf);
        for (const item of items) if (item.kind === 'tool_call') names.set(item.callId, item.name);
        return items;
      }
      const parts = shownOf(message);
      return parts.length === 0 ? [] : [{ kind: 'message', role: 'user', parts }];
    },
    edit(message, items) {
      if (message.role === 'assistant') return editedReply(message, items);
      const [item] = items;
      if (item?.kind === 'tool_result') return { ...message, toolCallId: item.callId, ...answering(item) } as PiMessage;
      if (item?.kind !== 'message') return undefined;
      const own = message.role === 'user' ? message : user([]);
      return { ...own, content: contentOf(item.parts) } as PiMessage;
    },
    write: (items) => items.map((item) => written(item, names)),
    system(texts) {
      const message = user(texts.map((text) => ({ type: 'text', text })));
      SYSTEM.set(message, texts);
      return [message];
    },
  };
}

/** Whether a reply failed or was cut off; pi sends none of it. */
export function isBroken(message: PiMessage): boolean {
  const { stopReason } = message as PiMessage & Fields;
  return stopReason === 'error' || stopReason === 'aborted';
}

const SYSTEM = new WeakMap<object, readonly string[]>();

/** The system content that a message stands for. */
export function systemTextsOf(message: PiMessage): readonly string[] | undefined {
  return SYSTEM.get(message);
}

function blocksIn(message: PiMessage): readonly Fields[] {
  return listOf((message as PiMessage & Fields).content).map(fieldsOf);
}

function itemOf(block: Fields): NewItem {
  switch (block.type) {
    case 'toolCall': {
      const { id, name, arguments: args } = block;
      const callId = stringOf(id) ?? '';
      return { kind: 'tool_call', callId, name: stringOf(name) ?? 'unknown', arguments: argumentsOf(args) };
    }
    case 'thinking': {
      // What is encrypted whole has words of pi in place of a text.
      const text = block.redacted === true ? '' : (stringOf(block.thinking) ?? '');
      const opaque = signatureOf(block);
      return { kind: 'reasoning', text, ...(opaque !== undefined && { opaque }) };
    }
    default:
      return { kind: 'message', role: 'assistant', parts: partsOf([block]) };
  }
}

/** For endpoints that sign nothing pi keeps the field there in which they gave their reasoning. */
const NO_SIGNATURES = new Set<unknown>([...REASONING_FIELDS, 'reasoning_text']);

function signatureOf({ thinkingSignature }: Fields): string | undefined {
  return NO_SIGNATURES.has(thinkingSignature) ? undefined : stringOf(thinkingSignature);
}

function resultIn({ toolCallId, content, isError }: Fields): NewItem {
  const parts = partsOf(content);
  return {
    kind: 'tool_result',
    callId: stringOf(toolCallId) ?? '',
    summary: '',
    ...(parts.length > 0 && { content: parts }),
    ...(isError === true && { isError }),
  };
}

/** A reply with other items; blocks of which nothing differs stay the very same objects. */
function editedReply(message: PiMessage, items: readonly (Item | undefined)[]): PiMessage | undefined {
  const blocks = blocksIn(message);
  const content = blocks.flatMap((block, at) => {
    const item = items[at];
    if (item === undefined) return [];
    return isSame(item, itemOf(block)) ? [block] : rewritten(block, item);
  });
  if (content.length === 0) return undefined;
  const hasLost = blocks.some((block) => signatureOf(block) !== undefined && !content.includes(block));
  return { ...message, content, ...(hasLost && withoutIds(message as PiMessage & Fields)) } as PiMessage;
}

/**
 * The Responses API refuses an item by its id where the reasoning that it was made with is gone. Of a reply of another model
 * pi sends no ids.
 */
function withoutIds({ api, model }: Fields): object {
  return String(api).endsWith('-responses') ? { model: `${String(model)} without reasoning` } : {};
}

function rewritten(block: Fields, item: Item): readonly object[] {
  if (item.kind === 'message') return contentOf(item.parts);
  return [item.kind === 'tool_call' ? { ...block, ...calling(item) } : block];
}

function written(item: Item, names: ReadonlyMap<string, string>): PiMessage {
  switch (item.kind) {
    case 'message':
      return item.role === 'assistant' ? reply(contentOf(item.parts)) : user(item.parts);
    case 'tool_call':
      return reply([{ type: 'toolCall', ...calling(item) }]);
    case 'tool_result': {
      const { callId, isError = false } = item;
      const toolName = names.get(callId) ?? 'unknown';
      return dated({ role: 'toolResult', toolCallId: callId, toolName, ...answering(item), isError });
    }
    case 'reasoning':
      return reply([{ type: 'text', text: item.text ?? '' }]);
  }
}

function user(parts: readonly Part[]): PiMessage {
  return dated({ role: 'user', content: contentOf(parts) });
}

/** pi takes it for a reply of another model, and gives the model at work plain text and calls. */
function reply(content: readonly object[]): PiMessage {
  return dated({
    role: 'assistant',
    content,
    api: 'pith',
    provider: 'pith',
    model: 'pith',
    usage: NONE,
    stopReason: 'stop',
  });
}

const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: COST };

/** The time of what Pith writes does not count: no model sees it. */
function dated<M extends PiMessage>(message: M): PiMessage {
  return { ...message, ...{ timestamp: 0 } };
}

function answering({ content, summary }: ToolResultItem): object {
  return { content: contentOf(content ?? [{ type: 'text', text: summary }]) };
}

function calling({ callId, name, arguments: args }: ToolCallItem): object {
  return { id: callId, name, arguments: isFields(args) ? args : { input: args } };
}

/** Blank texts are taken by no provider as a block of their own. */
function contentOf(parts: readonly Part[]): readonly object[] {
  return parts.filter((part) => part.type === 'image' || part.text.trim() !== '').map(blockOf);
}

function blockOf(part: Part): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const image = sentImage(part);
  if (image === undefined || 'url' in image) return { type: 'text', text: imageNote(part) };
  return { type: 'image', data: image.data, mimeType: image.mediaType };
}
