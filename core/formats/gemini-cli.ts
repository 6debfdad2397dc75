/** Gemini CLI chat files (S12.3): one object; a call and its result stand in one record. */
import { SessionDraft } from './draft';
import type { ImportedSession, SessionFormat } from './format';
import { countOf, fieldsOf, isFields, listOf, stringOf } from './shape';
import type { Fields } from './shape';

/** Reads the chats that the command line keeps of its sessions. */
export const geminiCli: SessionFormat = {
  name: 'gemini-cli',
  title: 'Gemini CLI chat file',
  marks: ['sessionId', 'messages', 'type', 'content'],
  detect(source) {
    const chat = fieldsOf(source.json);
    const types = listOf(chat.messages)
      .slice(0, 50)
      .map((message) => fieldsOf(message).type);
    if (typeof chat.sessionId !== 'string' || !Array.isArray(chat.messages)) return 0;
    return types.includes('gemini') || (types.includes('user') && 'projectHash' in chat) ? 1 : 0.3;
  },
  read: (source) => [readChat(fieldsOf(source.json), source.lines.malformed)],
};

function readChat(chat: Fields, malformed: number): ImportedSession {
  const draft = new SessionDraft(geminiCli.name, malformed);
  draft.id = stringOf(chat.sessionId);
  for (const entry of listOf(chat.messages)) {
    const message = fieldsOf(entry);
    if (message.type === 'user') draft.prompt(message.content);
    else if (message.type === 'gemini') readReply(draft, message);
    else if (typeof message.type !== 'string') draft.malformed++;
  }
  return draft.finish();
}

function readReply(draft: SessionDraft, message: Fields): void {
  draft.settings({ model: message.model });
  draft.reply();
  draft.reasoning(
    listOf(message.thoughts)
      .map(thoughtText)
      .filter((text) => text !== '')
      .join('\n\n'),
  );
  draft.message('assistant', message.content);
  const calls = listOf(message.toolCalls).filter(isFields);
  for (const call of calls) draft.call(call.id, call.name, call.args);
  readUsage(draft, fieldsOf(message.tokens));
  for (const call of calls) readResult(draft, call);
}

function thoughtText(thought: unknown): string {
  const { subject, description } = fieldsOf(thought);
  return [stringOf(subject), stringOf(description)].filter((text) => text !== undefined).join('\n');
}

/** `input` holds the cached part; thoughts are told apart from the output. */
function readUsage(draft: SessionDraft, tokens: Fields): void {
  const output = countOf(tokens.output);
  const thoughts = countOf(tokens.thoughts);
  draft.usage({
    inputTokens: tokens.input,
    cacheReadTokens: tokens.cached,
    outputTokens: output === undefined ? thoughts : output + (thoughts ?? 0),
    reasoningTokens: thoughts,
  });
}

/** A call that was not run to its end has no result. */
function readResult(draft: SessionDraft, call: Fields): void {
  if (call.result === undefined || call.result === null) return;
  const blocks = Array.isArray(call.result) ? listOf(call.result) : [call.result];
  draft.result(call.id, blocks.map(responseOf), { isError: call.status === 'error' || call.status === 'cancelled' });
}

function responseOf(block: unknown): unknown {
  const called = fieldsOf(block).functionResponse;
  if (!isFields(called)) return block;
  const response = fieldsOf(called.response);
  return response.output ?? response.error ?? called.response;
}
