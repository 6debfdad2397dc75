/**
 * Tool sets of the AI SDK, taken as they are (S3.8), and with them the tools of its MCP client. By shape alone: the SDK is
 * not imported.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Json, Part } from '../session/items';
import { defineTool, isStandardSchema, toolInvalid } from './tools';
import type { Tool, ToolOutput, ToolRun } from './tools';

/** A tool of the AI SDK, as far as it is used. */
export interface AiSdkTool {
  readonly description?: string | undefined;
  /** A Standard Schema, what `jsonSchema()` gives, or a function that returns one of them. */
  readonly inputSchema: unknown;
  execute?(input: never, options: never): unknown;
  toModelOutput?(options: never): unknown;
}

/** Tools by name, as `generateText({ tools })` takes them. */
export type AiSdkToolSet = Readonly<Record<string, AiSdkTool>>;

/** What `jsonSchema()` of the AI SDK gives. */
interface AiSdkSchema {
  readonly jsonSchema: Json;
  validate?(value: unknown): unknown;
}

/** The tools of a set. Their kind is `exec`, the most careful one, since the SDK does not tell. Throws `PITH_TOOL_INVALID`. */
export function toolsOfSet(set: AiSdkToolSet): readonly Tool[] {
  return Object.entries(set).map(([name, tool]) => toolOf(name, tool));
}

function toolOf(name: string, tool: AiSdkTool): Tool {
  if (typeof tool !== 'object' || tool === null || !('inputSchema' in tool)) {
    throw toolInvalid(name, 'it is neither a tool of Pith nor of the AI SDK');
  }
  if (typeof tool.execute !== 'function') throw toolInvalid(name, 'it has no execute function, so nobody could run it');
  const { inputSchema } = tool;
  const schema: unknown =
    typeof inputSchema === 'function' && !isStandardSchema(inputSchema) ? inputSchema() : inputSchema;
  return defineTool({
    name,
    description: tool.description ?? '',
    kind: 'exec',
    ...inputOf(name, schema),
    run: (args, run) => execute(tool, args, run),
  });
}

function inputOf(
  name: string,
  schema: unknown,
): { readonly input: StandardSchemaV1 | Json; readonly parameters?: Json } {
  if (isAiSdkSchema(schema)) {
    if (schema.jsonSchema instanceof Promise) throw toolInvalid(name, 'its JSON Schema is a promise; await it first');
    const { jsonSchema: parameters } = schema;
    return schema.validate === undefined ? { input: parameters } : { input: standardOf(schema), parameters };
  }
  if (isStandardSchema(schema)) return { input: schema };
  throw toolInvalid(name, 'its inputSchema is not a schema');
}

function isAiSdkSchema(value: unknown): value is AiSdkSchema {
  return typeof value === 'object' && value !== null && 'jsonSchema' in value;
}

/** The validation of an AI SDK schema as a Standard Schema. */
function standardOf(schema: AiSdkSchema): StandardSchemaV1 {
  const validate = async (value: unknown): Promise<StandardSchemaV1.Result<unknown>> => {
    const result = (await schema.validate?.(value)) as { success: boolean; value?: unknown; error?: Error };
    return result.success ? { value: result.value } : { issues: [{ message: result.error?.message ?? 'invalid' }] };
  };
  return { '~standard': { version: 1, vendor: 'ai-sdk', validate } };
}

async function execute(tool: AiSdkTool, input: unknown, run: ToolRun): Promise<ToolOutput> {
  const { callId: toolCallId, signal: abortSignal } = run;
  let output = await tool.execute?.(input as never, { toolCallId, messages: [], abortSignal } as never);
  if (isAsyncIterable(output)) output = await lastOf(output, run);
  const shown: unknown = await tool.toModelOutput?.({ toolCallId, input, output } as never);
  return fromModelOutput(shown) ?? fromMcp(output) ?? asText(output);
}

/** A streaming tool gives preliminary results; the last one counts, the others are progress. */
async function lastOf(outputs: AsyncIterable<unknown>, run: ToolRun): Promise<unknown> {
  let last: unknown;
  for await (const output of outputs) {
    if (last !== undefined) run.progress(asText(last));
    last = output;
  }
  return last;
}

/** What `toModelOutput` gives: text, JSON, an error of either, or parts. */
function fromModelOutput(output: unknown): ToolOutput | undefined {
  if (!isRecord(output) || typeof output['type'] !== 'string') return undefined;
  const { type, value } = output;
  if (type === 'content') return { content: partsOf(value) };
  return type.startsWith('error') ? { content: asText(value), isError: true } : asText(value);
}

/** What a tool of an MCP server gives. */
function fromMcp(output: unknown): ToolOutput | undefined {
  if (!isRecord(output) || !Array.isArray(output['content'])) return undefined;
  return { content: partsOf(output['content']), ...(output['isError'] === true && { isError: true }) };
}

function partsOf(values: unknown): readonly Part[] {
  return (Array.isArray(values) ? (values as unknown[]) : []).map((value): Part => {
    if (!isRecord(value)) return { type: 'text', text: asText(value) };
    const { type, text, data } = value;
    const mediaType = value['mediaType'] ?? value['mimeType'];
    if (type === 'text' && typeof text === 'string') return { type, text };
    if (typeof data === 'string' && typeof mediaType === 'string' && mediaType.startsWith('image/')) {
      return { type: 'image', mediaType, data };
    }
    return { type: 'text', text: asText(value) };
  });
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isRecord(value) && Symbol.asyncIterator in value;
}
