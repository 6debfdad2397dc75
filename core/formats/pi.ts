/** pi session JSONL, linear (version 1) and as a tree (version 3) (S12.3). */
import { SessionDraft } from './draft';
import type { ForeignUsage } from './foreign-usage';
import type { ImportedSession, SessionFormat, Source } from './format';
import { countOf, fieldsOf, isFields, listOf, stringOf, textOf } from './shape';
import type { Fields } from './shape';
import { chainTo, parentsOf } from './tree';

/** Reads the branch that ends with the last entry. */
export const pi: SessionFormat = {
  name: 'pi',
  title: 'pi session JSONL',
  marks: ['type', 'message', 'role', 'cwd', 'timestamp'],
  detect(source) {
    const first = source.lines.values.slice(0, 50).map(fieldsOf);
    const hasHeader =
      first[0]?.type === 'session' && !('schema' in first[0]) && ('cwd' in first[0] || 'version' in first[0]);
    const hasMessage = first.some((entry) => entry.type === 'message' && ROLES.has(fieldsOf(entry.message).role));
    return (hasHeader ? 0.5 : 0) + (hasMessage ? 0.5 : 0);
  },
  read: (source) => [readSession(source)],
};

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'bashExecution']);

function readSession(source: Source): ImportedSession {
  const draft = new SessionDraft(pi.name, source.lines.malformed);
  const entries = source.lines.values.map(fieldsOf);
  draft.malformed += source.lines.values.filter((value) => !isFields(value)).length;
  const header = entries.find((entry) => entry.type === 'session') ?? {};
  draft.id = stringOf(header.id);
  draft.root = stringOf(header.cwd);
  draft.settings({ model: header.modelId });
  // Item numbers by entry, for compactions name the first entry that they keep by id or by place.
  const numbers = new Map<unknown, number>();
  for (const place of branch(entries)) {
    const entry = entries[place] ?? {};
    numbers.set(place, draft.items);
    if (typeof entry.id === 'string') numbers.set(entry.id, draft.items);
    if (entry.type === 'compaction') readCompaction(draft, entry, numbers);
    else readEntry(draft, entry);
  }
  return draft.finish();
}

/** The header is no part of the tree: its id names the session. */
function branch(entries: readonly Fields[]): readonly number[] {
  const links = entries.map(({ type, id, parentId }) => ({
    id: type === 'session' ? undefined : stringOf(id),
    parent: parentId === null ? null : stringOf(parentId),
  }));
  return chainTo(entries.length - 1, parentsOf(links));
}

function readCompaction(draft: SessionDraft, entry: Fields, numbers: ReadonlyMap<unknown, number>): void {
  draft.checkpoint({
    summary: textOf(entry.summary),
    cut: numbers.get(entry.firstKeptEntryId ?? entry.firstKeptEntryIndex) ?? draft.items,
    before: entry.tokensBefore,
  });
}

function readEntry(draft: SessionDraft, entry: Fields): void {
  switch (entry.type) {
    case 'message':
      if (isFields(entry.message)) readMessage(draft, entry.message);
      else draft.malformed++;
      return;
    case 'model_change':
      return draft.settings({ model: entry.modelId ?? entry.model });
    case 'custom_message':
      return draft.message('user', entry.content);
    case 'branch_summary':
      return draft.message('user', entry.summary);
  }
}

function readMessage(draft: SessionDraft, message: Fields): void {
  switch (message.role) {
    case 'user':
      return draft.prompt(message.content);
    case 'assistant':
      return readReply(draft, message);
    case 'toolResult':
      return draft.result(message.toolCallId, message.content, {
        isError: message.isError === true,
        tool: message.toolName,
      });
    default:
      if (SHOWN_ROLES.has(message.role)) draft.message('user', shownContent(message));
      else draft.malformed++;
  }
}

const SHOWN_ROLES: ReadonlySet<unknown> = new Set([
  'bashExecution',
  'custom',
  'hookMessage',
  'branchSummary',
  'compactionSummary',
]);

/** What the model is shown, as the user's, of a message that is neither a reply nor a result; undefined where it is nothing. */
export function shownContent(message: Fields): unknown {
  switch (message.role) {
    case 'user':
    case 'custom':
    case 'hookMessage':
      return message.content;
    case 'branchSummary':
    case 'compactionSummary':
      return message.summary;
    case 'bashExecution':
      return message.excludeFromContext === true ? undefined : commandText(message);
    default:
      return undefined;
  }
}

function readReply(draft: SessionDraft, message: Fields): void {
  draft.settings({ model: message.model });
  draft.reply();
  for (const block of Array.isArray(message.content) ? listOf(message.content) : [message.content]) {
    const fields = fieldsOf(block);
    if (fields.type === 'thinking') draft.reasoning(fields.thinking, fields.thinkingSignature);
    else if (fields.type === 'toolCall') draft.call(fields.id, fields.name, fields.arguments);
    else draft.message('assistant', block === undefined ? undefined : [block]);
  }
  draft.usage(usageOfReply(message));
}

/** What a reply used; its `input` is the part of the prompt that was neither read from nor written to the cache. */
export function usageOfReply(message: Fields): ForeignUsage {
  const usage = fieldsOf(message.usage);
  const read = countOf(usage.cacheRead);
  const written = countOf(usage.cacheWrite);
  return {
    inputTokens: (countOf(usage.input) ?? 0) + (read ?? 0) + (written ?? 0),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: usage.output,
    outputFinal: message.stopReason !== 'aborted' && message.stopReason !== 'error',
  };
}

/** A command that the user ran; the model is shown it with its output. */
function commandText(message: Fields): string {
  const output = textOf(message.output);
  const end = message.cancelled === true ? '\n(cancelled)' : exitText(message.exitCode);
  const rest =
    typeof message.fullOutputPath === 'string' && message.truncated === true
      ? `\n[Full output: ${message.fullOutputPath}]`
      : '';
  return `Ran \`${textOf(message.command)}\`\n${output === '' ? '(no output)' : `\`\`\`\n${output}\n\`\`\``}${end}${rest}`;
}

function exitText(code: unknown): string {
  return typeof code === 'number' && code !== 0 ? `\nCommand exited with code ${String(code)}` : '';
}
