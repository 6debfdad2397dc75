/** Messages of the AI SDK as items: one for each part of a reply or a tool message, one for a message of user or system. */
import { contentOf, extrasOf, isShown, outputOf, reasoningOf } from '../../formats/ai-sdk-parts';
import { joinText, partsOf } from '../../formats/parts';
import { argumentsOf, fieldsOf, stringOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import type { NewItem, Part } from '../../session/items';
import type { AiSdkMessage, AiSdkPart } from './host-types';

/** The items of a message, in order. Parts that no model sees have none. */
export function itemsOf({ role, content }: AiSdkMessage): readonly NewItem[] {
  if (role === 'user' || role === 'system') {
    const parts = typeof content === 'string' ? partsOf(content) : content.flatMap(partsOfPart);
    return parts.length === 0 ? [] : [{ kind: 'message', role, parts }];
  }
  if (typeof content === 'string') return said(partsOf(content));
  return content.flatMap((part) => itemOf(part) ?? []);
}

/** What the model sees of a part of a user message. */
export function partsOfPart(part: AiSdkPart): readonly Part[] {
  return isShown(part) ? partsOf([contentOf(part)]) : [];
}

/** The item that a part of a reply or of a tool message stands for. */
export function itemOf(part: AiSdkPart): NewItem | undefined {
  const fields = fieldsOf(part);
  switch (part.type) {
    case 'tool-call': {
      const { toolCallId, toolName, input } = fields;
      const name = stringOf(toolName) ?? 'unknown';
      return { kind: 'tool_call', callId: idOf(toolCallId), name, arguments: argumentsOf(input), ...extrasOf(fields) };
    }
    case 'tool-result':
      return resultOf(fields);
    case 'reasoning':
      return reasoning(reasoningOf(fields));
    case 'reasoning-file':
    case 'custom':
      return reasoning({ text: undefined, opaque: undefined, extras: extrasOf(fields) });
    default:
      return said(partsOfPart(part), fields)[0];
  }
}

function said(parts: readonly Part[], fields: Fields = {}): readonly NewItem[] {
  return parts.length === 0 ? [] : [{ kind: 'message', role: 'assistant', parts, ...extrasOf(fields) }];
}

function reasoning({ text, opaque, extras }: ReturnType<typeof reasoningOf>): NewItem | undefined {
  const readable = joinText(partsOf(text));
  const hidden = stringOf(opaque);
  if (readable === '' && hidden === undefined && extras.provider === undefined) return undefined;
  return {
    kind: 'reasoning',
    ...(readable !== '' && { text: readable }),
    ...(hidden !== undefined && { opaque: hidden }),
    ...extras,
  };
}

type Result = Extract<NewItem, { readonly kind: 'tool_result' }>;

/** Messages are made anew for each request, but what the tools gave is not, and is read once. */
const RESULTS = new WeakMap<object, Result>();

function resultOf(fields: Fields): Result {
  const callId = idOf(fields.toolCallId);
  const output = typeof fields.output === 'object' && fields.output !== null ? fields.output : undefined;
  const known = output && RESULTS.get(output);
  if (known?.callId === callId) return known;
  const { content, isError } = outputOf(fields);
  const parts = partsOf(content);
  const item: Result = {
    kind: 'tool_result',
    callId,
    summary: '',
    ...(parts.length > 0 && { content: parts }),
    ...(isError && { isError }),
  };
  if (output !== undefined) RESULTS.set(output, item);
  return item;
}

function idOf(id: unknown): string {
  return typeof id === 'string' ? id : '';
}
