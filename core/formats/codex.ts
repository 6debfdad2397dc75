/** Codex CLI rollout JSONL (S12.3): what the model saw are the response items; events are copies for the screen. */
import { addCodexItem, isInjected, messageText } from './codex-items';
import { SessionDraft } from './draft';
import type { ImportedSession, SessionFormat, Source } from './format';
import { countOf, fieldsOf, isFields, listOf, stringOf } from './shape';
import type { Fields } from './shape';
import { toolSchemasOf } from './tool-schemas';

/** Reads rollouts of all versions that wrap each record as `{ timestamp, type, payload }`. */
export const codex: SessionFormat = {
  name: 'codex',
  title: 'Codex CLI rollout JSONL',
  marks: ['timestamp', 'type', 'payload'],
  detect(source) {
    const first = source.lines.values
      .slice(0, 50)
      .map(fieldsOf)
      .filter((line) => isFields(line.payload));
    if (first.some((line) => line.type === 'session_meta' || line.type === 'response_item')) return 1;
    return first.some((line) => line.type === 'event_msg' || line.type === 'turn_context') ? 0.6 : 0;
  },
  read: (source) => [readRollout(source)],
};

function readRollout(source: Source): ImportedSession {
  const reader = new RolloutReader(source.lines.malformed);
  const lines = source.lines.values.filter((line): line is Fields => isFields(line) && isFields(line.payload));
  reader.draft.malformed += source.lines.values.length - lines.length;
  for (const line of withoutRolledBack(lines)) reader.read(line.type, fieldsOf(line.payload));
  return reader.finish();
}

/** Taking turns back is recorded as an event that names how many; they are no longer part of the conversation. */
function withoutRolledBack(lines: readonly Fields[]): readonly Fields[] {
  const kept: Fields[] = [];
  const prompts: number[] = [];
  for (const line of lines) {
    const payload = fieldsOf(line.payload);
    if (line.type === 'event_msg' && payload.type === 'thread_rolled_back') {
      const turns = Math.min(countOf(payload.num_turns) ?? 0, prompts.length);
      const [from = kept.length] = prompts.splice(prompts.length - turns);
      kept.length = from;
      continue;
    }
    if (line.type === 'response_item' && isPrompt(payload)) prompts.push(kept.length);
    kept.push(line);
  }
  return kept;
}

function isPrompt(item: Fields): boolean {
  return item.type === 'message' && item.role === 'user' && !isInjected(item);
}

class RolloutReader {
  readonly draft: SessionDraft;
  /** Whether the model said something that no usage figure covers yet. */
  #isUnmeasured = false;
  /** A figure that came before the items of its reply, as old versions write it. */
  #ahead: Fields | undefined;
  #total: unknown;
  /** Messages of the user since the start, which compactions of old versions repeat. */
  readonly #prompts: Fields[] = [];

  constructor(malformed: number) {
    this.draft = new SessionDraft(codex.name, malformed);
  }

  read(type: unknown, payload: Fields): void {
    switch (type) {
      case 'session_meta':
        return this.#readMeta(payload);
      case 'turn_context':
        return this.draft.settings({ model: payload.model });
      case 'response_item':
        return this.#readItem(payload);
      case 'compacted':
        return this.#readCompaction(payload);
      case 'event_msg':
        if (payload.type === 'token_count') this.#readUsage(fieldsOf(payload.info));
    }
  }

  finish(): ImportedSession {
    this.#settle();
    return this.draft.finish();
  }

  #readMeta(meta: Fields): void {
    if (this.draft.id !== undefined) return;
    this.draft.id = stringOf(meta.id);
    this.draft.root = stringOf(meta.cwd);
    const tools = Array.isArray(meta.dynamic_tools) ? listOf(meta.dynamic_tools) : [meta.dynamic_tools];
    const listed = tools.flatMap((tool) =>
      Array.isArray(fieldsOf(tool).tools) ? listOf(fieldsOf(tool).tools) : [tool],
    );
    this.draft.settings({ system: fieldsOf(meta.base_instructions).text, tools: toolSchemasOf(listed) });
  }

  #readItem(item: Fields): void {
    if (isPrompt(item)) {
      this.#settle();
      this.#prompts.push(item);
      this.draft.prompt(item.content);
      return;
    }
    const isFromModel = MODEL_ITEMS.has(item.type) && (item.type !== 'message' || item.role === 'assistant');
    if (!isFromModel) this.#settle();
    addCodexItem(this.draft, item);
    this.#isUnmeasured ||= isFromModel;
  }

  /** Figures are repeated when only the rate limits change; the running total tells. */
  #readUsage(info: Fields): void {
    const usage = fieldsOf(info.last_token_usage);
    const total = fieldsOf(info.total_token_usage).total_tokens;
    if (usage.input_tokens === undefined || (total !== undefined && total === this.#total)) return;
    this.#total = total;
    this.#ahead = usage;
    this.#settle();
  }

  /** Puts the figure at hand behind the reply it belongs to, once that reply is there. */
  #settle(): void {
    if (!this.#isUnmeasured || this.#ahead === undefined) return;
    const usage = this.#ahead;
    this.draft.usage({
      inputTokens: usage.input_tokens,
      cacheReadTokens: usage.cached_input_tokens,
      outputTokens: usage.output_tokens,
      reasoningTokens: usage.reasoning_output_tokens,
    });
    this.#isUnmeasured = false;
    this.#ahead = undefined;
  }

  /**
   * From here the model sees the replacement history and nothing else. Versions that write none keep the newest messages
   * of the user. A history that is all encrypted leaves a checkpoint without a text.
   */
  #readCompaction(compacted: Fields): void {
    this.#settle();
    this.#ahead = undefined;
    const summary = typeof compacted.message === 'string' ? compacted.message : '';
    if (summary === '') this.draft.warn('A compaction in the session is encrypted, so its summary is not known.');
    this.draft.checkpoint({ summary, cut: this.draft.items });
    const history = Array.isArray(compacted.replacement_history)
      ? listOf(compacted.replacement_history).filter(isFields)
      : newestWithin(this.#prompts, KEPT_CHARACTERS);
    for (const item of history) {
      if (summary === '' || messageText(item) !== summary) addCodexItem(this.draft, item);
    }
    this.#isUnmeasured = false;
  }
}

const MODEL_ITEMS: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'web_search_call',
  'tool_search_call',
  'image_generation_call',
]);

/** About 20,000 tokens, which is what those versions carry over. */
const KEPT_CHARACTERS = 80_000;

function newestWithin(items: readonly Fields[], characters: number): readonly Fields[] {
  let left = characters;
  let from = items.length;
  while (from > 0 && (left -= messageText(items[from - 1] ?? {}).length) >= 0) from--;
  return items.slice(from);
}
