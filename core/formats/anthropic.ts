/** Anthropic messages: `{ system, messages }`, an array of messages with blocks, a request with its response (S12.3). */
import { REDACTED_THINKING, SIGNED_THINKING } from './bound-reasoning';
import { chatsOf, firstChat, splitSystem } from './chats';
import type { Chat, ChatTraits } from './chats';
import { SessionDraft } from './draft';
import { anthropicUsage } from './foreign-usage';
import type { ImportedSession, SessionFormat } from './format';
import { fieldsOf, listOf } from './shape';
import type { Fields } from './shape';
import { toolSchemasOf } from './tool-schemas';

/** Reads messages of user and assistant whose content is text or blocks; results stand in user messages. */
export const anthropic: SessionFormat = {
  name: 'anthropic',
  title: 'Anthropic messages: { system, messages } or an array of messages with blocks',
  marks: ['messages', 'role', 'content'],
  detect(source) {
    const found = firstChat(source);
    if (found === undefined || found.chat.certain || isForeign(found.traits)) return 0;
    if (BLOCKS.some((type) => found.traits.blocks.has(type))) return 0.95;
    return found.chat.system === undefined ? 0.5 : 0.7;
  },
  read: (source) => chatsOf(source).map((chat) => readChat(chat, source.lines.malformed)),
};

const BLOCKS = ['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'image.source', 'server_tool_use'];

function isForeign({ fields, roles, blocks }: ChatTraits): boolean {
  const foreign = ['tool_calls', 'tool_call_id', 'tool_call_ids', 'function_call', 'parts'];
  return (
    foreign.some((field) => fields.has(field)) ||
    roles.has('tool') ||
    blocks.has('tool-call') ||
    !(roles.has('user') || roles.has('assistant'))
  );
}

function readChat(chat: Chat, malformed: number): ImportedSession {
  const draft = new SessionDraft(anthropic.name, malformed);
  draft.id = chat.id;
  const { system, rest } = splitSystem(chat, ({ role }) => role === 'system');
  draft.settings({ system, tools: toolSchemasOf(chat.tools), model: chat.model });
  for (const message of rest) readAnthropicMessage(draft, message);
  if (chat.response !== undefined && Array.isArray(chat.response.content)) {
    readAnthropicMessage(draft, { ...chat.response, role: 'assistant' });
  }
  return draft.finish();
}

/**
 * Reads one message into a draft. Text and results of one user message become items of their own, so that neither is bound
 * to the other (S5.6); `usage` of a reply is taken where the message has it.
 */
export function readAnthropicMessage(draft: SessionDraft, message: Fields): void {
  const { role, content } = message;
  if (role === 'system') draft.message('system', content);
  else if (role === 'user') readUser(draft, content);
  else if (role === 'assistant') readReply(draft, message);
  else draft.malformed++;
}

function readUser(draft: SessionDraft, content: unknown): void {
  let said: unknown[] = [];
  const flush = (): void => {
    draft.prompt(said);
    said = [];
  };
  for (const block of blocksOf(content)) {
    if (!isResult(block)) {
      said.push(block);
      continue;
    }
    flush();
    const { tool_use_id: callId, content: result, is_error: isError } = block;
    draft.result(callId, result, { isError: isError === true });
  }
  flush();
}

function readReply(draft: SessionDraft, message: Fields): void {
  const blocks = blocksOf(message.content);
  const results = new Map(blocks.filter(isResult).map((block) => [block.tool_use_id, block]));
  draft.reply(message.id);
  for (const block of blocks) {
    const fields = fieldsOf(block);
    if (fields.type === 'tool_use') draft.call(fields.id, fields.name, fields.input);
    else if (fields.type === 'thinking') draft.reasoning(fields.thinking, fields.signature, SIGNED_THINKING);
    else if (fields.type === 'redacted_thinking') draft.reasoning(undefined, fields.data, REDACTED_THINKING);
    else if (fields.type === 'server_tool_use' || fields.type === 'mcp_tool_use') {
      draft.served(fields.id, fields.name, fields.input, results.get(fields.id)?.content);
      results.delete(fields.id);
    } else if (!isResult(block)) draft.message('assistant', [block]);
    else if (results.delete(block.tool_use_id))
      draft.result(block.tool_use_id, block.content, { isError: block.is_error === true });
  }
  if (message.usage !== undefined) draft.usage(anthropicUsage(message.usage, message.model));
}

function blocksOf(content: unknown): readonly unknown[] {
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? listOf(content) : [content];
}

/** Results of the user's tools, and those of tools that run at the provider (`web_search_tool_result` and the like). */
function isResult(block: unknown): block is Fields {
  const type = fieldsOf(block).type;
  return typeof type === 'string' && (type === 'tool_result' || type.endsWith('_tool_result'));
}
