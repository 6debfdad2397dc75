/** Calls that the host runs, and their results: functions, shell, patches, a computer. */
import { argumentsOf, fieldsOf, isFields, listOf, stringOf, textOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import type { NewItem, Part, ToolResultItem } from '../../session/items';
import { summariseResult } from '../../session/result-summary';
import type { AgentItem } from './agent-items';
import { contentWith, partsOfContent, textOfParts } from './contents';

/** The call that an item is, or undefined. One without an id for its result is none. */
export function callOf(fields: Fields): NewItem | undefined {
  const callId = idOf(fields);
  const [name, args] = calledOf(fields);
  if (callId === undefined || name === undefined) return undefined;
  return { kind: 'tool_call', callId, name, arguments: argumentsOf(args) };
}

/** The result that an item is, or undefined. */
export function resultOf(fields: Fields): NewItem | undefined {
  const callId = idOf(fields);
  const tool = RESULTS.get(textOf(fields.type));
  if (callId === undefined || tool === undefined) return undefined;
  const parts = outputOf(fields).filter((part) => part.type === 'image' || part.text !== '');
  const isError = isFailed(fields);
  return {
    kind: 'tool_result',
    callId,
    summary: summariseResult(stringOf(fields.name) ?? tool, parts, isError),
    ...(parts.length > 0 && { content: parts }),
    ...(isError && { isError }),
  };
}

/** The item of a result that is sent otherwise, in the form that its type asks for. */
export function resultWith(message: AgentItem, { callId, content, summary }: ToolResultItem): AgentItem {
  const fields = message as Fields;
  const parts: readonly Part[] = content ?? [{ type: 'text', text: summary }];
  const item = { ...message, callId };
  switch (message.type) {
    case 'computer_call_result':
      return parts.some(({ type }) => type === 'image') ? item : { ...item, ...NO_SCREENSHOT };
    case 'shell_call_output': {
      const { outcome } = fieldsOf(listOf(fields.output).at(-1));
      const output = { stdout: textOfParts(parts), stderr: '', outcome: outcome ?? { type: 'exit', exitCode: 0 } };
      return { ...item, output: [output] } as AgentItem;
    }
    case 'apply_patch_call_output':
      return { ...item, output: textOfParts(parts) } as AgentItem;
    case 'tool_search_output':
      return { ...item, tools: [] } as AgentItem;
    default:
      return { ...item, output: contentWith(fields.output, parts, 'input_text') } as AgentItem;
  }
}

/** Types of results, and what the tool is called where they do not say. */
const RESULTS: ReadonlyMap<string, string> = new Map([
  ['function_call_result', 'tool'],
  ['computer_call_result', 'computer'],
  ['shell_call_output', 'shell'],
  ['apply_patch_call_output', 'apply_patch'],
  ['tool_search_output', 'tool_search'],
]);

/** The result of a computer call has to be an image; this one is a single pixel. */
const NO_SCREENSHOT = {
  output: {
    type: 'computer_screenshot',
    data: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  },
};

/** The id that links a call and its result; searches of the provider's own have none. */
function idOf(fields: Fields): string | undefined {
  const { callId, call_id } = fieldsOf(fields.providerData);
  return stringOf(fields.callId) ?? stringOf(fields.call_id) ?? stringOf(callId) ?? stringOf(call_id);
}

function calledOf(fields: Fields): readonly [name?: string, args?: unknown] {
  switch (fields.type) {
    case 'function_call':
      return [stringOf(fields.name) ?? 'unknown', fields.arguments];
    case 'computer_call':
      return ['computer', { actions: fields.actions ?? [fields.action] }];
    case 'shell_call':
      return ['shell', fields.action];
    case 'apply_patch_call':
      return ['apply_patch', fields.operation];
    case 'tool_search_call':
      return ['tool_search', fields.arguments];
    default:
      return [];
  }
}

function outputOf(fields: Fields): readonly Part[] {
  if (fields.type === 'tool_search_output') return partsOfContent(textOf(fields.tools));
  if (fields.type !== 'shell_call_output') return partsOfContent(fields.output);
  return listOf(fields.output).map((value) => {
    const { stdout, stderr } = fieldsOf(value);
    return { type: 'text', text: [stdout, stderr].filter((text) => stringOf(text) !== undefined).join('\n') };
  });
}

function isFailed({ status, output, type }: Fields): boolean {
  if (status === 'failed' || status === 'incomplete') return true;
  return type === 'shell_call_output' && listOf(output).some((value) => didFail(fieldsOf(value).outcome));
}

function didFail(outcome: unknown): boolean {
  if (!isFields(outcome)) return false;
  return outcome.type === 'timeout' || (typeof outcome.exitCode === 'number' && outcome.exitCode !== 0);
}
