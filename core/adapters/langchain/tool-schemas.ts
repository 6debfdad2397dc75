/** What the tools of an agent tell of themselves, for counting (S5.2). */
import { jsonSchemaOf } from '../../agent/tools';
import { fieldsOf, isFields, stringOf } from '../../formats/shape';
import { toolSchemasOf } from '../../formats/tool-schemas';
import type { ToolSchema } from '../../session/records';

/** The tools of an agent are the same list in every request. */
const known = new WeakMap<readonly unknown[], readonly ToolSchema[]>();

/** Schemas of tools that the host runs, and of those that a provider runs. */
export function schemasOf(tools: readonly unknown[]): readonly ToolSchema[] {
  let schemas = known.get(tools);
  if (schemas === undefined) known.set(tools, (schemas = toolSchemasOf(tools.map(described)) ?? []));
  return schemas;
}

/** Tools of the host have their schema in the words of its library. */
function described(tool: unknown): unknown {
  const { name, description, schema } = fieldsOf(tool);
  if (!isFields(schema)) return tool;
  return { name, description, parameters: parametersOf(stringOf(name) ?? '', schema) };
}

/** A schema that cannot tell itself goes uncounted until the provider has measured it. */
function parametersOf(name: string, schema: unknown): unknown {
  try {
    return jsonSchemaOf(name, schema);
  } catch {
    return undefined;
  }
}
