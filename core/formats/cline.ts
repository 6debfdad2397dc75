/** Cline messages: Anthropic blocks with metrics, attached files and the marks of two ways to compact (S12.3). */
import { readAnthropicMessage } from './anthropic';
import { SessionDraft } from './draft';
import type { ImportedSession, SessionFormat, Source } from './format';
import { joinText, partsOf } from './parts';
import { fieldsOf, isFields, listOf, stringOf } from './shape';
import type { Fields } from './shape';

/** Reads `{ version, sessionId, messages }`; the context of a compacted session begins at its mark. */
export const cline: SessionFormat = {
  name: 'cline',
  title: 'Cline messages: { version, agent, sessionId, messages }',
  marks: ['version', 'sessionId', 'messages', 'ts'],
  detect(source) {
    const { messages, sessionId, version, agent } = bodyOf(source);
    const first = listOf(messages)
      .map(fieldsOf)
      .find(({ role }) => typeof role === 'string');
    if (first === undefined || !Array.isArray(first.content)) return 0;
    const around = [sessionId, version, agent].filter((field) => field !== undefined).length;
    return typeof first.ts === 'number' && around > 0 ? 1 : 0;
  },
  read: (source) => [readCline(bodyOf(source))],
};

function bodyOf(source: Source): Fields {
  return fieldsOf(source.json);
}

function readCline(body: Fields): ImportedSession {
  const draft = new SessionDraft(cline.name);
  draft.id = stringOf(body.sessionId);
  draft.settings({ system: body.system_prompt });
  for (const message of listOf(body.messages).map(fieldsOf)) {
    const { kind, tokensBefore } = fieldsOf(message.metadata);
    const content = contentOf(message);
    if (kind === 'compaction_summary') {
      draft.checkpoint({ summary: joinText(partsOf(content)), cut: draft.items, before: tokensBefore });
      continue;
    }
    if (kind === 'compaction') draft.checkpoint({ summary: '', cut: draft.items });
    readAnthropicMessage(draft, { id: message.id, role: message.role, content });
    readMetrics(draft, message);
  }
  return draft.finish();
}

/** Attached files are blocks of their own; the model sees them as text. */
function contentOf(message: Fields): unknown {
  if (!Array.isArray(message.content)) return message.content;
  return listOf(message.content).map((block) => {
    if (!isFields(block) || block.type !== 'file') return block;
    return { type: 'text', text: `${stringOf(block.path) ?? 'file'}\n${joinText(partsOf(block.content))}` };
  });
}

/** `inputTokens` holds what was read from the cache. */
function readMetrics(draft: SessionDraft, message: Fields): void {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = fieldsOf(message.metrics);
  if (message.role !== 'assistant') return;
  draft.usage({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, model: fieldsOf(message.modelInfo).id });
}
