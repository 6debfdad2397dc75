/** AI SDK messages: model messages with parts, and UI messages in which calls carry their results (S12.3). */
import { contentOf, extrasOf, isShown, outputOf, reasoningOf } from './ai-sdk-parts';
import { REDACTED_THINKING } from './bound-reasoning';
import { chatsOf, firstChat, splitSystem } from './chats';
import type { Chat } from './chats';
import { SessionDraft } from './draft';
import type { ImportedSession, SessionFormat } from './format';
import { fieldsOf, isFields, listOf, stringOf, textOf } from './shape';
import type { Fields } from './shape';

/** Reads `ModelMessage` and `UIMessage` arrays of versions 4 to 7, alone or as `{ system, messages }`. */
export const aiSdk: SessionFormat = {
  name: 'ai-sdk',
  title: 'AI SDK messages: model messages or UI messages',
  marks: ['role', 'content', 'parts'],
  detect(source) {
    const found = firstChat(source);
    if (found === undefined || found.chat.certain) return 0;
    const { blocks, fields, roles } = found.traits;
    if (['tool_calls', 'tool_call_id', 'tool_call_ids'].some((field) => fields.has(field)) || blocks.has('tool_use'))
      return 0;
    if (fields.has('parts') && blocks.size > 0 && (roles.has('user') || roles.has('assistant'))) return 0.95;
    return TELLING.some((type) => blocks.has(type)) ? 0.95 : 0.4;
  },
  read: (source) => chatsOf(source).map((chat) => readChat(chat, source.lines.malformed)),
};

const TELLING = ['tool-call', 'tool-result', 'reasoning', 'image.image', 'redacted-reasoning'];

function readChat(chat: Chat, malformed: number): ImportedSession {
  const draft = new SessionDraft(aiSdk.name, malformed);
  draft.id = chat.id;
  const { system, rest } = splitSystem(chat, ({ role }) => role === 'system');
  draft.settings({ system });
  for (const message of rest) readMessage(draft, message);
  return draft.finish();
}

function readMessage(draft: SessionDraft, message: Fields): void {
  const parts = message.parts ?? message.content;
  switch (message.role) {
    case 'system':
      return draft.message('system', parts);
    case 'user':
      return draft.prompt(Array.isArray(parts) ? listOf(parts).filter(isShown).map(contentOf) : parts);
    case 'assistant':
      return readReply(draft, message.id, Array.isArray(parts) ? listOf(parts) : [parts]);
    case 'tool':
      for (const part of listOf(parts)) readResult(draft, fieldsOf(part));
      return;
    default:
      draft.malformed++;
  }
}

/** A UI message may hold several steps; each is a reply, and the results of its calls follow all of its calls. */
function readReply(draft: SessionDraft, id: unknown, parts: readonly unknown[]): void {
  let step = 0;
  let results: (() => void)[] = [];
  const next = (): void => {
    for (const result of results) result();
    results = [];
    const named = stringOf(id);
    draft.reply(named === undefined ? undefined : `${named}-${String(step++)}`);
  };
  next();
  for (const value of parts) {
    const part = fieldsOf(value);
    const type = stringOf(part.type) ?? '';
    if (type === 'step-start') next();
    else if (type === 'reasoning') readReasoning(draft, part);
    else if (type === 'redacted-reasoning') draft.reasoning(undefined, part.data, REDACTED_THINKING);
    else if (type === 'tool-result') results.push(() => readResult(draft, part));
    else if (type.startsWith('tool-') || type === 'dynamic-tool') {
      const result = readCall(draft, type, isFields(part.toolInvocation) ? part.toolInvocation : part);
      if (result !== undefined) results.push(result);
    } else if (isShown(value)) draft.message('assistant', [contentOf(value)], extrasOf(part));
  }
  for (const result of results) result();
}

/** A call, and for UI messages what gives its result once all calls of the step are in. */
function readCall(draft: SessionDraft, type: string, part: Fields): (() => void) | undefined {
  if (type.startsWith('tool-approval')) return undefined;
  const name = stringOf(part.toolName) ?? type.slice('tool-'.length);
  draft.call(part.toolCallId, name, part.input ?? part.args ?? part.rawInput, extrasOf(part));
  if (part.state === 'output-error') return () => draft.result(part.toolCallId, part.errorText, { isError: true });
  if (part.state === 'output-denied')
    return () => draft.result(part.toolCallId, fieldsOf(part.approval).reason ?? 'denied', { isError: true });
  if (part.state !== 'output-available' && part.state !== 'result') return undefined;
  return () => draft.result(part.toolCallId, textOf(part.output ?? part.result));
}

function readResult(draft: SessionDraft, part: Fields): void {
  if (part.type !== 'tool-result') {
    if (part.type !== 'tool-approval-response') draft.malformed++;
    return;
  }
  const { content, isError } = outputOf(part);
  draft.result(part.toolCallId, content, { isError });
}

function readReasoning(draft: SessionDraft, part: Fields): void {
  const { text, opaque, extras } = reasoningOf(part);
  draft.reasoning(text, opaque, extras);
}
