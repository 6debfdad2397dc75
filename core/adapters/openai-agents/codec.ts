/** Items of OpenAI Agents, which are those of the Responses API, as items and back (S5.1). */
import { argumentsOf, fieldsOf, stringOf, textOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import type { Item, NewItem, Part } from '../../session/items';
import { argumentsText } from '../../tokens/item-count';
import type { HostCodec } from '../host-codec';
import type { AgentItem } from './agent-items';
import { contentOfParts, contentWith, partsOfContent, textOfParts } from './contents';
import { HOSTED, hostedItems } from './hosted-calls';
import { callOf, resultOf, resultWith } from './tool-items';

/** Reads and writes items of the host. Its instructions and the system content of Pith go beside them. */
export const agentItemCodec: HostCodec<AgentItem> = {
  read(message) {
    const fields = message as Fields;
    if (HOSTED.has(message.type ?? '')) return hostedItems(fields);
    if (isMessage(message)) return [messageOf(fields)];
    if (message.type === 'reasoning') return [reasoningOf(fields)];
    const one = callOf(fields) ?? resultOf(fields);
    return [one ?? said(`[${message.type ?? 'item'}] ${textOf(fields.providerData ?? fields)}`)];
  },

  edit(message, items) {
    const [item] = items;
    if (item === undefined) return undefined;
    const fields = message as Fields;
    // What the provider ran is taken back as it was given or not at all.
    if (HOSTED.has(message.type ?? '') || item.kind === 'reasoning') return message;
    if (item.kind === 'tool_result') return resultWith(message, item);
    const { id: _, ...rest } = message;
    if (item.kind === 'tool_call') {
      const { callId, name } = item;
      return message.type === 'function_call'
        ? { ...rest, callId, name, arguments: argumentsText(item.arguments) }
        : { ...rest, callId };
    }
    if (!isMessage(message)) return writtenMessage(item.role, item.parts);
    const { role } = item;
    return { ...rest, role, content: contentWith(fields.content, item.parts, textType(role)) };
  },

  write: (items) => items.flatMap((item) => written(item, items)),
};

/** Whether an item is a message; the host takes one without a type as such. */
export function isMessage({ type, role }: AgentItem): boolean {
  return (type === undefined && role !== undefined) || type === 'message';
}

function messageOf({ role, content }: Fields): NewItem {
  const known = role === 'assistant' || role === 'system' ? role : 'user';
  return { kind: 'message', role: known, parts: partsOfContent(content) };
}

/** Readable reasoning is what the provider shows of it; without any, its id alone says that it is there. */
function reasoningOf({ id, content, rawContent, providerData }: Fields): NewItem {
  const { encryptedContent, encrypted_content } = fieldsOf(providerData);
  const text = textOfParts([...partsOfContent(content), ...partsOfContent(rawContent)]);
  const opaque = stringOf(encryptedContent) ?? stringOf(encrypted_content);
  return {
    kind: 'reasoning',
    ...(text !== '' && { text }),
    ...(opaque !== undefined && { opaque }),
    provider: { openai: { itemId: argumentsOf(id) } },
  };
}

/** What only the provider understands, such as its own compaction, stands where the model would speak. */
function said(text: string): NewItem {
  return { kind: 'message', role: 'assistant', parts: [{ type: 'text', text }] };
}

function written(item: Item, items: readonly Item[]): readonly AgentItem[] {
  switch (item.kind) {
    case 'message':
      return [writtenMessage(item.role, item.parts)];
    case 'tool_call': {
      const { callId, name } = item;
      const call = { type: 'function_call', callId, name, arguments: argumentsText(item.arguments) };
      return [{ ...call, status: 'completed' } as AgentItem];
    }
    case 'tool_result': {
      const { callId } = item;
      const call = items.find((other) => other.kind === 'tool_call' && other.callId === callId);
      const name = call?.kind === 'tool_call' ? call.name : 'tool';
      const output = contentOfParts(item.content ?? [{ type: 'text', text: item.summary }], 'input_text');
      return [{ type: 'function_call_result', callId, name, status: 'completed', output } as AgentItem];
    }
    case 'reasoning':
      return [];
  }
}

function writtenMessage(role: 'user' | 'assistant' | 'system', parts: readonly Part[]): AgentItem {
  const content = contentOfParts(parts, textType(role));
  return { type: 'message', role, ...(role === 'assistant' && { status: 'completed' }), content } as AgentItem;
}

function textType(role: string): 'input_text' | 'output_text' {
  return role === 'assistant' ? 'output_text' : 'input_text';
}
