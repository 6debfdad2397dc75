/** The tools of a foreign request as schemas (S5.2). */
import type { ToolSchema } from '../session/records';
import { argumentsOf, fieldsOf, isFields, listOf, stringOf } from './shape';

/** OpenAI `{ function: { name, parameters } }`, Anthropic `{ name, input_schema }`; undefined where there is none with a name. */
export function toolSchemasOf(tools: unknown): readonly ToolSchema[] | undefined {
  const schemas: ToolSchema[] = [];
  for (const entry of listOf(tools)) {
    const tool = fieldsOf(entry);
    const described = isFields(tool.function) ? tool.function : tool;
    const name = stringOf(described.name);
    if (name === undefined) continue;
    const description = stringOf(described.description);
    const parameters = described.parameters ?? described.input_schema ?? described.inputSchema;
    schemas.push({
      name,
      ...(description !== undefined && { description }),
      ...(isFields(parameters) && { parameters: argumentsOf(parameters) }),
    });
  }
  return schemas.length === 0 ? undefined : schemas;
}
