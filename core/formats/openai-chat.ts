/** OpenAI chat messages: arrays, requests and their logs, tau-bench, SWE-agent and mini-swe-agent trajectories (S12.3). */
import { REASONING_FIELDS, reasoningIn, SIGNED_THINKING } from './bound-reasoning';
import { chatsOf, firstChat, splitSystem } from './chats';
import type { Chat, ChatTraits } from './chats';
import { SessionDraft } from './draft';
import { openAiUsage } from './foreign-usage';
import type { ImportedSession, SessionFormat } from './format';
import { fieldsOf, isFields, listOf, stringOf } from './shape';
import type { Fields } from './shape';
import { toolSchemasOf } from './tool-schemas';

/** Reads every list of messages with `role` and `content` in which calls are `tool_calls`. */
export const openAiChat: SessionFormat = {
  name: 'openai-chat',
  title: 'OpenAI chat messages: an array, a request or its log, a tau-bench, SWE-agent or mini-swe-agent trajectory',
  marks: ['messages', 'role', 'content'],
  detect(source) {
    const found = firstChat(source);
    if (found === undefined || isForeign(found.traits)) return 0;
    if (found.chat.certain) return 1;
    return isTelling(found.traits) ? 0.95 : 0.6;
  },
  read: (source) => chatsOf(source).map((chat) => readChat(chat, source.lines.malformed)),
};

/** Block types and fields that only other formats have. */
function isForeign({ blocks, fields, roles }: ChatTraits): boolean {
  const foreign = [
    'tool_use',
    'tool_result',
    'thinking',
    'redacted_thinking',
    'tool-call',
    'tool-result',
    'image.source',
    'image.image',
  ];
  return foreign.some((type) => blocks.has(type)) || fields.has('parts') || ![...roles].some((role) => ROLES.has(role));
}

function isTelling({ blocks, fields, roles }: ChatTraits): boolean {
  const telling = ['tool_calls', 'tool_call_id', 'tool_call_ids', 'function_call', 'reasoning_content'];
  return (
    telling.some((field) => fields.has(field)) || blocks.has('image_url') || roles.has('developer') || roles.has('tool')
  );
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

function readChat(chat: Chat, malformed: number): ImportedSession {
  const draft = new SessionDraft(openAiChat.name, malformed);
  draft.id = chat.id;
  const { system, rest } = splitSystem(chat, ({ role }) => role === 'system' || role === 'developer');
  draft.settings({ system, tools: toolSchemasOf(chat.tools), model: chat.model });
  let replied = false;
  for (const message of rest) {
    if (message.role === 'user' && (message.is_demo === true || (chat.observes && replied)))
      draft.message('user', message.content);
    else readMessage(draft, message);
    replied ||= message.role === 'assistant' && message.is_demo !== true;
  }
  const choice = fieldsOf(listOf(chat.response?.choices)[0]);
  if (isFields(choice.message)) {
    readMessage(draft, choice.message);
    draft.usage(openAiUsage(chat.response?.usage, chat.response?.model));
  }
  return draft.finish();
}

function readMessage(draft: SessionDraft, message: Fields): void {
  switch (message.role) {
    case 'system':
    case 'developer':
      return draft.message('system', message.content);
    case 'user':
      return draft.prompt(message.content);
    case 'assistant':
      return readReply(draft, message);
    case 'tool':
      return readResult(draft, message);
    case 'function':
      return draft.result(functionCallId(message.name), message.content);
    case 'exit':
      return;
    default:
      draft.malformed++;
  }
}

function readReply(draft: SessionDraft, message: Fields): void {
  draft.reply();
  const thinking = listOf(message.thinking_blocks).filter(isFields);
  for (const block of thinking) draft.reasoning(block.thinking, block.signature, SIGNED_THINKING);
  const field = REASONING_FIELDS.find((name) => stringOf(message[name]) !== undefined);
  if (field !== undefined && thinking.length === 0) draft.reasoning(message[field], undefined, reasoningIn(field));
  draft.message('assistant', stringOf(message.refusal) ?? message.content);
  for (const call of listOf(message.tool_calls)) {
    const named = fieldsOf(call).function ?? fieldsOf(call).custom;
    if (isFields(named)) draft.call(fieldsOf(call).id, named.name, named.arguments ?? named.input);
    else draft.malformed++;
  }
  const called = message.function_call;
  if (isFields(called)) draft.call(functionCallId(called.name), called.name, called.arguments);
  const response = fieldsOf(fieldsOf(message.extra).response);
  draft.usage(openAiUsage(message.usage ?? response.usage, response.model));
}

/** Calls from before there were call ids: the name alone links a result to its call. */
function functionCallId(name: unknown): string {
  return `function:${stringOf(name) ?? ''}`;
}

/** SWE-agent lists the ids of all calls that one output answers: the first gets the content, the others are answered by it. */
function readResult(draft: SessionDraft, message: Fields): void {
  const [first, ...others] = Array.isArray(message.tool_call_ids)
    ? (message.tool_call_ids as readonly unknown[])
    : [message.tool_call_id];
  draft.result(first, message.content);
  for (const id of others) draft.result(id, undefined, { summary: 'answered together with the call before it' });
}
