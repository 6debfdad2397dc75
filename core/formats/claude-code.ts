/** Claude Code session JSONL (S12.3): one line per content block, results and bookkeeping as lines of their own. */
import { readAnthropicMessage } from './anthropic';
import { newestBranch } from './claude-branch';
import {
  isCommand,
  isCommandOutput,
  isCompactSummary,
  isConversation,
  isPrompt,
  isQueuedPrompt,
  isResultLine,
} from './claude-lines';
import { SessionDraft } from './draft';
import { anthropicUsage } from './foreign-usage';
import type { ImportedSession, SessionFormat, Source } from './format';
import { joinText, partsOf } from './parts';
import { fieldsOf, isFields, listOf, stringOf } from './shape';
import type { Fields } from './shape';

/** Reads the newest branch; a file of a sub-agent alone is read as the conversation that it is. */
export const claudeCode: SessionFormat = {
  name: 'claude-code',
  title: 'Claude Code session JSONL',
  marks: ['type', 'message', 'uuid', 'parentUuid', 'sessionId'],
  detect(source) {
    let sureness = 0;
    for (const value of source.lines.values.slice(0, 200)) {
      const line = fieldsOf(value);
      const isNamed = typeof line.sessionId === 'string' || typeof line.uuid === 'string';
      if (isNamed && isConversation(line) && typeof fieldsOf(line.message).role === 'string') return 1;
      if (BOOKKEEPING.some(([type, field]) => line.type === type && field in line)) sureness = 0.6;
    }
    return sureness;
  },
  read: (source) => [readSession(source)],
};

const BOOKKEEPING: readonly (readonly [type: string, field: string])[] = [
  ['summary', 'leafUuid'],
  ['file-history-snapshot', 'snapshot'],
  ['queue-operation', 'operation'],
];

function readSession(source: Source): ImportedSession {
  const draft = new SessionDraft(claudeCode.name, source.lines.malformed);
  const all = source.lines.values.filter(isFields);
  draft.malformed += source.lines.values.length - all.length;
  const main = all.filter((line) => line.isSidechain !== true);
  const isSubAgent = !main.some(isConversation);
  if (!isSubAgent) draft.sidechains = all.length - main.length;
  const lines = newestBranch(isSubAgent ? all : main);
  draft.id = stringOf(lines.at(-1)?.sessionId);
  draft.root = lines.map((line) => stringOf(line.cwd)).find((cwd) => cwd !== undefined);
  const before = tokensBeforeCompactions(all);
  const replies = gatherReplies(lines);
  const copied = copiedReplies(all, lines);
  lines.forEach((line, place) => {
    if (isCompactSummary(line)) {
      draft.checkpoint({ summary: contentText(line), cut: draft.items, before: before.get(line.parentUuid) });
    } else if (isQueuedPrompt(line)) draft.message('user', fieldsOf(line.attachment).prompt);
    else if (line.type === 'user') readUser(draft, line, lines[place + 1]);
    else if (line.isApiErrorMessage !== true) readReply(draft, line, replies, copied);
  });
  return draft.finish();
}

/** The lines of one reply by its message id; they are read where the first of them stands. */
function gatherReplies(lines: readonly Fields[]): Map<string, Fields[]> {
  const replies = new Map<string, Fields[]>();
  for (const line of lines) {
    const id = line.type === 'assistant' ? stringOf(fieldsOf(line.message).id) : undefined;
    if (id === undefined || line.isApiErrorMessage === true) continue;
    const known = replies.get(id);
    if (known === undefined) replies.set(id, [line]);
    else known.push(line);
  }
  return replies;
}

/**
 * Replies that stand in another branch too: a resumed session copies the history into a new one, and with it usage that was
 * measured on another, larger context.
 */
function copiedReplies(all: readonly Fields[], read: readonly Fields[]): ReadonlySet<unknown> {
  const own = new Set(read);
  const others = all.filter((line) => line.type === 'assistant' && !own.has(line));
  return new Set(others.flatMap((line) => stringOf(fieldsOf(line.message).id) ?? []));
}

/** Usage stands on every line of a reply and grows; the last line has the figures, its output final once a reply has stopped. */
function readReply(
  draft: SessionDraft,
  line: Fields,
  replies: Map<string, Fields[]>,
  copied: ReadonlySet<unknown>,
): void {
  const id = stringOf(fieldsOf(line.message).id);
  const lines = id === undefined ? [line] : replies.get(id);
  if (lines === undefined || lines[0] !== line) return;
  const messages = lines.map((one) => fieldsOf(one.message));
  const last = messages.at(-1) ?? {};
  if (last.model !== '<synthetic>') draft.settings({ model: last.model });
  const content = messages.flatMap((message) =>
    Array.isArray(message.content) ? listOf(message.content) : [message.content],
  );
  readAnthropicMessage(draft, { role: 'assistant', id, content });
  if (!copied.has(id))
    draft.usage({ ...anthropicUsage(last.usage, last.model), outputFinal: stringOf(last.stop_reason) !== undefined });
}

function readUser(draft: SessionDraft, line: Fields, following: Fields | undefined): void {
  if (line.isVisibleInTranscriptOnly === true) return;
  const content = fieldsOf(line.message).content;
  if (isResultLine(line)) {
    const blocks = listOf(content).map(fieldsOf);
    for (const block of blocks) {
      if (block.type === 'tool_result')
        draft.result(block.tool_use_id, block.content, { isError: block.is_error === true });
    }
    draft.message(
      'user',
      blocks.filter((block) => block.type !== 'tool_result'),
    );
  } else if (isPrompt(line) && !(isCommand(line) && isCommandOutput(following))) draft.prompt(content);
  else draft.message('user', content);
}

function contentText(line: Fields): string {
  return joinText(partsOf(fieldsOf(line.message).content));
}

/** `preTokens` by the id of the boundary line, which is the parent of the summary line. */
function tokensBeforeCompactions(lines: readonly Fields[]): Map<unknown, unknown> {
  const boundaries = lines.filter((line) => line.subtype === 'compact_boundary');
  return new Map(boundaries.map((line) => [line.uuid, fieldsOf(line.compactMetadata).preTokens]));
}
