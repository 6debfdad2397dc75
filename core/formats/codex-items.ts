/** The response items of a Codex rollout, one by one. */
import type { SessionDraft } from './draft';
import { joinText, partsOf } from './parts';
import { fieldsOf, isFields, listOf, parseJson, stringOf } from './shape';
import type { Fields } from './shape';

/** Adds an item of the model's view. Kinds that the model does not see, such as snapshots, add nothing. */
export function addCodexItem(draft: SessionDraft, item: Fields): void {
  switch (item.type) {
    case 'message':
      return addMessage(draft, item);
    case 'agent_message':
      return draft.message('user', item.content);
    case 'reasoning': {
      const texts = [...listOf(item.summary), ...listOf(item.content)].map(
        (part) => stringOf(fieldsOf(part).text) ?? '',
      );
      return draft.reasoning(texts.filter((text) => text !== '').join('\n\n'), item.encrypted_content);
    }
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
      return draft.reasoning(undefined, item.encrypted_content);
    case 'function_call':
      return draft.call(item.call_id, item.name, item.arguments);
    case 'custom_tool_call':
      return draft.call(item.call_id, item.name, item.input);
    case 'tool_search_call':
      return draft.call(item.call_id, 'tool_search', item.arguments);
    case 'local_shell_call':
      return draft.call(item.call_id ?? item.id, 'local_shell', item.action);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return addOutput(draft, item.call_id, item.output);
    case 'tool_search_output':
      return draft.result(item.call_id, item.tools);
    case 'web_search_call':
      return draft.served(item.call_id ?? item.id, 'web_search', item.action, undefined);
    case 'image_generation_call':
      return draft.served(item.call_id ?? item.id, 'image_generation', { prompt: item.revised_prompt }, [
        { type: 'image', data: item.result },
      ]);
  }
}

/** The text of a message item; empty for all others. */
export function messageText(item: Fields): string {
  return item.type === 'message' ? joinText(partsOf(item.content)) : '';
}

/** Whether a message of the user was written by the agent: surroundings, instructions of the project, notes. */
export function isInjected(item: Fields): boolean {
  const first =
    stringOf(fieldsOf(listOf(item.content)[0]).text)
      ?.slice(0, 80)
      .trimStart() ?? '';
  return INJECTED.some((start) => first.startsWith(start));
}

const INJECTED = [
  '<environment_context>',
  '<user_instructions>',
  '# AGENTS.md instructions',
  '<turn_aborted>',
  '<user_shell_command>',
  '<skill>',
  '<subagent_notification>',
];

function addMessage(draft: SessionDraft, item: Fields): void {
  switch (item.role) {
    case 'assistant':
      return draft.message('assistant', item.content);
    case 'developer':
    case 'system':
      return draft.message('system', item.content);
    case 'user':
      return draft.message('user', item.content);
    default:
      draft.malformed++;
  }
}

/** Outputs of a shell are wrapped as JSON with the exit code, or have it in a header line. */
function addOutput(draft: SessionDraft, callId: unknown, output: unknown): void {
  const wrapped = typeof output === 'string' && output.startsWith('{"output":') ? parseJson(output) : undefined;
  if (isFields(wrapped)) {
    const code = fieldsOf(wrapped.metadata).exit_code;
    return draft.result(callId, wrapped.output, { isError: typeof code === 'number' && code !== 0 });
  }
  const content = isFields(output) && 'content' in output ? output.content : output;
  const isRefused = isFields(output) && output.success === false;
  if (typeof content !== 'string') return draft.result(callId, content, { isError: isRefused });
  const { code, body } = splitHeader(content);
  const isError =
    isRefused || (code !== undefined && code !== '0') || REFUSALS.some((words) => content.startsWith(words));
  draft.result(callId, content, body === undefined ? { isError } : { isError, output: body });
}

/** The exit code and what was printed; looks for them at the head only, for what a command printed may say anything. */
function splitHeader(output: string): { readonly code?: string | undefined; readonly body?: string } {
  const end = output.slice(0, 400).indexOf(HEADER_END);
  if (end === -1) return {};
  const code = /(?:^|\n)(?:Exit code:|Process exited with code) (-?\d+)/.exec(output.slice(0, end))?.[1];
  return { code, body: output.slice(end + HEADER_END.length) };
}

const HEADER_END = '\nOutput:\n';

const REFUSALS = [
  'failed in sandbox',
  'execution error',
  'exec command rejected',
  'patch rejected',
  'aborted by user',
  'apply_patch verification failed',
];
