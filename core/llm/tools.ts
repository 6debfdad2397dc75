/** Tools as they are declared to a model, and the names that its calls come back under. */
import { toolName } from '../formats/write/turns';
import type { Json } from '../session/items';
import type { ToolSchema } from '../session/records';
import type { FunctionTool, PromptMessage } from './language-model';
import type { WireTraits } from './profiles';

/**
 * The declarations of a request. Where it offers no tools and its history has calls, the tools that were called are declared
 * with a word that they are gone, since some providers refuse a history with calls otherwise.
 */
export function declareTools(
  tools: readonly ToolSchema[],
  messages: readonly PromptMessage[],
  traits: WireTraits,
): readonly FunctionTool[] {
  if (tools.length > 0) return tools.map((tool) => declare(tool, traits));
  const called = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') called.add(part.toolName);
  }
  return [...called].map((name) => declare({ name, description: 'No longer available. Do not call it.' }, traits));
}

/** The name of a tool by the name that the model knows. */
export function toolNames(tools: readonly ToolSchema[]): (called: string) => string {
  const names = new Map<string, string>();
  for (const { name } of tools) if (!names.has(toolName(name))) names.set(toolName(name), name);
  return (called) => names.get(called) ?? called;
}

/** OpenAI Responses makes every argument required unless told not to be strict. */
function declare({ name, description, parameters }: ToolSchema, { reasoning }: WireTraits): FunctionTool {
  const schema =
    typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters)
      ? (parameters as { readonly [key: string]: Json })
      : { properties: {} };
  return {
    type: 'function',
    name: toolName(name),
    ...(description !== undefined && { description }),
    inputSchema: { type: 'object', ...schema },
    ...(reasoning === 'encrypted' && { strict: false }),
  };
}
