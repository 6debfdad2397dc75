/** LangChain messages and LangGraph thread states, plain or serialised (S12.3). */
import { reasoningIn, SIGNED_THINKING } from './bound-reasoning';
import { SessionDraft } from './draft';
import { anthropicUsage, openAiUsage } from './foreign-usage';
import type { ForeignUsage } from './foreign-usage';
import type { ImportedSession, SessionFormat, Source } from './format';
import { joinText, partsOf } from './parts';
import { fieldsOf, isFields, listOf, stringOf } from './shape';
import type { Fields } from './shape';

/** Reads lists of messages that tell their speaker by `type`: human, ai, tool, system. */
export const langchain: SessionFormat = {
  name: 'langchain',
  title: 'LangChain messages or a LangGraph thread state',
  marks: ['type', 'content', 'additional_kwargs', 'response_metadata'],
  detect(source) {
    const types = messagesOf(source)
      .slice(0, 100)
      .map((message) => fieldsOf(message))
      .map((message) => (typeof message.role === 'string' ? '' : typeOf(message)));
    if (!types.includes('human') && !types.includes('ai')) return 0;
    return types.filter((type) => KNOWN.has(type)).length * 2 > types.length ? 0.95 : 0.3;
  },
  read: (source) => [readThread(source)],
};

const KNOWN: ReadonlySet<string> = new Set(['human', 'ai', 'tool', 'system', 'developer', 'function', 'remove']);

function messagesOf(source: Source): readonly unknown[] {
  const { json } = source;
  if (json === undefined) return source.lines.values;
  if (Array.isArray(json)) return json as readonly unknown[];
  const body = fieldsOf(json);
  return listOf(fieldsOf(body.values).messages ?? body.messages);
}

function readThread(source: Source): ImportedSession {
  const draft = new SessionDraft(langchain.name, source.lines.malformed);
  const body = fieldsOf(source.json);
  draft.id =
    stringOf(fieldsOf(body.metadata).thread_id) ??
    stringOf(fieldsOf(body.checkpoint).thread_id) ??
    stringOf(body.thread_id);
  const messages = messagesOf(source).map((value) => ({
    type: typeOf(fieldsOf(value)),
    fields: fieldsIn(fieldsOf(value)),
  }));
  const found = messages.findIndex(({ type }) => type !== 'system');
  const head = found === -1 ? messages.length : found;
  const system = messages.slice(0, head).map(({ fields }) => joinText(partsOf(fields.content)));
  draft.settings({ system: system.join('\n\n'), model: fieldsOf(body.metadata).model_name });
  for (const { type, fields } of messages.slice(head)) readMessage(draft, type, fields);
  return draft.finish();
}

/** `HumanMessage`, `AIMessageChunk` and the like of serialised messages are the types `human`, `ai`. */
function typeOf(message: Fields): string {
  const named = message.lc !== undefined ? listOf(message.id).at(-1) : message.type;
  return (stringOf(named) ?? '').replace(/Message(Chunk)?$/, '').toLowerCase();
}

function fieldsIn(message: Fields): Fields {
  if (isFields(message.kwargs)) return message.kwargs;
  return isFields(message.data) ? message.data : message;
}

function readMessage(draft: SessionDraft, type: string, message: Fields): void {
  switch (type) {
    case 'human':
      if (fieldsOf(message.additional_kwargs).lc_source !== 'summarization') return draft.prompt(message.content);
      return draft.checkpoint({ summary: joinText(partsOf(message.content)), cut: draft.items });
    case 'ai':
      return readReply(draft, message);
    case 'tool':
    case 'function':
      return draft.result(message.tool_call_id ?? message.name, message.content, {
        isError: message.status === 'error',
      });
    case 'system':
    case 'developer':
      return draft.message('system', message.content);
    case 'remove':
      return;
    default:
      draft.malformed++;
  }
}

function readReply(draft: SessionDraft, message: Fields): void {
  draft.reply(message.id);
  const more = fieldsOf(message.additional_kwargs);
  draft.reasoning(more.reasoning_content, undefined, reasoningIn('reasoning_content'));
  for (const block of Array.isArray(message.content) ? listOf(message.content) : [message.content]) {
    const { type, thinking, signature, reasoning } = fieldsOf(block);
    if (type === 'thinking') draft.reasoning(thinking, signature, SIGNED_THINKING);
    else if (type === 'reasoning') draft.reasoning(reasoning);
    else if (type !== 'tool_use' && type !== 'tool_call' && type !== 'input_json_delta')
      draft.message('assistant', block === undefined ? block : [block]);
  }
  const calls = [...listOf(message.tool_calls), ...listOf(message.invalid_tool_calls)];
  for (const call of calls.length > 0 ? calls : listOf(more.tool_calls)) {
    const { id, name, args, function: named } = fieldsOf(call);
    if (isFields(named)) draft.call(id, named.name, named.arguments);
    else if (isFields(call)) draft.call(id, name, args);
    else draft.malformed++;
  }
  readUsage(draft, message);
}

function readUsage(draft: SessionDraft, message: Fields): void {
  const usage = usageOfReply(message);
  if (usage !== undefined) draft.usage(usage);
}

/**
 * What a reply says it used: `input_tokens` of `usage_metadata` is the whole prompt; older versions only kept what the provider
 * reported.
 */
export function usageOfReply(message: Fields): ForeignUsage | undefined {
  const answered = fieldsOf(message.response_metadata);
  const model = answered.model_name ?? answered.model;
  const { input_tokens: inputTokens, output_tokens: outputTokens, ...details } = fieldsOf(message.usage_metadata);
  if (inputTokens !== undefined) {
    const { cache_read: cacheReadTokens, cache_creation: cacheWriteTokens } = fieldsOf(details.input_token_details);
    const { reasoning: reasoningTokens } = fieldsOf(details.output_token_details);
    return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, model };
  }
  if (answered.token_usage !== undefined) return openAiUsage(answered.token_usage, model);
  return answered.usage === undefined ? undefined : anthropicUsage(answered.usage, model);
}
