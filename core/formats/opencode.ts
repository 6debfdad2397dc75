/** opencode sessions (S12.3): exports, and logs of the events that build them. */
import { SessionDraft } from './draft';
import type { ImportedSession, SessionFormat, Source } from './format';
import { foldEvents, isEvent } from './opencode-events';
import { joinText, partsOf } from './parts';
import { countOf, fieldsOf, isFields, listOf, stringOf } from './shape';
import type { Fields } from './shape';

/** A session as opencode keeps it: messages with their parts. */
export interface OpencodeSession {
  readonly info: Fields;
  readonly messages: readonly { readonly info: Fields; readonly parts: readonly Fields[] }[];
}

/** Reads `{ info, messages }`, where call and result are one part, and event logs by folding them into that. */
export const opencode: SessionFormat = {
  name: 'opencode',
  title: 'opencode export, or a log of its events',
  marks: ['info', 'messages', 'parts'],
  detect(source) {
    const { info, messages } = fieldsOf(source.json);
    if (isFields(info) && Array.isArray(messages)) {
      const first = fieldsOf(messages[0]);
      return messages.length === 0 || (isFields(first.info) && Array.isArray(first.parts)) ? 1 : 0.3;
    }
    return source.lines.values.slice(0, 50).some(isEvent) ? 1 : 0;
  },
  read: (source) => (isFields(fieldsOf(source.json).info) ? [readExport(source)] : readEvents(source)),
};

function readExport(source: Source): ImportedSession {
  const { info, messages } = fieldsOf(source.json);
  const session = {
    info: fieldsOf(info),
    messages: listOf(messages).map((message) => ({
      info: fieldsOf(fieldsOf(message).info),
      parts: listOf(fieldsOf(message).parts).map(fieldsOf),
    })),
  };
  return readSession(session, source.lines.malformed, 0);
}

function readEvents(source: Source): readonly ImportedSession[] {
  const { sessions, sidechains, malformed } = foldEvents(source.lines.values);
  return sessions.map((session, place) =>
    readSession(session, place === 0 ? source.lines.malformed + malformed : 0, place === 0 ? sidechains : 0),
  );
}

function readSession(session: OpencodeSession, malformed: number, sidechains: number): ImportedSession {
  const draft = new SessionDraft(opencode.name, malformed);
  draft.sidechains = sidechains;
  draft.id = stringOf(session.info.id);
  draft.root = stringOf(session.info.directory);
  const numbers = new Map<unknown, number>();
  const tails = new Map<unknown, unknown>();
  for (const { info, parts } of withoutReverted(session)) {
    numbers.set(info.id, draft.items);
    const compaction = parts.find((part) => part.type === 'compaction');
    if (info.role === 'user' && compaction !== undefined) tails.set(info.id, compaction.tail_start_id);
    else if (info.role === 'user') readUser(draft, parts);
    else if (info.role === 'assistant' && info.summary === true)
      readSummary(draft, info, parts, numbers.get(tails.get(info.parentID)));
    else if (info.role === 'assistant') readReplies(draft, info, parts);
    else draft.malformed++;
  }
  return draft.finish();
}

/** What the user took back stays in the file until the next prompt; it is not part of the conversation. */
function withoutReverted(session: OpencodeSession): OpencodeSession['messages'] {
  const from = stringOf(fieldsOf(session.info.revert).messageID);
  const place = from === undefined ? -1 : session.messages.findIndex(({ info }) => info.id === from);
  return place === -1 ? session.messages : session.messages.slice(0, place);
}

/** Parts marked synthetic were written by the agent; a message of such parts alone is no prompt. */
function readUser(draft: SessionDraft, parts: readonly Fields[]): void {
  const shown = parts.filter((part) => part.ignored !== true && (part.type === 'text' || isImageFile(part)));
  if (shown.some((part) => part.synthetic !== true)) draft.prompt(shown.map(contentOf));
  else draft.message('user', shown.map(contentOf));
}

function isImageFile(part: Fields): boolean {
  return part.type === 'file' && stringOf(part.mime)?.startsWith('image/') === true;
}

function contentOf(part: Fields): unknown {
  return part.type === 'text' ? { type: 'text', text: part.text } : { type: 'file', mime: part.mime, url: part.url };
}

/** A compaction is a request to summarise and the reply to it; neither is seen again, the text of the reply is. */
function readSummary(draft: SessionDraft, info: Fields, parts: readonly Fields[], cut = draft.items): void {
  const summary = parts.filter((part) => part.type === 'text').map((part) => joinText(partsOf(part.text)));
  if (info.error === undefined && stringOf(info.finish) !== undefined)
    draft.checkpoint({ summary: summary.join('\n'), cut });
}

/** A message holds one reply per step; the results of a step come after all that the model said in it. */
function readReplies(draft: SessionDraft, info: Fields, parts: readonly Fields[]): void {
  draft.settings({ model: info.modelID });
  let called: Fields[] = [];
  let isMeasured = false;
  const endStep = (tokens: unknown): void => {
    readUsage(draft, fieldsOf(tokens));
    for (const part of called) readResult(draft, part);
    called = [];
    draft.reply();
  };
  draft.reply();
  for (const part of parts) {
    if (part.type === 'text') draft.message('assistant', part.ignored === true ? undefined : part.text);
    else if (part.type === 'reasoning') draft.reasoning(part.text, opaqueOf(part));
    else if (part.type === 'tool') {
      draft.call(part.callID, part.tool, fieldsOf(part.state).input);
      called.push(part);
    } else if (part.type === 'step-finish') {
      isMeasured = true;
      endStep(part.tokens);
    }
  }
  endStep(isMeasured ? undefined : info.tokens);
}

function opaqueOf(part: Fields): unknown {
  const metadata = fieldsOf(part.metadata);
  return fieldsOf(metadata.openai).reasoningEncryptedContent ?? fieldsOf(metadata.anthropic).signature;
}

/** A part that is still pending or running was interrupted: it has no result. */
function readResult(draft: SessionDraft, part: Fields): void {
  const state = fieldsOf(part.state);
  if (state.status === 'error') draft.result(part.callID, state.error, { isError: true });
  if (state.status !== 'completed') return;
  const images = listOf(state.attachments).map(fieldsOf).filter(isImageFile).map(contentOf);
  const content = images.length === 0 ? state.output : [state.output, ...images];
  draft.result(part.callID, content, { isPruned: fieldsOf(state.time).compacted !== undefined });
}

/** Reasoning is part of the output for some providers and beside it for others; the total tells. */
function readUsage(draft: SessionDraft, tokens: Fields): void {
  const cache = fieldsOf(tokens.cache);
  const read = countOf(cache.read);
  const written = countOf(cache.write);
  const input = (countOf(tokens.input) ?? 0) + (read ?? 0) + (written ?? 0);
  const output = countOf(tokens.output) ?? 0;
  const reasoning = countOf(tokens.reasoning);
  draft.usage({
    inputTokens: input,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: tokens.total === input + output ? output : output + (reasoning ?? 0),
    reasoningTokens: reasoning,
  });
}
