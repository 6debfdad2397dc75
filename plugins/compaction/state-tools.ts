/** What is carried over of state tools (S3.8): the newest todo list or plan that still has open entries, verbatim. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ContextView, Item, Json, Session, Tool } from '../../core/index';
import { contentText } from './trim';

/** Tokens above which a state is not carried over. */
export const STATE_MAX_TOKENS = 1000;

/** Tools of common agents that keep a list of tasks, in lower case without separators. */
const STATE_TOOLS = new Set([
  'todowrite',
  'writetodos',
  'updatetodos',
  'todolist',
  'todo',
  'todos',
  'updateplan',
  'plan',
  'tasktracker',
  'managetodolist',
]);

const OPEN = /\b(?:pending|in[_ -]?progress|todo|not[_ -]?started|open)\b|\[ \]/i;

/** Whether a tool of a common agent keeps a list of tasks; its name is all that is known of an imported session. */
export function isStateTool(name: string): boolean {
  return STATE_TOOLS.has(name.toLowerCase().replace(/[^a-z]/g, ''));
}

/** Names of tools of kind `state` that were called in a session; those of common agents are known without it. */
const CALLED: StandardSchemaV1<unknown, readonly string[]> = {
  '~standard': {
    version: 1,
    vendor: 'pith',
    validate: (value) =>
      Array.isArray(value) && value.every((name) => typeof name === 'string')
        ? { value }
        : { issues: [{ message: 'expected a list of names' }] },
  },
};
const NAMESPACE = 'compaction.state-tools';

/** Remembers a tool that was called as one that keeps state, in the log of the session, so that a restore knows it too. */
export function noteStateTool(session: Session, { name, kind }: Pick<Tool, 'name' | 'kind'>): void {
  if (kind !== 'state' || isStateTool(name)) return;
  const state = session.state(NAMESPACE, CALLED);
  const known = state.get() ?? [];
  if (!known.includes(name)) state.set([...known, name]);
}

/** Which tools keep state in a session. */
export function stateToolsOf(session: Session): (tool: string) => boolean {
  const called = new Set(session.state(NAMESPACE, CALLED).get());
  return (tool) => called.has(tool) || isStateTool(tool);
}

/** The newest list before the cut, as text, if it has open entries and none newer stands in the tail. */
export function openState(
  context: ContextView,
  cut: number,
  isState: (tool: string) => boolean,
): { readonly tool: string; readonly text: string } | undefined {
  const results = new Map<string, Item>();
  for (let position = context.length - 1; position >= 0; position--) {
    const entry = context.at(position);
    if (entry.kind === 'tool_result') results.set(entry.callId, entry);
    if (entry.kind !== 'tool_call' || !isState(entry.name)) continue;
    if (position >= cut) return undefined;
    const result = results.get(entry.callId);
    const shown =
      result?.kind === 'tool_result' && result.isError !== true ? (contentText(result) ?? result.summary) : '';
    const text = OPEN.test(shown) ? shown : listOf(entry.arguments);
    return text !== undefined && OPEN.test(text) ? { tool: entry.name, text } : undefined;
  }
  return undefined;
}

/** The list that a call was given, one line an entry; undefined where the arguments hold none. */
function listOf(args: Json): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const list = Array.isArray(args) ? args : Object.values(args).find((value) => Array.isArray(value));
  if (!Array.isArray(list)) return undefined;
  const lines = list.flatMap((entry: Json): string[] => {
    if (typeof entry === 'string') return [`- ${entry}`];
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const fields = entry as Readonly<Record<string, Json>>;
    const said = [fields['content'], fields['step'], fields['title'], fields['text'], fields['description']].find(
      (value) => typeof value === 'string',
    );
    if (typeof said !== 'string') return [];
    const status =
      fields['status'] ?? (fields['done'] === true || fields['completed'] === true ? 'completed' : 'pending');
    return [`- [${String(status)}] ${said}`];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}
